import styleSheet from 'maplibre-gl/dist/maplibre-gl.css' with { type: 'file' }
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs' with { type: 'file' }
import { Map as Engine, NavigationControl, ScaleControl, setWorkerUrl } from 'maplibre-gl'
import type { Point } from '../../model/place.ts'
import type { Properties } from '../../model/source.ts'
import type { TileJson, TileList } from '../../tiles/tile-json.ts'
import { readBaseData } from './base-data.ts'
import { createFitTo, startView, type FitZoom } from './fit-view.ts'
import { roundPoint, type MapView } from './geometry.ts'
import { applyColors } from './map-colors.ts'
import type { BaseData, MapContent } from './map-content.ts'
import { fillSources, loadMapData } from './map-data.ts'
import { colorShapes } from './shape-colors.ts'
import { mapStyle, dotSize } from './style.ts'
import {
  addBaseTiles,
  colorBaseTiles,
  overlayIdsOf,
  showOverlays,
  valuesInView,
  type MapOverlay,
} from './tile-layers.ts'

/** A drawn map. */
export type MapDrawing = {
  show(shown: MapContent): void
  /** Applies the colors of the page again, after they changed. */
  repaint(): void
  /** Fits the view to points, and again when the size of the map changes, until the user moves the map. */
  fitTo(points: readonly Point[], zoom?: FitZoom): void
  /** Adds the base map of the server, or what it draws from its own data. */
  addBaseTiles(tiles: TileList): void
  /** Shows these datasets above the base map, and hides all others. */
  showOverlays(overlays: readonly MapOverlay[]): void
  /** The different values of an attribute among the drawn features of a dataset. */
  valuesInView(tiles: TileJson, attribute: string): Set<string>
  /** Calls a function whenever everything in view is drawn. Returns a function that ends this. */
  onDrawn(listener: () => void): () => void
  close(): void
}

/** What the map needs from its container, and its event handlers. */
export type MapFrame = {
  element: HTMLElement
  label: string
  start: Point[]
  tiles: string | null
  onPick?: (at: Point) => void
  onDot?: (id: string) => void
  /** Receives the features of overlays at a clicked point. */
  onFeatures?: (features: MapFeature[]) => void
  /** The view to start with, instead of the points. */
  view: MapView | null
  /** Is called after the user has moved the map. */
  onView?: (view: MapView) => void
  onError: () => void
}

/** A feature of an overlay: its dataset and its attributes. */
export type MapFeature = { dataset: string; properties: Properties }

/** How far from a dot a click still selects it. */
const reach_px = 8
const max_zoom = 18

/** Draws a map into an element. Throws when the browser cannot. */
export async function drawMap(frame: MapFrame): Promise<MapDrawing> {
  const reading = readBaseData()
  await loadStyleSheet(styleSheet)
  setWorkerUrl(new URL(worker, window.location.href).href)
  const { data, states } = await reading.catch((error: unknown) => {
    console.error(error)
    frame.onError()
    return noBaseData
  })
  const map = createEngine(frame, data)
  const styleLoaded = new Promise<void>((done) => map.once('style.load', () => done()))
  const stopLoading = loadMapData(map, states, { styleLoaded, onError: frame.onError })
  addInteraction(map, frame)
  await styleLoaded
  applyColors(map)
  let shown: MapContent = { places: [], shapes: [], dots: [] }
  return {
    show(content) {
      if (content.dots !== shown.dots) {
        const { radius, stroke } = dotSize(content.dots.length)
        map.setPaintProperty('dots', 'circle-radius', radius)
        map.setPaintProperty('dots', 'circle-stroke-width', stroke)
      }
      fillSources(map, changedFeatures(content, shown))
      shown = content
    },
    repaint() {
      applyColors(map)
      colorBaseTiles(map)
      // The color of a shape is one of its properties.
      if (shown.shapes.length > 0) fillSources(map, { shapes: featuresOf(shown).shapes! })
    },
    addBaseTiles: (tiles) => addBaseTiles(map, tiles),
    showOverlays: (overlays) => showOverlays(map, overlays),
    valuesInView: (tiles, attribute) => valuesInView(map, tiles, attribute),
    onDrawn(listener) {
      map.on('idle', listener)
      return () => map.off('idle', listener)
    },
    fitTo: createFitTo(map, frame.view === null ? frame.start : null),
    close() {
      stopLoading()
      map.remove()
    },
  }
}

const noBaseData: Awaited<ReturnType<typeof readBaseData>> = { data: {}, states: [] }

