import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { fieldMax_ms } from '../../src/fetch/field-deadlines.ts'
import { randomComb } from '../../test/areas/comb.ts'
import { positionsOf } from '../../test/areas/random-polygons.ts'
import type { HttpService } from '../../test/support/http-service.ts'
import type { AreaTestLayer } from './area-layers.ts'
import { atMost, type Finding } from './finding.ts'

const [west, south, size] = [-105, 39.05, 0.4]
const stepOfAngles_degrees = 7.5
const areaMax = 1e-9

/**
 * Answers combs of each number of vertices at angles from 0 to 90 degrees, over all layers. A comb has the area of its
 * teeth, and its fields are answered or `too_large`.
 */
export async function answerCombs(
  service: HttpService,
  layers: readonly AreaTestLayer[],
  { combVertices, random }: { combVertices: readonly number[]; random: () => number },
): Promise<Finding[]> {
  const fields = [...layers.map(({ field }) => field), 'county']
  let [combs, wrong, large, slowest_ms] = [0, 0, 0, 0]
  for (let angle_degrees = 0; angle_degrees <= 90; angle_degrees += stepOfAngles_degrees) {
    for (const vertices of combVertices) {
      const { ring, area_m2 } = randomComb(random, { vertices, angle_degrees, west, south, size })
      const geometry = { type: 'Polygon', coordinates: [positionsOf(ring)] }
      const started_ms = performance.now()
      const answer = (await (await service.post('/v1/areas', { geometry, fields })).json()) as AreaAnswer
      slowest_ms = Math.max(slowest_ms, performance.now() - started_ms)
      const errors = answer.partial_failures.map(({ error }) => error)
      combs++
      if (errors.length > 0) large++
      const isRight =
        Math.abs(answer.area_m2! / area_m2 - 1) <= areaMax && errors.every((error) => error.startsWith('too_large: '))
      if (isRight) continue
      wrong++
      console.error(`${vertices} vertices at ${angle_degrees} degrees: ${answer.area_m2} m², ${errors.join(', ')}`)
    }
  }
  console.error(`${large} of ${combs} combs have a field that is too_large`)
  return [
    atMost('areas', `wrong answers to ${combs} combs`, wrong, 0),
    atMost('areas', 'slowest answer to a comb', slowest_ms, { bound: fieldMax_ms.any, unit: 'ms' }),
  ]
}
