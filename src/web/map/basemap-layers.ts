import type { AddLayerObject, ExpressionSpecification, Map as Engine, SymbolLayerSpecification } from 'maplibre-gl'
import type { TileJson } from '../../tiles/tile-json.ts'
import { mapFonts } from './style.ts'

type ColorProperty = 'fill-color' | 'line-color' | 'text-color' | 'text-halo-color'

/** A layer of the base map, the layer of the map that it is drawn below, and the CSS variables of its colors. */
type BasemapLayer = { layer: AddLayerObject; below: string; colors: [ColorProperty, variable: string][] }

const source = 'basemap'
/** Areas and water are below the borders, roads and buildings below the shapes, labels below the towns. */
const below = { borders: 'county-lines', shapes: 'shape-areas', towns: 'town-dots' }
const greenKinds = [
  'park',
  'forest',
  'wood',
  'nature_reserve',
  'national_park',
  'protected_area',
  'grass',
  'grassland',
  'golf_course',
  'cemetery',
  'recreation_ground',
  'village_green',
]

/** The layers of the schema of Protomaps, from bottom to top. Our map already has borders, states and towns. */
const basemapLayers: BasemapLayer[] = [
  fill('earth', { below: below.borders, color: '--land' }),
  fill('landuse', { below: below.borders, color: '--green', kinds: greenKinds, minzoom: 6 }),
  fill('water', { below: below.borders, color: '--water' }),
  line('water', {
    below: below.borders,
    color: '--river',
    kinds: ['river', 'canal', 'stream'],
    width: [9, 0.5, 16, 3],
  }),
  fill('buildings', { below: below.shapes, color: '--building', minzoom: 14 }),
  line('roads', { below: below.shapes, color: '--road', kinds: ['path'], width: [14, 0.6, 18, 2], isDashed: true }),
  line('roads', { below: below.shapes, color: '--road', kinds: ['rail'], width: [11, 0.6, 18, 1.5], isDashed: true }),
  line('roads', { below: below.shapes, color: '--road', kinds: ['minor_road', 'other'], width: [12, 0.5, 18, 9] }),
  line('roads', {
    below: below.shapes,
    color: '--road',
    kinds: ['major_road', 'medium_road'],
    width: [8, 0.5, 18, 13],
  }),
  line('roads', { below: below.shapes, color: '--highway', kinds: ['highway'], width: [5, 0.5, 18, 16] }),
  label('water', { minzoom: 11, color: '--river-label' }),
  label('roads', { minzoom: 13, color: '--soft', isAlongLine: true }),
  label('places', { minzoom: 12, color: '--soft', kinds: ['neighbourhood', 'macrohood'] }),
]

/** Adds the base map of the server to the map. */
export function addBasemap(map: Engine, { id, minzoom, maxzoom, bounds }: TileJson): void {
  if (map.getSource(source)) return
  const tiles = [`${window.location.origin}/tiles/${id}/{z}/{x}/{y}.mvt`]
  const box = bounds as [number, number, number, number]
  map.addSource(source, { type: 'vector', tiles, minzoom, maxzoom, bounds: box })
  for (const { layer, below } of basemapLayers) map.addLayer(layer, below)
  colorBasemap(map)
}

/** Applies the colors of the page to the base map. */
export function colorBasemap(map: Engine): void {
  const style = getComputedStyle(document.documentElement)
  for (const { layer, colors } of basemapLayers)
    if (map.getLayer(layer.id))
      for (const [property, name] of colors)
        map.setPaintProperty(layer.id, property, style.getPropertyValue(name).trim())
}

type AreaStyle = { below: string; color: string; kinds?: string[]; minzoom?: number }

function fill(name: string, { below, color, kinds, minzoom = 0 }: AreaStyle): BasemapLayer {
  return {
    layer: {
      id: `basemap ${name}`,
      type: 'fill',
      source,
      'source-layer': name,
      minzoom,
      filter: filterOf('Polygon', kinds),
    },
    below,
    colors: [['fill-color', color]],
  }
}

/** `width`: from one zoom and width to another. The line begins at the first zoom. */
type LineStyle = Omit<AreaStyle, 'minzoom'> & { width: [number, number, number, number]; isDashed?: boolean }

function line(name: string, { below, color, kinds, width, isDashed = false }: LineStyle): BasemapLayer {
  const [fromZoom, fromWidth, toZoom, toWidth] = width
  return {
    layer: {
      id: `basemap ${name} ${kinds?.[0]}`,
      type: 'line',
      source,
      'source-layer': name,
      minzoom: fromZoom,
      filter: filterOf('LineString', kinds),
      layout: { 'line-cap': isDashed ? 'butt' : 'round', 'line-join': 'round' },
      paint: {
        'line-width': ['interpolate', ['exponential', 1.4], ['zoom'], fromZoom, fromWidth, toZoom, toWidth],
        ...(isDashed && { 'line-dasharray': [3, 2] }),
      },
    },
    below,
    colors: [['line-color', color]],
  }
}

type LabelStyle = { minzoom: number; color: string; kinds?: string[]; isAlongLine?: boolean }

function label(name: string, { minzoom, color, kinds, isAlongLine = false }: LabelStyle): BasemapLayer {
  const layer: SymbolLayerSpecification = {
    id: `basemap ${name} names`,
    type: 'symbol',
    source,
    'source-layer': name,
    minzoom,
    ...(kinds && { filter: kindFilterOf(kinds) }),
    layout: {
      'text-font': mapFonts,
      'text-field': ['get', 'name'],
      'text-size': 11.5,
      'text-padding': 4,
      ...(isAlongLine && { 'symbol-placement': 'line' as const }),
    },
    paint: { 'text-halo-width': 1.4 },
  }
  return {
    layer,
    below: below.towns,
    colors: [
      ['text-color', color],
      ['text-halo-color', '--label-halo'],
    ],
  }
}

function filterOf(type: 'Polygon' | 'LineString', kinds: string[] | undefined): ExpressionSpecification {
  const isType: ExpressionSpecification = ['==', ['geometry-type'], type]
  return kinds ? ['all', isType, kindFilterOf(kinds)] : isType
}

function kindFilterOf(kinds: string[]): ExpressionSpecification {
  return ['in', ['get', 'kind'], ['literal', kinds]]
}
