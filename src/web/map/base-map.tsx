import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TileList } from '../../tiles/tile-json.ts'
import type { Point } from '../../model/place.ts'
import type { Dashboard } from '../dashboard.ts'
import type { MapDrawing, MapFeature } from './draw-map.ts'
import { LayerSwitcher } from './layer-switcher.tsx'
import type { MapContent } from './map-content.ts'
import { mapViewText, parseMapView } from './geometry.ts'

type Props = Partial<MapContent> & {
  dashboard: Dashboard
  /** Describes the map for screen readers. */
  label: string
  onPick?: (at: Point) => void
  onDot?: (id: string) => void
  /** The view fits these points whenever another list is given. */
  fitTo?: readonly Point[] | null
  /** A legend in a corner of the map. */
  legend?: ComponentChildren
}

/** The map of the US. It fills its container. The map engine is loaded on mount. */
export function BaseMap(props: Props) {
  const { dashboard, fitTo = null, legend, places = noPlaces, shapes = noShapes, dots = noDots } = props
  const box = useRef<HTMLDivElement>(null)
  const [clicked, setClicked] = useState<MapFeature[]>([])
  const [drawing, hasFailed] = useDrawing(box, { ...props, places, onFeatures: setClicked })
  const tiles = useTiles(dashboard)
  const isDark = dashboard.theme.isDark.value
  useEffect(() => drawing?.addBaseTiles(tiles), [drawing, tiles])
  useEffect(() => drawing?.repaint(), [drawing, isDark])
  useEffect(() => drawing?.show({ places, shapes, dots }), [drawing, places, shapes, dots])
  useEffect(() => {
    if (fitTo) drawing?.fitTo(fitTo, 'far')
  }, [drawing, fitTo])
  const placesKeyNow = places.map(({ at }) => `${at.lat},${at.lng}`).join(' ')
  const lastPlacesKey = useRef(placesKeyNow)
  useEffect(() => {
    if (placesKeyNow !== lastPlacesKey.current) drawing?.fitTo(places.map(({ at }) => at))
    lastPlacesKey.current = placesKeyNow
  }, [drawing, placesKeyNow])
  const dotsKey = dots.length === 0 ? '' : `${dots.length} ${dots[0]!.id}`
  useEffect(
    () =>
      drawing?.fitTo(
        dots.map(({ at }) => at),
        'far',
      ),
    [drawing, dotsKey],
  )
  return (
    <div class="map">
      <div class="map__box" ref={box} />
      {drawing === null && !hasFailed && (
        <p class="map__note" role="status">
          Loading the map…
        </p>
      )}
      {drawing && <DrawingProgress drawing={drawing} />}
      {hasFailed && (
        <p class="map__note" role="status">
          {drawing === null
            ? 'This browser cannot draw the map because it does not support WebGL 2. Everything else works: search for a place instead.'
            : 'Part of the map could not be loaded. Reload the page to try again.'}
        </p>
      )}
      {drawing && legend}
      {drawing && <LayerSwitcher dashboard={dashboard} drawing={drawing} tiles={tiles.items} clicked={clicked} />}
      <MapFoot drawing={drawing} tiles={tiles} />
    </div>
  )
}

/** The regions to jump to, how to get a base map if there is none, and the credits. */
function MapFoot({ drawing, tiles }: { drawing: MapDrawing | null; tiles: ReturnType<typeof useTiles> }) {
  return (
    <div class="map__foot">
      {drawing && (
        <div class="map__regions" role="group" aria-label="Go to">
          {mapRegions.map((region) => (
            <button
              key={region.name}
              type="button"
              title={region.title}
              onClick={() => drawing.fitTo(cornersOf(region), 'far')}
            >
              {region.name}
            </button>
          ))}
        </div>
      )}
      {drawing && tiles.isLoaded && !tiles.basemap && !tiles.basemap_error && (
        <p class="map__hint">
          Coarse shores, no roads. <a href="/guide/packs-and-offline#base-map">Get a base map</a>
        </p>
      )}
      <p class="map__credit">
        Borders: US Census Bureau, Natural Earth. Coast, lakes and rivers: © OpenStreetMap contributors, ODbL. Towns:
        GeoNames, CC BY 4.0. {tiles.basemap?.attribution ?? tiles.basemap_error}
      </p>
    </div>
  )
}

