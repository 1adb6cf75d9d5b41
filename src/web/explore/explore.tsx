import { useEffect, useMemo, useState } from 'preact/hooks'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import { insideUs } from '../../geo/us.ts'
import type { Point } from '../../model/place.ts'
import { Choice } from '../components/buttons.tsx'
import type { PageProps } from '../dashboard.ts'
import { fieldTitle } from '../catalog-store.ts'
import { BaseMap } from '../map/base-map.tsx'
import type { MapPlace } from '../map/map-content.ts'
import { useRequest } from '../use-request.ts'
import { ExploreActions } from './actions.tsx'
import { useFieldShapes, useShownField, type ShownField } from './field-shapes.ts'
import { fetchBodyOf, showComparison, showPlace, parseExploreQuery, type ExploreQuery } from './explore-query.ts'
import { usePins } from './pins.tsx'
import { PlaceFrame, PlaceHeader } from './place-header.tsx'
import { FieldResults } from './results.tsx'
import { SearchBox } from './search-box.tsx'
import { FieldSelection } from './selection.tsx'
import { ShapeLegend, pointsOfShapes } from './shape-legend.tsx'
import { Welcome } from './welcome.tsx'
import { CodeBlock } from '../components/text.tsx'
import { isSignInDisabled } from '../session.ts'
import { apiCallOf, curlCommand, typescriptSnippet } from './api-calls.ts'

/** The explore page: a map, a search box and the fields of the chosen place, or of two places side by side. */
export function ExplorePage({ dashboard }: PageProps) {
  const { router, catalogStore } = dashboard
  const { query } = router.location.value
  const exploreQuery = useMemo(() => parseExploreQuery(query), [query])
  const { at, vs } = exploreQuery
  const [isComparing, setComparing] = useState(vs !== null)
  const [shown, show] = useShownField([at, vs])
  const [attempt, setAttempt] = useState(0)
  useEffect(() => catalogStore.load(), [])
  const isComparingPlaces = isComparing && at !== null
  const selectPlace = (point: Point, name: string | null) =>
    isComparingPlaces ? showComparison(router, point) : showPlace(router, point, name)
  const places = usePlaces(at, vs)
  const pins = usePins(dashboard)
  return (
    <div class={isComparingPlaces ? 'explore explore--two' : 'explore'}>
      <h1 class="unseen">Explore</h1>
      <div class="explore__panel">
        <div class="explore__search no-print">
          <SearchBox
            dashboard={dashboard}
            label={isComparingPlaces ? 'Search for a place to compare' : 'Search for a place'}
            onFound={selectPlace}
          />
        </div>
        {at === null && <Welcome dashboard={dashboard} pins={pins} />}
        {at !== null && (
          <>
            <ExplorePlaces
              key={attempt}
              dashboard={dashboard}
              exploreQuery={exploreQuery}
              isComparing={isComparingPlaces}
              onStop={() => setComparing(false)}
            />
            {insideUs(at) && (
              <>
                <ExploreActions
                  dashboard={dashboard}
                  exploreQuery={exploreQuery}
                  pins={pins}
                  {...(!isComparingPlaces && { onCompare: () => setComparing(true) })}
                />
                <FieldSelection dashboard={dashboard} exploreQuery={exploreQuery} pins={pins} />
              </>
            )}
            <ExploreAnswers
              dashboard={dashboard}
              exploreQuery={exploreQuery}
              places={places.map((it) => it.at)}
              onShow={show}
              onReload={() => setAttempt(attempt + 1)}
            />
          </>
        )}
      </div>
      <ExploreMap dashboard={dashboard} places={places} shown={shown} onPick={(point) => selectPlace(point, null)} />
    </div>
  )
}

function usePlaces(at: Point | null, vs: Point | null): MapPlace[] {
  return useMemo(
    () => [...(at ? [{ at, kind: 'a' as const }] : []), ...(at && vs ? [{ at: vs, kind: 'b' as const }] : [])],
    [at?.lat, at?.lng, vs?.lat, vs?.lng],
  )
}

type MapProps = PageProps & { places: MapPlace[]; shown: ShownField; onPick: (at: Point) => void }

/** The map of the chosen places, with the shapes that a field of the first place was read from. */
function ExploreMap({ dashboard, places, shown, onPick }: MapProps) {
  const [fitTo, setFitTo] = useState<Point[] | null>(null)
  const drawn = useFieldShapes(dashboard.api, places[0] ? { path: '/v1/fetch', body: places[0].at } : null, shown)
  const legend = drawn && (
    <ShapeLegend
      title={fieldTitle(drawn.field, dashboard.catalogStore)}
      field={dashboard.catalogStore.field(drawn.field)}
      drawn={drawn}
      units={dashboard.units.system.value}
      {...(drawn.field === shown.opened && { onZoom: () => setFitTo(pointsOfShapes(drawn.shapes)) })}
    />
  )
  return (
    <BaseMap
      dashboard={dashboard}
      label="Map of the US. Arrow keys pan, plus and minus zoom, Enter selects the center."
      places={places}
      {...(drawn && { shapes: drawn.shapes })}
      fitTo={fitTo}
      legend={legend}
      onPick={onPick}
    />
  )
}

