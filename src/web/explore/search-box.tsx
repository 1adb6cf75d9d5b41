import { useEffect, useRef, useState } from 'preact/hooks'
import type { GeocodeCandidate, GeocodeAnswer } from '../../place/geocode-outcome.ts'
import type { RequestError } from '../request-error.ts'
import { runRequest } from '../request-state.ts'
import type { PageProps } from '../dashboard.ts'
import type { MapPoint } from '../map/geometry.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Icon } from '../components/icons.tsx'
import type { PlaceNameSearch } from './place-names.ts'
import { searchOptionsOf, type SearchOption } from './search-options.ts'

type Props = PageProps & { label: string; onFound: (at: MapPoint, name: string | null) => void }

/** A search box for addresses, coordinates and place names. */
export function SearchBox({ dashboard, label, onFound }: Props) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const [names, setNames] = useState<{ search: PlaceNameSearch } | null>(null)
  const [candidates, setCandidates] = useState<SearchOption[]>([])
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const id = useRef(`search-${label.replaceAll(' ', '-')}`).current
  const options = candidates.length > 0 ? candidates : searchOptionsOf(text, names?.search ?? null)
  const isShown = isOpen && options.length > 0
  useEffect(() => setActive(0), [text, candidates])

  const load = () => {
    if (names) return
    import('./place-names.ts')
      .then((it) => it.loadPlaceNames())
      .then(
        (search) => setNames({ search }),
        () => {},
      )
  }
  const choose = async (option: SearchOption | undefined) => {
    if (!option || isBusy) return
    setError(null)
    if (option.kind !== 'address') {
      setText('')
      setCandidates([])
      setOpen(false)
      input.current?.blur()
      onFound(option.at, option.kind === 'point' ? null : option.label)
      return
    }
    setBusy(true)
    const state = await runRequest(() => dashboard.api.post<GeocodeAnswer>('/v1/geocode', { address: option.label }))
    setBusy(false)
    if (state.status === 'loaded') {
      const { lat, lng, normalized_address: name } = state.value
      setText('')
      setOpen(false)
      onFound({ lat, lng }, name)
    } else if (state.status === 'failed') {
      const found = candidatesOf(state.error)
      setError(state.error)
      setCandidates(found)
      // An open list would cover the error message.
      setOpen(found.length > 0)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false)
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      setActive((active + (event.key === 'ArrowDown' ? 1 : -1) + options.length) % Math.max(1, options.length))
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      void choose(options[active])
    }
  }
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
        onFocus={() => {
          load()
          setOpen(true)
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setCandidates([])
          setError(null)
          setOpen(true)
        }}
      />
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
            onClick={() => void choose(option)}
            onMouseEnter={() => setActive(i)}
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
            {option.hint && <span class="search__hint">{option.hint}</span>}
          </li>
        ))}
      </ul>
      <p class="unseen" role="status">
        {isBusy ? 'Searching for the address…' : ''}
      </p>
      {isBusy && <span class="search__busy" aria-hidden="true" />}
      {error && <ErrorNotice error={error} retry={() => void choose(options[active])} />}
    </div>
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
