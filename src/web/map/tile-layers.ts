import type { AddLayerObject, ExpressionFilterSpecification, ExpressionSpecification, Map as Engine } from 'maplibre-gl'
import type { TileJson, TileList } from '../../tiles/tile-json.ts'
import { addBasemap, colorBasemap } from './basemap-layers.ts'
import { colorExpressionOf, type FieldColoring } from './field-coloring.ts'
import { categoryColors } from './shape-colors.ts'
import { tile_zoom } from './style.ts'

/** A dataset that the map draws by itself where the server has it: its look, and the CSS variable of its color. */
type BaseLayer = { dataset: string; minzoom: number; color: string } & (
  { type: 'fill' } | { type: 'line'; width: [from: number, to: number] }
)

/** From bottom to top. */
const baseLayers: BaseLayer[] = [
  { dataset: 'usgs_nhd_area', type: 'fill', minzoom: 9, color: '--water' },
  { dataset: 'usgs_nhd_waterbody', type: 'fill', minzoom: 9, color: '--water' },
  { dataset: 'usgs_nhd_flowline', type: 'line', minzoom: 11, color: '--river', width: [0.5, 2] },
  { dataset: 'census_tigerweb_roads', type: 'line', minzoom: 12, color: '--road', width: [0.6, 5] },
  { dataset: 'census_tigerweb_major_roads', type: 'line', minzoom: 8, color: '--road', width: [0.8, 7] },
  { dataset: 'census_counties', type: 'line', minzoom: 11, color: '--border-county', width: [1, 1.5] },
  { dataset: 'osm_coastline', type: 'line', minzoom: tile_zoom, color: '--border-state', width: [0.8, 1.6] },
]
const streetZoom = 16
const isPolygon: ExpressionFilterSpecification = ['==', ['geometry-type'], 'Polygon']
const isPoint: ExpressionFilterSpecification = ['==', ['geometry-type'], 'Point']

/** Base layers are drawn below the shapes and labels. */
const belowLayer = 'shape-areas'

/**
 * Adds the base map: that of the packs folder, or what the server draws from its own data. Both would show each road
 * and each lake twice.
 */
export function addBaseTiles(map: Engine, { items, basemap }: TileList): void {
  if (basemap) addBasemap(map, basemap)
  for (const base of baseLayers) {
    const tileJson = items.find(({ id }) => id === base.dataset)
    if (!tileJson || (basemap && base.color !== '--border-county')) continue
    addSource(map, tileJson)
    const layer = {
      id: `base ${base.dataset}`,
      source: tileJson.id,
      'source-layer': tileJson.id,
      minzoom: base.minzoom,
    }
    const drawn: AddLayerObject =
      base.type === 'fill'
        ? { ...layer, type: 'fill' }
        : {
            ...layer,
            type: 'line',
            layout: { 'line-cap': 'round', 'line-join': 'round' },
            paint: {
              'line-width': [
                'interpolate',
                ['linear'],
                ['zoom'],
                base.minzoom,
                base.width[0],
                streetZoom,
                base.width[1],
              ],
            },
          }
    map.addLayer(drawn, belowLayer)
  }
  colorBaseTiles(map)
}

/** Applies the colors of the page to the layers of the base map. */
export function colorBaseTiles(map: Engine): void {
  colorBasemap(map)
  const style = getComputedStyle(document.documentElement)
  for (const { dataset, type, color } of baseLayers)
    if (map.getLayer(`base ${dataset}`))
      map.setPaintProperty(`base ${dataset}`, `${type}-color`, style.getPropertyValue(color).trim())
}

/** A dataset above the base map. Its features have one color, or the color of the value of a field. */
export type MapOverlay = { tileJson: TileJson; coloring: FieldColoring | null }

/** Shows these datasets above the base map, and hides all others. */
export function showOverlays(map: Engine, shown: readonly MapOverlay[]): void {
  for (const { id } of map.getStyle().layers)
    if (isOverlay(id) && !shown.some(({ tileJson }) => id.endsWith(` ${tileJson.id}`))) map.removeLayer(id)
  for (const { tileJson } of shown) {
    addSource(map, tileJson)
    for (const layer of overlayLayersOf(tileJson)) if (!map.getLayer(layer.id)) map.addLayer(layer, belowLayer)
  }
  for (const overlay of shown)
    for (const { id, type } of overlayLayersOf(overlay.tileJson)) {
      map.setPaintProperty(id, `${type}-color`, overlayPaintOf(overlay))
      if (type === 'fill') map.setPaintProperty(id, 'fill-opacity', overlay.coloring ? 0.4 : 0.08)
    }
}

/** The color of an overlay, or the expression that finds the color of a feature. */
function overlayPaintOf({ tileJson, coloring }: MapOverlay): string | ExpressionSpecification {
  const style = getComputedStyle(document.documentElement)
  const colorOf = (name: string) => style.getPropertyValue(name).trim()
  return (coloring && colorExpressionOf(coloring, colorOf)) ?? colorOf(overlayColorOf(tileJson.id))
}

/** The different values of an attribute among the drawn features of a dataset. */
export function valuesInView(map: Engine, { id }: TileJson, attribute: string): Set<string> {
  const layers = overlayIdsOf(map).filter((layer) => layer.endsWith(` ${id}`))
  const features = layers.length === 0 ? [] : map.queryRenderedFeatures({ layers })
  return new Set(features.map(({ properties }) => String(properties[attribute] ?? '').trim()).filter((it) => it !== ''))
}

/** The CSS variable with the color of a dataset. The same dataset always has the same one. */
export function overlayColorOf(dataset: string): (typeof categoryColors)[number] {
  const sum = [...dataset].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return categoryColors[sum % categoryColors.length]!
}

/** The ids of the overlay layers on the map. */
export function overlayIdsOf(map: Engine): string[] {
  return map
    .getStyle()
    .layers.map(({ id }) => id)
    .filter(isOverlay)
}

function isOverlay(layer: string): boolean {
  return layer.startsWith('overlay-')
}

type OverlayLayer = Extract<AddLayerObject, { type: 'fill' | 'line' | 'circle' }>

function overlayLayersOf({ id }: TileJson): OverlayLayer[] {
  const common = { source: id, 'source-layer': id }
  return [
    {
      ...common,
      id: `overlay-fill ${id}`,
      type: 'fill',
      filter: isPolygon,
      paint: { 'fill-opacity': 0.08 },
    },
    {
      ...common,
      id: `overlay-line ${id}`,
      type: 'line',
      filter: ['!', isPoint],
      paint: { 'line-width': 1.3 },
    },
    {
      ...common,
      id: `overlay-circle ${id}`,
      type: 'circle',
      filter: isPoint,
      paint: { 'circle-radius': 4, 'circle-stroke-width': 1, 'circle-stroke-color': '#fff' },
    },
  ]
}

function addSource(map: Engine, { id, minzoom, maxzoom, bounds }: TileJson): void {
  if (map.getSource(id)) return
  const tiles = [`${window.location.origin}/tiles/${encodeURIComponent(id)}/{z}/{x}/{y}.mvt`]
  map.addSource(id, { type: 'vector', tiles, minzoom, maxzoom, bounds: bounds as [number, number, number, number] })
}
