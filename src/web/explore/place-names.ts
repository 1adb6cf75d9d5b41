import places from 'made:base-places.json' with { type: 'file' }
import zips from 'made:base-zips.json' with { type: 'file' }
import { createPlaceSearch, type PlaceKind, type PlaceRecord, type PlaceSearch } from '../../place/place-search.ts'
import type { ApiClient } from '../api-client.ts'

type Api = Pick<ApiClient, 'get'>

/** Loads the names of towns, counties, airports and tide stations. Called once, when the user begins to search. */
export async function loadPlaceNames(api: Api): Promise<PlaceSearch> {
  return createPlaceSearch(await api.get<Partial<Record<PlaceKind, PlaceRecord[]>>>(places))
}

/** Loads the ZIP codes. Called once, when the user types a ZIP code. */
export async function loadZips(api: Api): Promise<PlaceSearch> {
  return createPlaceSearch({ zip: await api.get<PlaceRecord[]>(zips) })
}
