import type { BaseData } from './map-content.ts'
import type {
  ExpressionFilterSpecification,
  LayerSpecification,
  GeoJSONSourceSpecification,
  StyleSpecification,
  ExpressionSpecification,
} from 'maplibre-gl'

/**
 * From this zoom on, borders come from the detailed county boundaries of each state. They extend into the sea, so the
 * coastline stays the simplified one.
 */
const detail_zoom = 6.3
/** From this zoom on, the coast comes from vector tiles of the server, at full detail. */
export const tile_zoom = 9
const emptyCollection = { type: 'FeatureCollection' as const, features: [] }
/** Without a glyph server, the engine renders text with these local fonts. */
export const mapFonts = ['system-ui', 'Segoe UI', 'Roboto', 'Helvetica Neue', 'DejaVu Sans', 'sans-serif']

/** The further the map is zoomed out, the larger a town must be to be labeled. */
const townFilter: ExpressionFilterSpecification = [
  '>=',
  ['get', 'population'],
  ['step', ['zoom'], 1_000_000, 3.4, 550_000, 4.2, 300_000, 5, 120_000, 6, 50_000, 7, 20_000, 8, 6_000, 9.5, 0],
]

/** The outlines of the neighbors are coarser than our borders. A line about 4 km wide covers the gaps between them. */
const neighborEdges: LayerSpecification = {
  id: 'neighbor-edges',
  type: 'line',
  source: 'neighbors',
  layout: { 'line-join': 'round' },
  paint: { 'line-width': ['interpolate', ['exponential', 2], ['zoom'], 5, 1, 18, 8192] },
}

const borderLayers: LayerSpecification[] = [
  {
    id: 'county-lines',
    type: 'line',
    source: 'county-lines',
    minzoom: 4.5,
    maxzoom: detail_zoom,
    paint: {
      'line-width': ['interpolate', ['linear'], ['zoom'], 4.5, 0.3, 8, 1],
      'line-opacity': ['interpolate', ['linear'], ['zoom'], 4.5, 0, 5.5, 1],
    },
  },
  {
    id: 'state-lines',
    type: 'line',
    source: 'state-lines',
    maxzoom: detail_zoom,
    paint: { 'line-width': ['interpolate', ['linear'], ['zoom'], 3, 0.7, 8, 1.8] },
  },
  { id: 'coast', type: 'line', source: 'coast', maxzoom: tile_zoom, paint: { 'line-width': 0.8 } },
  { id: 'near-lines', type: 'line', source: 'near-lines', minzoom: detail_zoom, paint: { 'line-width': 1 } },
  {
    id: 'near-outline',
    type: 'line',
    source: 'near-outline',
    minzoom: detail_zoom,
    paint: { 'line-width': 1.3 },
  },
]

/** The shapes that a field was read from. `color` is set when they are drawn. */
const shapeLayers: LayerSpecification[] = [
  {
    id: 'shape-areas',
    type: 'fill',
    source: 'shapes',
    filter: ['all', ['==', ['geometry-type'], 'Polygon'], ['!=', ['get', 'role'], 'radius']],
    paint: {
      'fill-color': ['get', 'color'],
      'fill-opacity': ['match', ['get', 'role'], 'cell', 0.6, 'part', 0.5, 0.16],
    },
  },
  {
    id: 'shape-outlines',
    type: 'line',
    source: 'shapes',
    filter: ['!', ['in', ['get', 'role'], ['literal', ['line', 'radius']]]],
    layout: { 'line-join': 'round' },
    paint: { 'line-color': ['get', 'color'], 'line-width': ['match', ['get', 'role'], 'cell', 0.5, 'part', 3, 2] },
  },
  {
    id: 'shape-lines',
    type: 'line',
    source: 'shapes',
    filter: ['in', ['get', 'role'], ['literal', ['line', 'radius']]],
    layout: { 'line-cap': 'round' },
    paint: { 'line-color': ['get', 'color'], 'line-width': 2, 'line-dasharray': [2, 2] },
  },
  {
    id: 'shape-points',
    type: 'circle',
    source: 'shapes',
    filter: ['==', ['geometry-type'], 'Point'],
    paint: { 'circle-color': ['get', 'color'], 'circle-radius': 5, 'circle-stroke-width': 1.5 },
  },
]

