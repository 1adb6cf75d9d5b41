import type { Map as Engine, MapOptions, PaddingOptions } from 'maplibre-gl'
import type { Point } from '../../model/place.ts'

/** How far the view of one point is zoomed in: `near` keeps a view that is closer, `far` also shows its region. */
export type FitZoom = 'near' | 'far'

/** Points that the view shows. The padding is the distance to the edges of the map. */
type Fit = { points: readonly Point[]; zoom: FitZoom; padding_px: PaddingOptions }

const nearby_zoom = 8.5
/** The closest `far` view of several points. */
const farMax_zoom = 12
const flight_ms = 700
/** Places are not below the buttons and the credit at the bottom of the map. */
const padding_px: PaddingOptions = { top: 64, right: 64, bottom: 100, left: 64 }
/** The start has less space around it. */
const startPadding_px: PaddingOptions = { top: 40, right: 48, bottom: 84, left: 48 }

/** Returns the view of a map at its start: centered on one place, or fitted to a box given by two corners. */
export function startView([first, second]: readonly Point[]): Partial<MapOptions> {
  if (first && !second) return { center: first, zoom: nearby_zoom }
  return first && second
    ? {
        bounds: [first.lng, first.lat, second.lng, second.lat],
        fitBoundsOptions: { padding: startPadding_px },
      }
    : {}
}

/**
 * Returns a function that fits the view to points. They are fitted again when the size of the map changes, until the
 * user moves the map. `start` are the points that the map shows at its start, null if it shows another view.
 */
export function createFitTo(map: Engine, start: readonly Point[] | null) {
  let last: Fit | null = start && { points: start, zoom: 'near', padding_px: startPadding_px }
  map.on('movestart', ({ originalEvent }: { originalEvent?: unknown }) => {
    // Only a move of the user has an event.
    if (originalEvent) last = null
  })
  map.on('resize', () => {
    if (last) showFit(map, last, map.isMoving() ? flight_ms : 0)
  })
  return (points: readonly Point[], zoom: FitZoom = 'near') => {
    if (points.length === 0) return
    last = { points, zoom, padding_px }
    showFit(map, last, flight_ms)
  }
}

function showFit(map: Engine, { points, zoom, padding_px: padding }: Fit, duration_ms: number): void {
  const lngs = points.map(({ lng }) => lng)
  const lats = points.map(({ lat }) => lat)
  const nearZoom = Math.max(nearby_zoom, Math.min(map.getZoom(), map.getMaxZoom()))
  map.fitBounds([Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)], {
    maxZoom: zoom === 'near' ? nearZoom : points.length === 1 ? nearby_zoom : farMax_zoom,
    padding,
    duration: prefersReducedMotion() ? 0 : duration_ms,
  })
}

/** Whether the user prefers reduced motion. */
function prefersReducedMotion(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches
}
