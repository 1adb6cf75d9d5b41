import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Point } from '../../model/place.ts'
import type { GeocodeCandidate, GeocodeAnswer } from '../../place/geocode-outcome.ts'
import { ErrorNotice } from '../components/notices.tsx'
import { Icon } from '../components/icons.tsx'
import type { Dashboard, PageProps } from '../dashboard.ts'
import { type RequestError, runRequest, type RequestState } from '../request.ts'
import { searchOptionsOf, type SearchOption, type PlaceSearches } from './search-options.ts'
import { zipIn, type PlaceSearch } from '../../place/place-search.ts'
import type { ApiClient } from '../api-client.ts'

type Props = PageProps & { label: string; onFound: (at: Point, name: string | null) => void }

/** A search box for addresses, coordinates, ZIP codes and the names of places. */
export function SearchBox({ dashboard, label, onFound }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const id = useRef(`search-${label.replaceAll(' ', '-')}`).current
  const search = useSearch(dashboard, input, onFound)
  const { text, active, isShown, isNothingFound, isBusy, error } = search
  return (
    <div class="search" role="search">
      <label class="unseen" for={id}>
        {label}
      </label>
      <Icon name="search" />
      <input
        id={id}
        ref={input}
        class="input search__input"
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="search"
        maxLength={256}
        placeholder="Address, coordinate or place"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown ? `${id}-${active}` : undefined}
        value={text}
        onFocus={search.open}
        onBlur={search.close}
        onKeyDown={search.onKeyDown}
        onInput={(event) => search.type(event.currentTarget.value)}
      />
      <SuggestionList id={id} search={search} />
      <div class={isNothingFound ? 'search__none' : 'unseen'} role="status">
        {isNothingFound && (
          <p>
            Nothing found for <b>{text.trim()}</b>. The search finds street addresses with a number, coordinates, ZIP
            codes, states, counties, towns, airports and tide stations.
          </p>
        )}
        {isBusy && <p class="unseen">Searching for the address…</p>}
      </div>
      {isBusy && <span class="search__busy" aria-hidden="true" />}
      {error && <ErrorNotice error={error} retry={search.retry} />}
      {search.warnings.length > 0 && (
        <div class="notice" role="status">
          {search.warnings.map((warning) => (
            <p key={warning}>
              <Icon name="warning" /> {warning.replace(/^\w+: /, '')}
            </p>
          ))}
        </div>
      )}
    </div>
  )
}

type Search = ReturnType<typeof useSearch>

/** The state of a search box: its text, its suggestions, and the geocoding of a chosen address. */
function useSearch({ api }: Dashboard, input: RefObject<HTMLInputElement | null>, onFound: Props['onFound']) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const places = usePlaceSearches(api)
  const [candidates, setCandidates] = useState<SearchOption[]>([])
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  const [warnings, setWarnings] = useState<string[]>([])
  const options = candidates.length > 0 ? candidates : searchOptionsOf(text, places.searches)
  useEffect(() => setActive(0), [text, candidates])
  const open = () => {
    places.load(text)
    setOpen(true)
  }
  const type = (next: string) => {
    places.load(next)
    setText(next)
    setCandidates([])
    setError(null)
    setWarnings([])
    setOpen(true)
  }
  const finish = (at: Point, name: string | null) => {
    setText('')
    setCandidates([])
    setOpen(false)
    onFound(at, name)
  }
  const geocode = async (address: string) => {
    setBusy(true)
    const state = await runRequest(() => api.post<GeocodeAnswer>('/v1/geocode', { address }))
    setBusy(false)
    if (state.status === 'loaded') {
      const { lat, lng, normalized_address } = state.value
      setWarnings(state.value.warnings)
      finish({ lat, lng }, normalized_address)
    } else if (state.status === 'failed') {
      const found = candidatesOf(state.error)
      setError(state.error)
      setCandidates(found)
      setOpen(found.length > 0) // An open list would cover the error message.
    }
  }
  const choose = async (option: SearchOption | undefined) => {
    if (!option || isBusy) return
    setError(null)
    if (option.kind === 'address') return geocode(option.label)
    input.current?.blur()
    finish(option.at, option.kind === 'point' ? null : option.label)
  }
  const move = (step: number) => {
    setOpen(true)
    setActive((active + step + options.length) % Math.max(1, options.length))
  }
  const waitToChoose = useEnteredText(text, places.isLoading, () => void choose(options[0]))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false)
    if (!['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return
    event.preventDefault()
    if (event.key !== 'Enter') move(event.key === 'ArrowDown' ? 1 : -1)
    else if (options.length > 0) void choose(options[active])
    else waitToChoose()
  }
  const isNothingFound = isOpen && options.length === 0 && !places.isLoading && !places.error && !isTooShort(text)
  const close = () => setOpen(false)
  const retry = () => (error ? void choose(options[active]) : input.current?.focus())
  const list = { options, active, isNothingFound, warnings, error: error ?? places.error }
  return { ...list, text, isBusy, isShown: isOpen && options.length > 0, open, close, type, choose, retry, onKeyDown }
}

/** Whether a text is too short to find something: an address or a ZIP code may begin with a few digits. */
function isTooShort(text: string): boolean {
  return /^\d{0,4}$|^.?$/.test(text.trim())
}

/** Returns a function for Enter before the names are loaded: it chooses when they are, unless the text has changed. */
function useEnteredText(text: string, isLoading: boolean, choose: () => void): () => void {
  const [entered, setEntered] = useState<string | null>(null)
  useEffect(() => {
    if (entered === null || isLoading) return
    setEntered(null)
    if (entered === text) choose()
  }, [entered, text, isLoading])
  return () => setEntered(text)
}

function SuggestionList({ id, search }: { id: string; search: Search }) {
  const { options, active, isShown, error } = search
  return (
    <ul
      id={`${id}-list`}
      class={error ? 'search__list search__list--above' : 'search__list'}
      role="listbox"
      aria-label="Suggestions"
      hidden={!isShown}
    >
      {options.map((option, i) => (
        // Keeps the focus in the box. Otherwise the list would close before the click.
        <li
          key={`${i} ${option.label}`}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => void search.choose(option)}
        >
          <Icon name={option.kind === 'address' ? 'search' : 'pin'} />
          <span class="search__words">
            {option.kind === 'address' ? (
              <>
                Find address <b>{option.label}</b>
              </>
            ) : (
              option.label
            )}
          </span>
          {option.hint && <span class="soft small">{option.hint}</span>}
        </li>
      ))}
    </ul>
  )
}

/** Returns the candidates of an ambiguous address. */
function candidatesOf({ context }: RequestError): SearchOption[] {
  const { candidates } = context
  return Array.isArray(candidates)
    ? (candidates as GeocodeCandidate[]).map(({ lat, lng, resolved_address }) => ({
        kind: 'place',
        label: resolved_address,
        hint: '',
        at: { lat, lng },
      }))
    : []
}

type SearchStates = { [Name in keyof PlaceSearches]: RequestState<PlaceSearch> | null }
type LoadedSearches = { searches: PlaceSearches; isLoading: boolean; error: RequestError | null }

/** The searches by name, and a function that loads those that a text needs. A failed load is repeated. */
function usePlaceSearches(api: Pick<ApiClient, 'get'>): LoadedSearches & { load: (text: string) => void } {
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