const labelLayers: LayerSpecification[] = [
  {
    id: 'state-names',
    type: 'symbol',
    source: 'state-names',
    minzoom: 3,
    maxzoom: 7,
    layout: {
      'text-font': mapFonts,
      'text-field': ['step', ['zoom'], ['get', 'short'], 4.7, ['get', 'name']],
      'text-size': ['interpolate', ['linear'], ['zoom'], 3, 10, 6, 14],
      'text-transform': 'uppercase',
      'text-letter-spacing': 0.12,
      'text-max-width': 7,
    },
    paint: { 'text-halo-width': 1.4, 'text-opacity': ['interpolate', ['linear'], ['zoom'], 5.5, 0.9, 7, 0.5] },
  },
  {
    id: 'town-dots',
    type: 'circle',
    source: 'towns',
    filter: townFilter,
    paint: {
      'circle-radius': ['interpolate', ['linear'], ['get', 'population'], 20_000, 1.8, 2_000_000, 3.2],
      'circle-stroke-width': 1,
    },
  },
  {
    id: 'town-names',
    type: 'symbol',
    source: 'towns',
    filter: townFilter,
    layout: {
      'text-font': mapFonts,
      'text-field': ['get', 'name'],
      'text-size': [
        'interpolate',
        ['linear'],
        ['zoom'],
        3,
        ['case', ['>', ['get', 'population'], 1_000_000], 12, 11],
        9,
        ['case', ['>', ['get', 'population'], 100_000], 15, 12.5],
      ],
      'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
      'text-radial-offset': 0.5,
      'text-justify': 'auto',
      'symbol-sort-key': ['-', 0, ['get', 'population']],
      'text-padding': 3,
    },
    paint: { 'text-halo-width': 1.4 },
  },
]

const placeLayers: LayerSpecification[] = [
  { id: 'dots', type: 'circle', source: 'dots', paint: { 'circle-color': ['get', 'color'] } },
  // Shows the value beside its dot where there is room, so that color is not the only cue.
  {
    id: 'dot-names',
    type: 'symbol',
    source: 'dots',
    minzoom: 4,
    layout: {
      'text-font': mapFonts,
      'text-field': ['get', 'label'],
      'text-size': 11.5,
      'text-variable-anchor': ['left', 'right'],
      'text-radial-offset': 0.8,
      'text-justify': 'auto',
      'text-padding': 3,
    },
    paint: { 'text-halo-width': 1.4 },
  },
  { id: 'places', type: 'circle', source: 'places', paint: { 'circle-radius': 9, 'circle-stroke-width': 2 } },
  {
    id: 'place-names',
    type: 'symbol',
    source: 'places',
    layout: {
      'text-font': mapFonts,
      'text-field': ['upcase', ['get', 'kind']],
      'text-size': 11,
      'text-padding': 9,
      'text-allow-overlap': true,
    },
  },
]

/**
 * Returns the map style with its layers from bottom to top. Colors are applied later, for light or dark. `data` is what
 * the map shows from the start: each source that is filled later is drawn once more.
 */
export function mapStyle(tiles: string | null, data: BaseData): StyleSpecification {
  const sourcesOf = (names: string[]) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        { type: 'geojson' as const, data: (data[name] ?? emptyCollection) as GeoJSONSourceSpecification['data'] },
      ]),
    )
  const background =
    tiles === null
      ? null
      : {
          source: { type: 'raster' as const, tiles: [tiles], tileSize: 256 },
          layer: { id: 'tiles', type: 'raster' as const, source: 'tiles' },
        }
  return {
    version: 8,
    sources: {
      ...sourcesOf([
        'neighbors',
        'neighbor-lakes',
        'land',
        'inland-water',
        'near-water',
        'near-outline',
        'near-lines',
        'state-lines',
        'coast',
        'county-lines',
        'state-names',
        'towns',
        'shapes',
        'dots',
        'places',
      ]),
      ...(background && { tiles: background.source }),
    },
    layers: [
      { id: 'water', type: 'background' },
      { id: 'neighbors', type: 'fill', source: 'neighbors' },
      neighborEdges,
      { id: 'neighbor-lakes', type: 'fill', source: 'neighbor-lakes' },
      { id: 'land', type: 'fill', source: 'land' },
      { id: 'inland-water', type: 'fill', source: 'inland-water', maxzoom: detail_zoom },
      { id: 'near-water', type: 'fill', source: 'near-water', minzoom: detail_zoom },
      ...(background ? [background.layer] : []),
      ...borderLayers,
      ...shapeLayers,
      ...labelLayers,
      ...placeLayers,
    ],
  }
}

/** Dots reach their smallest size at this count. */
const maxDots = 10_000
/** The radius when zoomed out: for few dots, and for the most dots. */
const [maxFar_px, minFar_px] = [4.5, 1.6]
const close_px = 7

/**
 * Returns the size of dots by their count. Zoomed out, many dots are small so that they do not cover each other; zoomed
 * in, all are large.
 */
export function dotSize(count: number): { radius: ExpressionSpecification; stroke: ExpressionSpecification } {
  const share = Math.min(1, Math.log10(Math.max(1, count / 100)) / Math.log10(maxDots / 100))
  const far_px = maxFar_px + (minFar_px - maxFar_px) * share
  return {
    radius: ['interpolate', ['exponential', 1.5], ['zoom'], 3, far_px, 11, close_px],
    stroke: ['interpolate', ['linear'], ['zoom'], 3, 1 - share, 8, 1],
  }
}
