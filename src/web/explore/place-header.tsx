import type { ComponentChildren } from 'preact'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import type { Point } from '../../model/place.ts'
import { Button } from '../components/buttons.tsx'
import type { PageProps } from '../dashboard.ts'
import { pointText } from '../map/geometry.ts'
import { useRequest } from '../use-request.ts'
import { displayValueOf, valueText } from '../value-text.ts'

type Props = PageProps & {
  at: Point
  kind: 'a' | 'b'
  isCompared: boolean
  name?: string | null
  onClose?: () => void
}

const headerFields = [
  'county',
  'state',
  'timezone',
  'nearest_place_name',
  'nearest_place_state',
  'nearest_place_distance_m',
]

/** The heading of a place: county, local time and the nearest town. */
export function PlaceHeader({ dashboard, at, kind, isCompared, name = null, onClose }: Props) {
  const [response] = useRequest(
    (signal) => dashboard.api.post<FetchAnswer>('/v1/fetch', { ...at, fields: headerFields }, signal),
    [at.lat, at.lng],
  )
  const fields = response.status === 'loaded' ? response.value.fields : {}
  const textOf = (field: string) => (fields[field]?.status === 'ok' ? valueText(fields[field]) : null)
  const [county, state, nearestPlace] = [textOf('county'), textOf('state'), textOf('nearest_place_name')]
  const title =
    county && state
      ? `${county}, ${state}`
      : response.status === 'loading'
        ? '\u00a0'
        : response.status === 'loaded'
          ? 'Outside all counties'
          : response.error.code === 'coord_out_of_bounds'
            ? 'Outside the US'
            : 'Selected place'
  const letter = isCompared ? kind : null
  return (
    <PlaceFrame
      label={letter === null ? 'Selected place' : `Place ${letter.toUpperCase()}`}
      letter={letter}
      title={name ?? title}
      isLoading={response.status === 'loading'}
      closeLabel={letter === null ? 'Close this place' : `Stop comparing with place ${letter.toUpperCase()}`}
      onClose={onClose}
    >
      {name !== null && <span>{title}</span>}
      <span>{pointText(at)}</span>
      {textOf('timezone') && (
        <span title="Time zone and local time">
          {textOf('timezone')}, {currentTimeIn(textOf('timezone')!)}
        </span>
      )}
      {nearestPlace && (
        <span>
          {distanceText(fields.nearest_place_distance_m, dashboard.units.system.value)} {nearestPlace}
          {textOf('nearest_place_state') && `, ${textOf('nearest_place_state')}`}
        </span>
      )}
    </PlaceFrame>
  )
}

type FrameProps = {
  label: string
  letter?: 'a' | 'b' | null
  title: string
  isLoading?: boolean
  closeLabel: string
  onClose?: (() => void) | undefined
  children: ComponentChildren
}

/** The heading of a place or an area: its title, a button that closes it, and a line of facts. */
export function PlaceFrame({ label, letter = null, title, isLoading, closeLabel, onClose, children }: FrameProps) {
  return (
    <section class="place" aria-label={label}>
      <div class="place__title">
        {letter !== null && (
          <span class={`place__letter place__letter--${letter}`} aria-hidden="true">
            {letter.toUpperCase()}
          </span>
        )}
        <h2 class={isLoading ? 'place__waiting' : undefined}>{title}</h2>
        {onClose && <Button look="icon" icon="close" aria-label={closeLabel} onClick={onClose} />}
      </div>
      <p class="place__facts">{children}</p>
    </section>
  )
}

/** Formats the current time of a time zone; empty for a time zone that the browser does not know. */
function currentTimeIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone, timeStyle: 'short' }).format(new Date())
  } catch {
    return '' // The browser does not know this time zone.
  }
}

function distanceText(result: FieldResult | undefined, units: UnitSystem): string {
  if (result?.status !== 'ok' || typeof result.value !== 'number') return 'near'
  return `${displayValueOf('nearest_place_distance_m', result, { units }).first} from`
}
