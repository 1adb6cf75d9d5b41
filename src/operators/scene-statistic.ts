import { compileCondition } from '../geo/sql-condition.ts'
import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'
import { compileFormula } from './expression.ts'
import { requireNumber } from './require-number.ts'
import type { Scene } from './scene.ts'

/** How the raw numbers of the bands become reflectances: the offset of the scenes that fulfil a condition in SQL form, then the scale. */
export type Calibration = { offset?: { dn: number; when: string }; scale?: number }

/** A formula over the bands of each scene. */
export function sceneValuesOf(scenes: Scene[], expression: string, { offset, scale = 1 }: Calibration): number[] {
  const formula = compileFormula(expression)
  const isOffset = offset ? compileCondition(offset.when) : () => false
  const values = scenes.map((scene) => {
    const dn = isOffset(scene) ? offset!.dn : 0
    return formula((band) => reflectance(scene, band, dn) * scale)
  })
  return values.filter((value) => value !== null).map(requireNumber)
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: number[]): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

/** Nothing reflects less than no light: the correction for haze takes dark water below it. */
function reflectance(scene: Scene, band: string, dn: number): number {
  const raw: Value | undefined = scene[band]
  if (raw === undefined) throw new UpstreamError('bad_response', `The source gave a scene without ${band}.`)
  return Math.max(0, requireNumber(raw) + dn)
}