type PlacesProps = PageProps & { exploreQuery: ExploreQuery; isComparing: boolean; onStop: () => void }

/** The headings of the chosen place and of the one compared with it. */
function ExplorePlaces({ dashboard, exploreQuery, isComparing, onStop }: PlacesProps) {
  const { router } = dashboard
  const { at, vs, name } = exploreQuery
  const stopComparing = () => {
    onStop()
    showComparison(router, null)
  }
  const close = () => {
    onStop()
    router.pushQuery({ at: null, vs: null, name: null })
  }
  return (
    <div class="explore__places">
      {at && (
        <PlaceHeader dashboard={dashboard} at={at} kind="a" isCompared={isComparing} name={name} onClose={close} />
      )}
      {isComparing && vs && <PlaceHeader dashboard={dashboard} at={vs} kind="b" isCompared onClose={stopComparing} />}
      {isComparing && !vs && <SecondPlacePrompt onClose={stopComparing} />}
    </div>
  )
}

/**
 * Fetches each place separately, so that a slow one does not delay the other. `onReload` runs when the user retries.
 */
function ExploreAnswers({
  dashboard,
  exploreQuery,
  places,
  onShow,
  onReload,
}: PageProps & {
  exploreQuery: ExploreQuery
  places: Point[]
  onShow: (change: Partial<ShownField>) => void
  onReload: () => void
}) {
  const [a, b] = places
  const selection = [exploreQuery.preset, exploreQuery.fields.join(',')]
  const fetchAt = (at: Point | undefined) => (signal: AbortSignal) =>
    at ? dashboard.api.post<FetchAnswer>('/v1/fetch', fetchBodyOf(at, exploreQuery), signal) : Promise.resolve(null)
  const [first, reloadFirst] = useRequest(fetchAt(a), [a, ...selection])
  const [second, reloadSecond] = useRequest(fetchAt(b), [b, ...selection])
  const answers = [first, ...(b ? [second] : [])].map((it) =>
    it.status === 'loaded'
      ? it.value
        ? { status: 'loaded' as const, value: it.value }
        : { status: 'loading' as const }
      : it,
  )
  const loaded = answers.flatMap((it) => (it.status === 'loaded' ? [it.value] : []))
  const reload = () => {
    reloadFirst()
    reloadSecond()
    onReload()
  }
  return (
    <>
      <FieldResults
        dashboard={dashboard}
        exploreQuery={exploreQuery}
        answers={answers}
        reload={reload}
        onShow={onShow}
      />
      {loaded.length === places.length && (
        <CodeSamples dashboard={dashboard} places={places} query={exploreQuery} answers={loaded} />
      )}
    </>
  )
}

function SecondPlacePrompt({ onClose }: { onClose: () => void }) {
  return (
    <PlaceFrame label="Place B" letter="b" title="Second place" closeLabel="Stop comparing" onClose={onClose}>
      Click the map or search for a place.
    </PlaceFrame>
  )
}

const formats = ['curl', 'TypeScript', 'JSON'] as const

/** Shows the current request as code, and its response as JSON. */
function CodeSamples({
  dashboard,
  places,
  query,
  answers,
}: PageProps & { places: Point[]; query: ExploreQuery; answers: FetchAnswer[] }) {
  const [format, setFormat] = useState<(typeof formats)[number]>('curl')
  const call = apiCallOf(places, query)
  const user = dashboard.session.user.value
  const needsNoToken = isSignInDisabled(dashboard.session)
  const texts = {
    curl: () => curlCommand(call, window.location.origin, needsNoToken),
    TypeScript: () => typescriptSnippet(call, window.location.origin, needsNoToken),
    JSON: () => JSON.stringify(answers.length === 1 ? answers[0] : answers, null, 2),
  }
  return (
    <section class="program stack stack--3 no-print">
      <h3>Use the API</h3>
      <Choice label="Format" options={formats.map((it) => [it, it] as const)} selected={format} onSelect={setFormat} />
      <CodeBlock label={format === 'JSON' ? 'Response' : `Request in ${format}`} text={texts[format]()} />
      {!needsNoToken && format !== 'JSON' && (
        <p class="soft small">
          {user.status === 'failed'
            ? 'Your account could not be read, so it is unknown whether this request needs a token.'
            : 'This request needs an API token. Create one on the Account page.'}
        </p>
      )}
    </section>
  )
}
