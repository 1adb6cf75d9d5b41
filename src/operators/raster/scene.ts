import { compileCondition } from '../../geo/text/sql-condition.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { Value } from '../../model/source.ts'
import { compileFormula } from '../expression.ts'
import { requireNumber } from '../../geo/attribute.ts'

/**
 * A satellite scene at the point: its time, its processing properties and the raw number of each band. null without
 * data.
 */
export type Scene = Record<string, Value> & { datetime: string }

/** Parses the scenes of a document, newest first. */
export function parseScenes(document: unknown): Scene[] {
  if (Array.isArray(document) && document.every(isScene)) return document
  throw new UpstreamError(
    'bad_response',
    'The source returned an unexpected document. Expected a list of scenes with `datetime`.',
  )
}

/** Whether a scene has data in every band and its mask indicates a clear view. */
export function isClearScene(scene: Scene, mask_keep: number[] | undefined): boolean {
  return (
    !Object.values(scene).includes(null) && (mask_keep === undefined || mask_keep.some((code) => code === scene.mask))
  )
}

/** Converts raw band numbers to reflectances: the offset of scenes that match a SQL condition, then the scale. */
type Calibration = { offset?: { dn: number; when: string }; scale?: number }

/** Evaluates a formula over the bands of each scene. */
export function sceneValuesOf(scenes: Scene[], expression: string, { offset, scale = 1 }: Calibration): number[] {
  const formula = compileFormula(expression)
  const isOffset = offset ? compileCondition(offset.when) : () => false
  const values = scenes.map((scene) => {
    const dn = isOffset(scene) ? offset!.dn : 0
    return formula((band) => reflectance(scene, band, dn) * scale)
  })
  return values.filter((value) => value !== null).map(requireNumber)
}

/** The median. null without values. */
export function median(values: number[]): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

/** At least 0: the atmospheric correction produces negative reflectances over dark water. */
function reflectance(scene: Scene, band: string, dn: number): number {
  const raw: Value | undefined = scene[band]
  if (raw === undefined)
    throw new UpstreamError('bad_response', `The source returned a scene without the band ${band}.`)
  return Math.max(0, requireNumber(raw) + dn)
}

function isScene(value: unknown): value is Scene {
  return (
    isRecord(value) &&
    typeof value.datetime === 'string' &&
    Object.values(value).every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value))
  )
}
