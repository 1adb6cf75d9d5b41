import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import type { House } from '../house.ts'
import { places, type PlaceName } from '../upstreams/places.ts'

/** Fields at one place, fifty to a request, one request after the other. */
export async function asked({ post }: House, at: Point, names: string[]): Promise<Record<string, FieldResult>> {
  const results: Record<string, FieldResult> = {}
  for (let first = 0; first < names.length; first += 50) {
    const response = await post('/v1/fetch', { ...at, fields: names.slice(first, first + 50) })
    Object.assign(results, ((await response.json()) as FetchAnswer).fields)
  }
  return results
}

/** The same fields at all eight places, one after the other: so many questions at once would be turned away. */
export async function askedEverywhere(
  house: House,
  names: string[],
): Promise<Record<PlaceName, Record<string, FieldResult>>> {
  const found: [PlaceName, Record<string, FieldResult>][] = []
  for (const name of placeNames) found.push([name, await asked(house, places[name], names)])
  return Object.fromEntries(found) as Record<PlaceName, Record<string, FieldResult>>
}

export const placeNames = Object.keys(places) as PlaceName[]

/** The value of a field that was answered, `null` where it is absent; what failed says how. */
export function valueOf(result: FieldResult | undefined): unknown {
  if (result?.status === 'failed') return result.error
  return result?.value ?? null
}
