import type { BatchAnswer } from '../../fetch/fetch-answer.ts'
import type { ApiClient } from '../api-client.ts'
import { destination, type MapPoint } from '../map/geometry.ts'

const maxStep_m = 200
/** So near to nothing, as a part of the distance, must the distance at the place that was found be. */
const maxRemaining = 0.01
const maxRemaining_m = 5

/**
 * Where the thing is that a field tells the distance of, or null when that cannot be told. How the distance changes with a step to
 * each side tells the direction; a question at the end of the way tells whether it is there.
 */
export async function locateNearest(
  api: Pick<ApiClient, 'post'>,
  at: MapPoint,
  { field, distance_m }: { field: string; distance_m: number },
  signal: AbortSignal,
): Promise<MapPoint | null> {
  const step_m = Math.min(distance_m / 20, maxStep_m)
  const [north, east, south, west] = await readDistances(
    api,
    field,
    [0, 90, 180, 270].map((bearing) => destination(at, bearing, step_m)),
    signal,
  )
  if (north === undefined || east === undefined || south === undefined || west === undefined) return null
  const candidate = destination(at, (Math.atan2(west - east, south - north) * 180) / Math.PI, distance_m)
  const [remaining_m] = await readDistances(api, field, [candidate], signal)
  return remaining_m !== undefined && remaining_m <= Math.max(maxRemaining_m, distance_m * maxRemaining)
    ? candidate
    : null
}

/** The distance at each place; `undefined` where there is none. */
async function readDistances(
  api: Pick<ApiClient, 'post'>,
  field: string,
  locations: MapPoint[],
  signal: AbortSignal,
): Promise<(number | undefined)[]> {
  const { results } = await api.post<BatchAnswer>('/v1/fetch/batch', { locations, fields: [field] }, signal)
  return results.map((entry) => {
    const value = entry.ok ? entry.fields[field]?.value : null
    return typeof value === 'number' ? value : undefined
  })
}
