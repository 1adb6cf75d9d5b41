import { useEffect, useMemo, useState } from 'preact/hooks'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { BaseMap } from '../map/base-map.tsx'
import type { Point } from '../map/point.ts'
import type { ShownPlace } from '../map/shown.ts'
import { Copy } from '../parts/copy.tsx'
import { Icon } from '../parts/icons.tsx'
import { AsProgram } from './as-program.tsx'
import { useNearLine, type Near } from './near.ts'
import { PlaceHead } from './place-head.tsx'
import { Results } from './results.tsx'
import { SearchBox } from './search-box.tsx'
import { Selection } from './selection.tsx'
import { bodyOf, compareWith, lookAt, wantedOf } from './wanted.ts'
import { Welcome } from './welcome.tsx'

/** A map, a search box, and what is true of the place that was chosen; of two, side by side. */
export function Explore({ dashboard }: PageProps) {
  const { address, library } = dashboard
  const { query } = address.at.value
  const wanted = useMemo(() => wantedOf(query), [query])
  const { at, vs } = wanted
  const [isComparing, setComparing] = useState(vs !== null)
  const [near, setNear] = useState<Near | null>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => library.open(), [])
  useEffect(() => setNear(null), [at, vs])
  const isSecond = isComparing && at !== null
  const found = (point: Point, name: string | null) =>
    isSecond ? compareWith(address, point) : lookAt(address, point, name)
  const stop = () => {
    setComparing(false)
    compareWith(address, null)
  }
  const places = useMemo(
    (): ShownPlace[] => [
      ...(at ? [{ at, kind: 'a' as const }] : []),
      ...(at && vs ? [{ at: vs, kind: 'b' as const }] : []),
    ],
    [at?.lat, at?.lng, vs?.lat, vs?.lng],
  )
  const lines = useNearLine(dashboard.api, at, near)
  return (
    <div class={isSecond ? 'explore explore--two' : 'explore'}>
      <h1 class="unseen">Explore</h1>
      <div class="explore__panel">
        <div class="explore__search no-print">
          <SearchBox
            dashboard={dashboard}
            label={isSecond ? 'The place to compare with' : 'Search for a place'}
            onFound={found}
          />
        </div>
        {at === null && <Welcome dashboard={dashboard} />}
        {at !== null && (
          <>
            <div class="explore__places">
              <PlaceHead
                key={`a${turn}`}
                dashboard={dashboard}
                at={at}
                kind="a"
                isCompared={isSecond}
                name={wanted.name}
                onClose={() => {
                  setComparing(false)
                  address.step({ at: null, vs: null, name: null })
                }}
              />
              {isSecond &&
                (vs ? (
                  <PlaceHead key={`b${turn}`} dashboard={dashboard} at={vs} kind="b" isCompared onClose={stop} />
                ) : (
                  <WaitingForSecond onClose={stop} />
                ))}
            </div>
            <div class="explore__actions no-print">
              {!isSecond && (
                <button type="button" class="button button--small" onClick={() => setComparing(true)}>
                  <Icon name="compare" />
                  Compare with another
                </button>
              )}
              <Copy text={() => window.location.href}>Copy link</Copy>
            </div>
            <Selection dashboard={dashboard} wanted={wanted} />
            <Answers
              dashboard={dashboard}
              wanted={wanted}
              places={places.map((it) => it.at)}
              onNear={setNear}
              onAgain={() => setTurn(turn + 1)}
            />
          </>
        )}
      </div>
      <BaseMap
        dashboard={dashboard}
        label="Map of the US. The arrow keys move it, plus and minus zoom, Enter picks the middle."
        places={places}
        lines={lines}
        onPick={(point) => found(point, null)}
      />
    </div>
  )
}

/** Each place is asked by itself: what is known of the one does not wait for the other. `onAgain`: what could not be had is asked once more. */
function Answers({
  dashboard,
  wanted,
  places,
  onNear,
  onAgain,
}: PageProps & {
  wanted: ReturnType<typeof wantedOf>
  places: Point[]
  onNear: (near: Near | null) => void
  onAgain: () => void
}) {
  const [a, b] = places
  const selection = [wanted.preset, wanted.fields.join(',')]
  const ask = (at: Point | undefined) => (signal: AbortSignal) =>
    at ? dashboard.api.post<FetchAnswer>('/v1/fetch', bodyOf(at, wanted), signal) : Promise.resolve(null)
  const [first, againFirst] = useAsked(ask(a), [a, ...selection])
  const [second, againSecond] = useAsked(ask(b), [b, ...selection])
  const answers = [first, ...(b ? [second] : [])].map((it) =>
    it.state === 'here' ? (it.value ? { state: 'here' as const, value: it.value } : { state: 'waiting' as const }) : it,
  )
  const here = answers.flatMap((it) => (it.state === 'here' ? [it.value] : []))
  const again = () => {
    againFirst()
    againSecond()
    onAgain()
  }
  return (
    <>
      <Results dashboard={dashboard} wanted={wanted} answers={answers} again={again} onNear={onNear} />
      {here.length === places.length && (
        <AsProgram dashboard={dashboard} places={places} wanted={wanted} answers={here} />
      )}
    </>
  )
}

function WaitingForSecond({ onClose }: { onClose: () => void }) {
  return (
    <section class="place" aria-label="Place B">
      <div class="place__title">
        <span class="place__letter place__letter--b" aria-hidden="true">
          B
        </span>
        <h2>And the other?</h2>
        <button type="button" class="icon-button" aria-label="Stop comparing" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p class="place__facts">Click it on the map, or search for it.</p>
    </section>
  )
}
