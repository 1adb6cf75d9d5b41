import type { Static } from '@sinclair/typebox'
import { placeholderError } from '../../model/placeholder.ts'
import type { Value } from '../../model/source.ts'
import { requireNumber } from '../../geo/attribute.ts'
import { defineOperator, t } from '../operator.ts'
import { isClearScene, median, parseScenes, sceneValuesOf, type Scene } from './scene.ts'
import { transformSchema, transformValue } from '../value/transform-value.ts'

const args = t.Object({
  /** A formula over the bands of a scene. Without it, `property` of the newest clear scene. */
  expression: t.Optional(t.String()),
  property: t.Optional(t.String()),
  window_days: t.Integer({ minimum: 1 }),
  /** How far back to search if the window has no clear scene. */
  fallback_days: t.Optional(t.Integer({ minimum: 1 })),
  /** The same days of other years: 0 is this year, -5 five years ago. */
  shift_years: t.Optional(t.Array(t.Integer({ maximum: 0 }), { minItems: 1, maxItems: 2 })),
  combine: t.Optional(t.Literal('difference')),
  scale: t.Optional(t.Number()),
  /** Added to the raw numbers of scenes that match a SQL condition. */
  offset: t.Optional(t.Object({ dn: t.Number(), when: t.String() })),
  /** The codes of the band `mask` that indicate a clear view. */
  mask_keep: t.Optional(t.Array(t.Integer())),
  reducer: t.Optional(t.Literal('median')),
  max_items: t.Optional(t.Integer({ minimum: 1, maximum: 6 })),
  max_cloud_pct: t.Optional(t.Number({ minimum: 0, maximum: 100 })),
  transform: t.Optional(transformSchema),
})
type Args = Static<typeof args>

/**
 * Returns a statistic of the recent clear scenes, or its difference to the same days of another year. null without a
 * clear scene.
 */
export const scenesOperator = defineOperator({
  shape: 'document',
  args,
  async run(args, document, { at, now, onRecordsUsed }, budget) {
    const { window_days, fallback_days = window_days, shift_years = [0] } = args
    const searchScenes = async (from: string, to: string) =>
      requirePast(parseScenes(await document({ at, key: searchKeyOf(from, to, args) }, budget)), now)
    const endDates = shift_years.map((years) => yearsLater(now, years))
    const recentScenes = await Promise.all(endDates.map((end) => searchScenes(daysBefore(end, window_days), end)))
    const isEnough =
      fallback_days <= window_days || recentScenes.every((foundScenes) => clearScenesOf(foundScenes, args).length > 0)
    const foundScenes = isEnough
      ? recentScenes
      : await Promise.all(
          recentScenes.map(async (newer, i) => {
            const end = endDates[i]!
            const oldest = newer.at(-1)?.datetime.slice(0, 10) ?? daysBefore(end, window_days)
            return [...newer, ...(await searchScenes(daysBefore(end, fallback_days), daysBefore(oldest, 1)))]
          }),
        )
    const clearScenes = foundScenes.map((all) => clearScenesOf(all, args))
    onRecordsUsed?.(clearScenes.flatMap((scenes) => (args.reducer === 'median' ? scenes : scenes.slice(0, 1))))
    const statistics = clearScenes.map((scenes) => statisticOf(scenes, args))
    return args.combine === 'difference'
      ? difference(statistics.at(0) ?? null, statistics.at(-1) ?? null)
      : (statistics[0] ?? null)
  },
})

const itemsMax = 6

function searchKeyOf(from: string, to: string, { max_items = itemsMax, max_cloud_pct }: Args): string {
  return JSON.stringify({ from, to, max_items, max_cloud_pct })
}

/** @throws {UpstreamError} `bad_value` for a scene of the future. */
function requirePast(scenes: Scene[], now: Date): Scene[] {
  const future = scenes.find(({ datetime }) => Date.parse(datetime) > now.getTime() + 86_400_000)
  if (future) throw placeholderError(future.datetime)
  return scenes
}

function clearScenesOf(scenes: Scene[], { mask_keep }: Args): Scene[] {
  return scenes.filter((scene) => isClearScene(scene, mask_keep))
}

/** `scenes`: newest first. */
function statisticOf(scenes: Scene[], { expression, property, reducer, transform, ...calibration }: Args): Value {
  const value =
    expression === undefined
      ? propertyOf(scenes[0], property)
      : reduceStatistics(sceneValuesOf(scenes, expression, calibration), reducer)
  return transform === undefined ? value : transformValue(value, transform)
}

function propertyOf(scene: Scene | undefined, property: string | undefined): Value {
  if (property === undefined) throw new Error('The operation has no `expression` or `property`. Set one of them.')
  return scene?.[property] ?? null
}

function reduceStatistics(values: number[], reducer: Args['reducer']): number | null {
  return reducer === 'median' ? median(values) : (values[0] ?? null)
}

function difference(a: Value, b: Value): number | null {
  return a === null || b === null ? null : requireNumber(a) - requireNumber(b)
}

function daysBefore(date: string, days: number): string {
  return dayOf(new Date(Date.parse(date) - days * day_ms))
}

/** The same day of another year. 29 February becomes 1 March in a common year. */
function yearsLater(now: Date, years: number): string {
  const shifted = new Date(now)
  shifted.setUTCFullYear(now.getUTCFullYear() + years)
  return dayOf(shifted)
}

const day_ms = 86_400_000

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
