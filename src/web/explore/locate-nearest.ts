import { destination } from '../../geo/circle.ts'
import type { BatchAnswer } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'
import type { ApiClient } from '../api-client.ts'

const maxStep_m = 200
/** The located point is accepted if its own distance to the feature is at most this share of the original distance. */
const maxRemaining = 0.01
const maxRemaining_m = 5

/**
 * Locates the feature whose distance a field reports; returns null when it cannot be located. The gradient of the
 * distance around the point gives the direction, and a query at the computed point confirms it.
 */
export async function locateNearest(
  api: Pick<ApiClient, 'post'>,
  at: Point,
  { field, distance_m }: { field: string; distance_m: number },
  signal: AbortSignal,
): Promise<Point | null> {
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

/** Reads the distance at each location; `undefined` where there is none. */
async function readDistances(
  api: Pick<ApiClient, 'post'>,
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
