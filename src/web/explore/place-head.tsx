import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { pointText, type Point } from '../map/point.ts'
import { Icon } from '../parts/icons.tsx'
import { valueText } from '../parts/value.ts'

type Props = PageProps & { at: Point; kind: 'a' | 'b'; isCompared: boolean; name?: string | null; onClose?: () => void }

const facts = ['county', 'state', 'timezone', 'nearest_place_name', 'nearest_place_state', 'nearest_place_distance_m']

/** Where a place is, before anything is said about it: its county, its time, what is near. */
export function PlaceHead({ dashboard, at, kind, isCompared, name = null, onClose }: Props) {
  const [answer] = useAsked(
    (signal) => dashboard.api.post<FetchAnswer>('/v1/fetch', { ...at, fields: facts }, signal),
    [at.lat, at.lng],
  )
  const fields = answer.state === 'here' ? answer.value.fields : {}
  const said = (field: string) => (fields[field]?.status === 'ok' ? valueText(fields[field]) : null)
  const [county, state, near] = [said('county'), said('state'), said('nearest_place_name')]
  const title =
    county && state
      ? `${county}, ${state}`
      : answer.state === 'waiting'
        ? '\u00a0'
        : answer.state === 'here'
          ? 'Outside the counties'
          : answer.fault.code === 'coord_out_of_bounds'
            ? 'Outside the US'
            : 'A place'
  return (
    <section class="place" aria-label={isCompared ? `Place ${kind.toUpperCase()}` : 'The place'}>
      <div class="place__title">
        {isCompared && (
          <span class={`place__letter place__letter--${kind}`} aria-hidden="true">
            {kind.toUpperCase()}
          </span>
        )}
        <h2 class={answer.state === 'waiting' ? 'place__waiting' : undefined}>{name ?? title}</h2>
        {onClose && (
          <button
            type="button"
            class="icon-button"
            aria-label={isCompared ? `Stop comparing with place ${kind.toUpperCase()}` : 'Close this place'}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <p class="place__facts">
        {name !== null && <span>{title}</span>}
        <span>{pointText(at)}</span>
        {said('timezone') && (
          <span title="The time zone, and what time it is there">
            {said('timezone')}, {clockAt(said('timezone')!)}
          </span>
        )}
        {near && (
          <span>
            {distanceOf(fields.nearest_place_distance_m)} {near}
            {said('nearest_place_state') && `, ${said('nearest_place_state')}`}
          </span>
        )}
      </p>
    </section>
  )
}

/** What time it is in a zone, in the manner of who reads it. */
function clockAt(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone, timeStyle: 'short' }).format(new Date())
  } catch {
    return '' // a zone that this browser does not know
  }
}

function distanceOf(result: FieldResult | undefined): string {
  if (result?.status !== 'ok' || typeof result.value !== 'number') return 'near'
  return `${valueText({ value: result.value < 1000 ? Math.round(result.value) : Math.round(result.value / 100) / 10, unit: result.value < 1000 ? 'm' : 'km' })} from`
}
