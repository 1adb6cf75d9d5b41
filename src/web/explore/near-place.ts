import type { BatchAnswer } from '../../fetch/fetch-answer.ts'
import type { Api } from '../api.ts'
import { destination, type Point } from '../map/point.ts'

const longestStep_m = 200
/** So near to nothing, as a part of the distance, must the distance at the place that was found be. */
const mostLeft = 0.01
const mostLeft_m = 5

/**
 * Where the thing is that a field tells the distance of, or null when that cannot be told. How the distance changes with a step to
 * each side tells the direction; a question at the end of the way tells whether it is there.
 */
export async function nearPlace(
  api: Pick<Api, 'post'>,
  at: Point,
  { field, distance_m }: { field: string; distance_m: number },
  signal: AbortSignal,
): Promise<Point | null> {
  const step_m = Math.min(distance_m / 20, longestStep_m)
  const [north, east, south, west] = await distances(
    api,
    field,
    [0, 90, 180, 270].map((bearing) => destination(at, bearing, step_m)),
    signal,
  )
  if (north === undefined || east === undefined || south === undefined || west === undefined) return null
  const to = destination(at, (Math.atan2(west - east, south - north) * 180) / Math.PI, distance_m)
  const [left_m] = await distances(api, field, [to], signal)
  return left_m !== undefined && left_m <= Math.max(mostLeft_m, distance_m * mostLeft) ? to : null
}

/** The distance at each place; `undefined` where there is none. */
async function distances(
  api: Pick<Api, 'post'>,
  field: string,
  locations: Point[],
  signal: AbortSignal,
): Promise<(number | undefined)[]> {
  const { results } = await api.post<BatchAnswer>('/v1/fetch/batch', { locations, fields: [field] }, signal)
  return results.map((entry) => {
    const value = entry.ok ? entry.fields[field]?.value : null
    return typeof value === 'number' ? value : undefined
  })
}
