import type { Field } from '../../catalog/records.ts'
import { pointAlong } from '../../geo/representative-point.ts'
import type { Point } from '../../model/place.ts'
import { roundTo } from '../../model/round.ts'
import type { LineArea } from '../shape/area-geometry.ts'
import { classesOutcome, shareOutcome, sizeOf, type AreaOutcome, type ValuedPart } from '../area-values.ts'
import { WeightedValues } from '../weighted-values.ts'

/** A raster is read at no more points of a line, this far apart at least. */
const samplesMax = 500
const spacingMin_m = 10

/** A sample stands for the stretch around it, up to the middle between it and its neighbors. */
type Sample = ValuedPart & { at_m: number }

/** Returns the value at a place, with the reason if there is none. */
export type SampleAt = (at: Point) => Promise<Pick<ValuedPart, 'value' | 'reason'>>

/** Summarizes a raster along lines, from samples at equal distances. */
export async function lineOutcome(field: Field, area: LineArea, sampleAt: SampleAt): Promise<AreaOutcome> {
  const samples: Sample[] = []
  for (const { at, at_m, from_m, to_m } of placesOn(area)) {
    const stretch = { from_m, to_m, x: at.lng, y: at.lat }
    samples.push({ at_m, size: to_m - from_m, stretch, ...(await sampleAt(at)) })
  }
  const notes = `From ${samples.length} samples at equal distances along the line.`
  if (field.type === 'boolean') return { ...shareOutcome(area, samples, 0), notes }
  if (field.type === 'string') return { ...classesOutcome(area, samples, 0), notes }
  return { ...statisticsOutcome(area, samples), notes }
}

function statisticsOutcome(area: LineArea, samples: Sample[]): AreaOutcome {
  const outcome = classesOutcome(area, samples, 0)
  if (outcome.value === null) return outcome
  const numbers = new WeightedValues(1)
  for (const { value } of samples) if (typeof value === 'number') numbers.add(value, 1)
  const covered = samples.reduce((sum, { value, size }) => sum + (value === null ? 0 : size), 0)
  const profile = samples.map(({ at_m, value }): [number, number | null] => [
    roundTo(at_m, 1),
    typeof value === 'number' ? value : null,
  ])
  return {
    ...outcome,
    covered_share: sizeOf(area, covered).share,
    value: { ...numbers.statistics(), profile },
  }
}

/** The sampled places, with the stretch that each stands for. Distances count over all lines. */
function* placesOn({ lines, lengths_m }: LineArea) {
  const length_m = lengths_m.reduce((sum, it) => sum + it, 0)
  const count = Math.min(samplesMax, Math.max(2, Math.floor(length_m / spacingMin_m) + 1))
  const step_m = length_m / (count - 1)
  for (let i = 0; i < count; i++) {
    const at_m = i * step_m
    yield {
      at: placeAt(lines, lengths_m, at_m),
      at_m,
      from_m: Math.max(0, at_m - step_m / 2),
      to_m: Math.min(length_m, at_m + step_m / 2),
    }
  }
}

function placeAt(lines: LineArea['lines'], lengths_m: readonly number[], at_m: number): Point {
  let rest_m = at_m
  for (const [i, line] of lines.entries()) {
    if (rest_m <= lengths_m[i]! || i === lines.length - 1) return pointAlong(line, rest_m)
    rest_m -= lengths_m[i]!
  }
  throw new Error('An area has at least one line.')
}
