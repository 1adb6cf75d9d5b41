import { useEffect, useRef, useState } from 'preact/hooks'
import type { Dashboard } from '../dashboard.ts'
import type { Drawing } from './draw-map.ts'
import type { Point } from './point.ts'
import { regions, type Region } from './regions.ts'
import type { Shown } from './shown.ts'

type Props = Partial<Shown> & {
  dashboard: Dashboard
  /** What the map is of, for who cannot see it. */
  label: string
  onPick?: (at: Point) => void
  onDot?: (id: string) => void
}

/** The map of the US. It fills its box; the engine that draws it is loaded when the box is there. */
export function BaseMap({ dashboard, label, places = [], lines = [], dots = [], onPick, onDot }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const told = useRef({ onPick, onDot })
  told.current = { onPick, onDot }
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    let isGone = false
    let opened: Drawing | null = null
    const lost = () => setLost(true)
    const open = async () => {
      try {
        const { drawMap } = await import('./draw-map.ts')
        if (isGone) return
        const drawn = await drawMap({
          element: box.current!,
          label,
          tiles: tilesOf(),
          start: startOf(places),
          onFault: lost,
          ...(onPick && { onPick: (at: Point) => told.current.onPick?.(at) }),
          ...(onDot && { onDot: (id: string) => told.current.onDot?.(id) }),
        })
        if (isGone) return drawn.close()
        opened = drawn
        setDrawing(drawn)
      } catch (error) {
        console.error(error)
        lost()
      }
    }
    void open()
    return () => {
      isGone = true
      opened?.close()
    }
  }, [])
  const isDark = dashboard.look.isDark.value
  useEffect(() => drawing?.repaint(), [drawing, isDark])
  useEffect(() => drawing?.show({ places, lines, dots }), [drawing, places, lines, dots])
  const seen = placesKey(places)
  const seenFirst = useRef(seen)
  useEffect(() => {
    if (seen !== seenFirst.current) drawing?.see(places.map(({ at }) => at))
    seenFirst.current = seen
  }, [drawing, seen])
  const spread = dots.length === 0 ? '' : `${dots.length} ${dots[0]!.id}`
  useEffect(
    () =>
      drawing?.see(
        dots.map(({ at }) => at),
        'afar',
      ),
    [drawing, spread],
  )
  return (
    <div class="map">
      <div class="map__box" ref={box} />
      {drawing === null && !isLost && (
        <p class="map__note" role="status">
          Drawing the map …
        </p>
      )}
      {isLost && (
        <p class="map__note" role="status">
          {drawing === null
            ? 'This browser cannot draw the map (it takes WebGL 2). Everything else works: search for a place instead.'
            : 'A part of the map could not be loaded. Reload the page to try again.'}
        </p>
      )}
      {drawing && (
        <div class="map__regions" role="group" aria-label="Go to">
          {regions.map((region) => (
            <button
              key={region.name}
              type="button"
              title={region.title}
              onClick={() => drawing.see(cornersOf(region), 'afar')}
            >
              {region.name}
            </button>
          ))}
        </div>
      )}
      <p class="map__credit">Borders: US Census Bureau. Towns: GeoNames, CC BY 4.0.</p>
    </div>
  )
}

function tilesOf(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="fieldstone-tiles"]')?.content ?? null
}

/** The one place that is looked at, or the two, or the lower 48 states. */
function startOf(places: Shown['places']): Point[] {
  const [a, b] = places.map(({ at }) => at)
  if (a && b)
    return [
      { lat: Math.min(a.lat, b.lat), lng: Math.min(a.lng, b.lng) },
      { lat: Math.max(a.lat, b.lat), lng: Math.max(a.lng, b.lng) },
    ]
  return a ? [a] : cornersOf(regions[0]!)
}

function placesKey(places: Shown['places']): string {
  return places.map(({ at }) => `${at.lat},${at.lng}`).join(' ')
}

function cornersOf({ box: [west, south, east, north] }: Region): Point[] {
  return [
    { lat: south, lng: west },
    { lat: north, lng: east },
  ]
}