/** Says that the map is still drawn in pieces, until everything has arrived for the first time. */
function DrawingProgress({ drawing }: { drawing: MapDrawing }) {
  const [isComplete, setComplete] = useState(false)
  useEffect(() => drawing.onDrawn(() => setComplete(true)), [drawing])
  return isComplete ? null : (
    <p class="map__progress" role="status">
      Loading the map…
    </p>
  )
}

/** The tiles of the server; none while they are loading, and for a visitor who may not read them. */
function useTiles({ api }: Dashboard): TileList & { isLoaded: boolean } {
  const [tiles, setTiles] = useState(noTiles)
  useEffect(() => {
    const controller = new AbortController()
    const load = async () => {
      // Without tiles, the map shows the built-in borders.
      const list = await api.get<TileList>('/tiles', controller.signal).catch(() => null)
      if (!controller.signal.aborted && list) setTiles({ ...list, isLoaded: true })
    }
    void load()
    return () => controller.abort()
  }, [])
  return tiles
}

const noTiles: TileList & { isLoaded: boolean } = { items: [], basemap: null, basemap_error: null, isLoaded: false }
const noPlaces: MapContent['places'] = []
const noShapes: MapContent['shapes'] = []
const noDots: MapContent['dots'] = []

type DrawingOptions = Pick<Props, 'label' | 'onPick' | 'onDot' | 'dashboard'> &
  Pick<MapContent, 'places'> & { onFeatures: (features: MapFeature[]) => void }

/** Draws the map into an element while the component is mounted. Also returns whether anything failed to load. */
function useDrawing(box: RefObject<HTMLDivElement | null>, options: DrawingOptions): [MapDrawing | null, boolean] {
  const { label, places, onPick, onDot, onFeatures, dashboard } = options
  const { router } = dashboard
  const handlers = useRef({ onPick, onDot })
  handlers.current = { onPick, onDot }
  const [drawing, setDrawing] = useState<MapDrawing | null>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    let isClosed = false
    let openedDrawing: MapDrawing | null = null
    const fail = () => setFailed(true)
    const open = async () => {
      try {
        const { drawMap } = await import('./draw-map.ts')
        if (isClosed) return
        const drawn = await drawMap({
          element: box.current!,
          label,
          tiles: tilesUrl(),
          start: startPoints(places),
          onError: fail,
          onFeatures,
          view: parseMapView(router.location.value.query.get('map')),
          onView: (view) => router.replaceQuery({ map: mapViewText(view) }),
          ...(onPick && { onPick: (at: Point) => handlers.current.onPick?.(at) }),
          ...(onDot && { onDot: (id: string) => handlers.current.onDot?.(id) }),
        })
        if (isClosed) return drawn.close()
        openedDrawing = drawn
        setDrawing(drawn)
      } catch (error) {
        console.error(error)
        fail()
      }
    }
    void open()
    return () => {
      isClosed = true
      openedDrawing?.close()
    }
  }, [])
  return [drawing, hasFailed]
}

function tilesUrl(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="fieldstone-tiles"]')?.content ?? null
}

/** Returns the shown place, the box around two places, or the lower 48 states. */
function startPoints(places: MapContent['places']): Point[] {
  const [a, b] = places.map(({ at }) => at)
  if (a && b)
    return [
      { lat: Math.min(a.lat, b.lat), lng: Math.min(a.lng, b.lng) },
      { lat: Math.max(a.lat, b.lat), lng: Math.max(a.lng, b.lng) },
    ]
  return a ? [a] : cornersOf(mapRegions[0]!)
}

function cornersOf({ box: [west, south, east, north] }: MapRegion): Point[] {
  return [
    { lat: south, lng: west },
    { lat: north, lng: east },
  ]
}

/** A region that the map can jump to; the box is west, south, east, north. */
type MapRegion = { name: string; title: string; box: readonly [number, number, number, number] }

/** The regions that do not fit on one map. */
const mapRegions: readonly MapRegion[] = [
  { name: '48', title: 'The lower 48 states', box: [-124.8, 24.5, -66.9, 49.4] },
  { name: 'AK', title: 'Alaska', box: [-170, 53, -130, 71.4] },
  { name: 'HI', title: 'Hawaii', box: [-160.4, 18.8, -154.7, 22.3] },
  { name: 'PR', title: 'Puerto Rico and the US Virgin Islands', box: [-67.4, 17.6, -64.5, 18.6] },
  { name: 'GU', title: 'Guam and the Northern Mariana Islands', box: [144.5, 13.2, 146.1, 15.4] },
  { name: 'AS', title: 'American Samoa', box: [-171, -14.6, -169.3, -14.1] },
]
