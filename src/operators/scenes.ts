import type { Static } from '@sinclair/typebox'
import type { Value } from '../model/source.ts'
import { numeric } from './numeric.ts'
import { operator, t } from './operator.ts'
import { median, valuesOf } from './scenes-figure.ts'
import { isClear, scenesOf, type Scene } from './scenes-read.ts'
import { transform, transformed } from './transformed.ts'

const args = t.Object({
  /** A formula over the bands of a scene; or else the `property` of the newest clear scene. */
  expression: t.Optional(t.String()),
  property: t.Optional(t.String()),
  window_days: t.Integer({ minimum: 1 }),
  /** How far back to look when the window has no clear scene. */
  fallback_days: t.Optional(t.Integer({ minimum: 1 })),
  /** The same days of other years: 0 is this one, -5 five years ago. */
  shift_years: t.Optional(t.Array(t.Integer({ maximum: 0 }), { minItems: 1, maxItems: 2 })),
  combine: t.Optional(t.Literal('difference')),
  scale: t.Optional(t.Number()),
  /** What is added to the raw numbers of the scenes that fulfil a condition in SQL form. */
  offset: t.Optional(t.Object({ dn: t.Number(), when: t.String() })),
  /** The codes of the band `mask` that mean a clear view. */
  mask_keep: t.Optional(t.Array(t.Integer())),
  reducer: t.Optional(t.Literal('median')),
  max_items: t.Optional(t.Integer({ minimum: 1, maximum: 6 })),
  max_cloud_pct: t.Optional(t.Number({ minimum: 0, maximum: 100 })),
  transform: t.Optional(transform),
})
type Args = Static<typeof args>

/** A figure over the clear scenes of the last days at the point, or its difference to the same days of another year; null when no scene is clear. */
export const scenes = operator({
  over: 'document',
  args,
  async run(args, document, { at, now }, budget) {
    const { window_days, fallback_days = window_days, shift_years = [0] } = args
    const search = async (from: string, to: string) => scenesOf(await document({ at, key: questionOf(from, to, args) }, budget))
    const ends = shift_years.map((years) => yearsLater(now, years))
    const recent = await Promise.all(ends.map((end) => search(daysBefore(end, window_days), end)))
    const isEnough = fallback_days <= window_days || recent.every((found) => clear(found, args).length > 0)
    const found = isEnough ? recent : await Promise.all(recent.map(async (newer, i) => {
      const end = ends[i]!
      const oldest = newer.at(-1)?.datetime.slice(0, 10) ?? daysBefore(end, window_days)
      return [...newer, ...(await search(daysBefore(end, fallback_days), daysBefore(oldest, 1)))]
    }))
    const figures = found.map((all) => figureOf(clear(all, args), args))
    return args.combine === 'difference' ? less(figures.at(0) ?? null, figures.at(-1) ?? null) : (figures[0] ?? null)
  },
})

const itemsMax = 6

function questionOf(from: string, to: string, { max_items = itemsMax, max_cloud_pct }: Args): string {
  return JSON.stringify({ from, to, max_items, max_cloud_pct })
}

function clear(scenes: Scene[], { mask_keep }: Args): Scene[] {
  return scenes.filter((scene) => isClear(scene, mask_keep))
}

/** Newest first, as they come. */
function figureOf(scenes: Scene[], { expression, property, reducer, transform, ...calibration }: Args): Value {
  const value = expression === undefined ? propertyOf(scenes[0], property) : reduced(valuesOf(scenes, expression, calibration), reducer)
  return transform === undefined ? value : transformed(value, transform)
}

function propertyOf(scene: Scene | undefined, property: string | undefined): Value {
  if (property === undefined) throw new Error('Scenes are read by an expression or by a property, and there is neither.')
  return scene?.[property] ?? null
}

function reduced(values: number[], reducer: Args['reducer']): number | null {
  return reducer === 'median' ? median(values) : (values[0] ?? null)
}

function less(a: Value, b: Value): number | null {
  return a === null || b === null ? null : numeric(a) - numeric(b)
}

function daysBefore(date: string, days: number): string {
  return dayOf(new Date(Date.parse(date) - days * day_ms))
}

/** The same day of another year; of 29 February, 1 March where there is none. */
function yearsLater(now: Date, years: number): string {
  const then = new Date(now)
  then.setUTCFullYear(now.getUTCFullYear() + years)
  return dayOf(then)
}

const day_ms = 86_400_000

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
