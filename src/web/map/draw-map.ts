import style from 'maplibre-gl/dist/maplibre-gl.css' with { type: 'file' }
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs' with { type: 'file' }
import {
  GeoJSONSource,
  Map as Engine,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
  type MapOptions,
} from 'maplibre-gl'
import { readBaseData, readCountyLines, type BaseData } from './base-data.ts'
import { createBoundaryLoader } from './boundaries.ts'
import { circleAround, roundPoint, type MapPoint } from './geometry.ts'
import { applyColors } from './map-colors.ts'
import type { MapContent, MapLine } from './map-content.ts'
import { mapStyle, dotSize } from './style.ts'

/** A drawn map. */
export type MapDrawing = {
  show(shown: MapContent): void
  /** Applies the colors of the page again, after they changed. */
  repaint(): void
  /** Fits the view to points. With `near`, it zooms in on them. */
  fitTo(points: readonly MapPoint[], zoom?: 'near' | 'afar'): void
  close(): void
}

/** What the map needs from its container, and its event handlers. */
export type MapFrame = {
  element: HTMLElement
  label: string
  start: MapPoint[]
  tiles: string | null
  onPick?: (at: MapPoint) => void
  onDot?: (id: string) => void
  onError: () => void
}

const countiesFrom_zoom = 4.3
const nearby_zoom = 8.5
/** How far from a dot a click still selects it. */
const reach_px = 8
/** Zoomed in further, the simplified coastline would look wrong. */
const zoomMax = 13

/** Draws a map into an element. Throws when the browser cannot. */
export async function drawMap({ element, label, start, tiles, onPick, onDot, onError }: MapFrame): Promise<MapDrawing> {
  await styled(style)
  setWorkerUrl(new URL(worker, window.location.href).href)
  const map = new Engine({
    container: element,
    style: mapStyle(tiles),
    ...whereOf(start),
    minZoom: 1.5,
    maxZoom: zoomMax,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxPitch: 0,
    fadeDuration: wantsStill() ? 0 : 300,
    locale: { 'Map.Title': label },
  })
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right')
  map.addControl(new ScaleControl({ unit: navigator.language === 'en-US' ? 'imperial' : 'metric' }), 'bottom-right')
  const fill = (data: BaseData) => {
    for (const [name, it] of Object.entries(data)) void sourceOf(map, name)?.setData(it)
  }
  const styledMap = new Promise<void>((done) => map.once('style.load', () => done()))
  let isGone = false
  const told = (error: unknown) => {
    if (isGone) return
    console.error(error)
    onError()
  }
  const lay = async (reading: Promise<BaseData>) => {
    try {
      const data = await reading
      await styledMap
      if (!isGone) fill(data)
    } catch (error) {
      told(error)
    }
  }
  const base = readBaseData()
  const near = base.then(({ states }) => createBoundaryLoader(states))
  near.catch(told)
  void lay(base.then(({ data }) => data))
  let isNear = false
  const look = async () => {
    if (!isNear && map.getZoom() >= countiesFrom_zoom) {
      isNear = true
      void lay(readCountyLines())
    }
    const found = await (await near)(viewOf(map))
    if (!found || isGone) return
    await styledMap
    fill(found)
  }
  map.on('moveend', () => void look().catch(told))
  void look().catch(told)
  map.on('click', (event) => {
    const dot = onDot && dotAt(map, event.point)
    if (dot !== undefined) onDot?.(dot)
    else onPick?.(roundPoint(event.lngLat))
  })
  map.getCanvas().addEventListener('keydown', (event) => {
    if (event.key === 'Enter') onPick?.(roundPoint(map.getCenter()))
  })
  map.on('mouseenter', 'dots', () => {
    map.getCanvas().style.cursor = 'pointer'
  })
  map.on('mouseleave', 'dots', () => {
    map.getCanvas().style.cursor = ''
  })
  await styledMap
  applyColors(map)
  return {
    show(shown) {
      const { radius, stroke } = dotSize(shown.dots.length)
      map.setPaintProperty('dots', 'circle-radius', radius)
      map.setPaintProperty('dots', 'circle-stroke-width', stroke)
      fill(featuresOf(shown))
    },
    repaint: () => applyColors(map),
    fitTo(points, from = 'near') {
      if (points.length === 0) return
      const lngs = points.map(({ lng }) => lng)
      const lats = points.map(({ lat }) => lat)
      const motion = {
        maxZoom:
          from === 'near' ? Math.max(nearby_zoom, Math.min(map.getZoom(), 13)) : points.length === 1 ? nearby_zoom : 12,
        padding: 64,
        duration: wantsStill() ? 0 : 700,
      }
      map.fitBounds([Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)], motion)
    },
    close() {
      isGone = true
      map.remove()
    },
  }
}

/** Whether the user prefers reduced motion. */
function wantsStill(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Returns the id of the dot nearest to a point, within touch distance. */
function dotAt(map: Engine, { x, y }: { x: number; y: number }): string | undefined {
  const near = map.queryRenderedFeatures(
    [
      [x - reach_px, y - reach_px],
      [x + reach_px, y + reach_px],
    ],
    { layers: ['dots'] },
  )
  const away = ({ geometry }: (typeof near)[number]) => {
    if (geometry.type !== 'Point') return Infinity
    const at = map.project(geometry.coordinates as [number, number])
    return Math.hypot(at.x - x, at.y - y)
  }
  const dot = near.toSorted((a, b) => away(a) - away(b))[0]
  return dot && String(dot.properties.id)
}

/** Centers on one place, or fits a box given by two corners. */
function whereOf([first, second]: MapPoint[]): Partial<MapOptions> {
  if (first && !second) return { center: first, zoom: nearby_zoom }
  return first && second
    ? { bounds: [first.lng, first.lat, second.lng, second.lat], fitBoundsOptions: { padding: 24 } }
    : {}
}

function viewOf(map: Engine) {
  const bounds = map.getBounds()
  return {
    zoom: map.getZoom(),
    box: [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()] as const,
  }
}

function sourceOf(map: Engine, name: string): GeoJSONSource | undefined {
  const source = map.getSource(name)
  return source instanceof GeoJSONSource ? source : undefined
}

/** Loads the style sheet of the map engine. */
function styled(address: string): Promise<void> {
  if (document.querySelector(`link[href="${address}"]`)) return Promise.resolve()
  return new Promise((done, fail) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address })
    link.addEventListener('load', () => done())
    link.addEventListener('error', () => fail(new Error(`${address} failed to load.`)))
    document.head.append(link)
  })
}

function featuresOf({ places, lines, dots }: MapContent): BaseData {
  const collection = (features: object[]) => ({ type: 'FeatureCollection', features })
  const pointed = ({ lat, lng }: MapPoint, properties: object) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Point', coordinates: [lng, lat] },
  })
  return {
    places: collection(places.map(({ at, kind }) => pointed(at, { kind }))),
    lines: collection(
      lines.map((line) => ({
        type: 'Feature',
        properties: {},
        geometry: { type: 'LineString', coordinates: drawn(line) },
      })),
    ),
    dots: collection(dots.map(({ id, at, color, label }) => pointed(at, { id, color, label }))),
  }
}

function drawn(line: MapLine): [number, number][] {
  const points = 'to' in line ? [line.from, line.to] : circleAround(line.from, line.radius_m)
  return points.map(({ lng, lat }) => [lng, lat])
}
