import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import type { TestService } from '../support/test-service.ts'
import { testPlaces, type PlaceName } from '../upstreams/test-places.ts'

/** Fetches fields at one place, fifty per request, sequentially. */
export async function fetchOnlineFields(
  { post }: TestService,
  at: Point,
  names: string[],
): Promise<Record<string, FieldResult>> {
  const results: Record<string, FieldResult> = {}
  for (let first = 0; first < names.length; first += 50) {
    const response = await post('/v1/fetch', { ...at, fields: names.slice(first, first + 50) })
    Object.assign(results, ((await response.json()) as FetchAnswer).fields)
  }
  return results
}

/** Fetches the fields at all eight places, sequentially, because the service would reject so many requests at once. */
export async function fetchFieldsEverywhere(
  service: TestService,
  names: string[],
): Promise<Record<PlaceName, Record<string, FieldResult>>> {
  const found: [PlaceName, Record<string, FieldResult>][] = []
  for (const name of placeNames) found.push([name, await fetchOnlineFields(service, testPlaces[name], names)])
  return Object.fromEntries(found) as Record<PlaceName, Record<string, FieldResult>>
}

export const placeNames = Object.keys(testPlaces) as PlaceName[]

/** The value of a field; null if it is absent, the error if it failed. */
export function onlineValueOf(result: FieldResult | undefined): unknown {
  if (result?.status === 'failed') return result.error
  return result?.value ?? null
}

/** A number as the service answers it: with the decimals of its field. Other values are unchanged. */
export function roundedAs({ app }: TestService, field: string, value: unknown): unknown {
  const decimals = app.catalog.fields.get(field)!.decimals
  return typeof value === 'number' && decimals !== undefined ? Number(value.toFixed(decimals)) + 0 : value
}
