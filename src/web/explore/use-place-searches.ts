import { useRef, useState } from 'preact/hooks'
import { zipIn, type PlaceSearch } from '../../place/place-search.ts'
import type { ApiClient } from '../api-client.ts'
import type { RequestError } from '../request-error.ts'
import { runRequest, type RequestState } from '../request-state.ts'
import type { PlaceSearches } from './search-options.ts'

type SearchStates = { [Name in keyof PlaceSearches]: RequestState<PlaceSearch> | null }
type LoadedSearches = { searches: PlaceSearches; isLoading: boolean; error: RequestError | null }

/** The searches by name, and a function that loads those that a text needs. A failed load is repeated. */
export function usePlaceSearches(api: Pick<ApiClient, 'get'>): LoadedSearches & { load: (text: string) => void } {
  const [states, setStates] = useState<SearchStates>({ names: null, zips: null })
  const started = useRef(new Set<keyof PlaceSearches>())
  const start = async (name: keyof PlaceSearches) => {
    if (started.current.has(name)) return
    started.current.add(name)
    setStates((before) => ({ ...before, [name]: { status: 'loading' } }))
    const { loadPlaceNames, loadZips } = await import('./place-names.ts')
    const state = await runRequest(() => (name === 'names' ? loadPlaceNames : loadZips)(api))
    if (state.status === 'failed') started.current.delete(name)
    setStates((before) => ({ ...before, [name]: state }))
  }
  return {
    searches: { names: searchOf(states.names), zips: searchOf(states.zips) },
    isLoading: Object.values(states).some((state) => state?.status === 'loading'),
    error: Object.values(states).find((state) => state?.status === 'failed')?.error ?? null,
    load(text) {
      void start('names')
      if (zipIn(text) !== null) void start('zips')
    },
  }
}

function searchOf(state: RequestState<PlaceSearch> | null): PlaceSearch | null {
  return state?.status === 'loaded' ? state.value : null
}