function createEngine({ element, label, start, tiles, view }: MapFrame, data: BaseData): Engine {
  const map = new Engine({
    container: element,
    style: mapStyle(tiles, data),
    ...(view ?? startView(start)),
    minZoom: 1.5,
    maxZoom: max_zoom,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxPitch: 0,
    fadeDuration: 0,
    locale: { 'Map.Title': label },
  })
  spaceOutFirstFrames(map)
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right')
  map.addControl(new ScaleControl({ unit: navigator.language === 'en-US' ? 'imperial' : 'metric' }), 'bottom-right')
  return map
}

/**
 * Draws a frame only every 0.6 s until the first picture is complete or the user moves the map. Without a graphics
 * card, a frame takes about 100 ms, and one would be drawn for each piece of data that arrives.
 */
function spaceOutFirstFrames(map: Engine): void {
  const repaint = map.triggerRepaint.bind(map)
  let timer: ReturnType<typeof setTimeout> | undefined
  map.triggerRepaint = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      repaint()
    }, firstFrames_ms)
  }
  const stop = () => {
    clearTimeout(timer)
    map.triggerRepaint = repaint
    repaint()
  }
  map.once('idle', stop)
  map.getCanvas().addEventListener('pointerdown', stop, { once: true })
  map.getCanvas().addEventListener('wheel', stop, { once: true, passive: true })
  map.getCanvas().addEventListener('keydown', stop, { once: true })
}

const firstFrames_ms = 600

/** Reports clicks on dots and on the map. Enter selects the center. */
function addInteraction(map: Engine, { onPick, onDot, onFeatures, onView }: MapFrame): void {
  map.on('moveend', ({ originalEvent }: { originalEvent?: unknown }) => {
    // A move without an event of the user is our own, such as the one to a place that was found.
    if (originalEvent) onView?.({ center: map.getCenter(), zoom: map.getZoom() })
  })
  map.on('click', (event) => {
    onFeatures?.(overlayFeaturesAt(map, event.point))
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
  const distanceTo = ({ geometry }: (typeof near)[number]) => {
    if (geometry.type !== 'Point') return Infinity
    const at = map.project(geometry.coordinates as [number, number])
    return Math.hypot(at.x - x, at.y - y)
  }
  const dot = near.toSorted((a, b) => distanceTo(a) - distanceTo(b))[0]
  return dot && String(dot.properties.id)
}

/** The features of overlays near a point, each once. */
function overlayFeaturesAt(map: Engine, { x, y }: { x: number; y: number }): MapFeature[] {
  const found = map.queryRenderedFeatures(
    [
      [x - overlayReach_px, y - overlayReach_px],
      [x + overlayReach_px, y + overlayReach_px],
    ],
    { layers: overlayIdsOf(map) },
  )
  const features = found.map(({ source, id, properties }) => ({ key: `${source} ${id}`, dataset: source, properties }))
  return [...new Map(features.map(({ key, ...feature }) => [key, feature])).values()].slice(0, shownFeaturesMax)
}

const overlayReach_px = 4
const shownFeaturesMax = 5

/** Loads the style sheet of the map engine. */
function loadStyleSheet(url: string): Promise<void> {
  if (document.querySelector(`link[href="${url}"]`)) return Promise.resolve()
  return new Promise((done, fail) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })
    link.addEventListener('load', () => done())
    link.addEventListener('error', () => fail(new Error(`${url} failed to load.`)))
    document.head.append(link)
  })
}

/**
 * The GeoJSON of what changed. Each source that is filled is drawn once more, which takes long without a graphics card.
 */
function changedFeatures(content: MapContent, before: MapContent): BaseData {
  const isChanged = (name: string) => {
    const [list, last] = [content[name as keyof MapContent], before[name as keyof MapContent]]
    return list !== last && list.length + last.length > 0
  }
  return Object.fromEntries(Object.entries(featuresOf(content)).filter(([name]) => isChanged(name)))
}

function featuresOf({ places, shapes, dots }: MapContent): BaseData {
  const { colorOf } = colorShapes(shapes)
  const style = getComputedStyle(document.documentElement)
  const collection = (features: object[]) => ({ type: 'FeatureCollection', features })
  const pointFeature = ({ lat, lng }: Point, properties: object) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Point', coordinates: [lng, lat] },
  })
  return {
    places: collection(places.map(({ at, kind }) => pointFeature(at, { kind }))),
    shapes: collection(
      shapes.map((shape) => ({
        ...shape,
        properties: { ...shape.properties, color: style.getPropertyValue(colorOf(shape)).trim() },
      })),
    ),
    dots: collection(dots.map(({ id, at, color, label }) => pointFeature(at, { id, color, label }))),
  }
}
