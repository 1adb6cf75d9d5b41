import { usEnvelope } from '../../src/geo/us.ts'
import { featuresOf } from './geobuf.ts'
import { read, type DataFile, type LayerSource, type LngLat, type LayerRow } from './layer.ts'

const index: DataFile = {
  package: 'geo-tz',
  file: 'data/timezones.geojson.index.json',
  sha256: '1194d9bb0cb2b665c808c8012e04c88d15d85a75054f4fcf13fe0e880e52af47',
}
const slices: DataFile = {
  package: 'geo-tz',
  file: 'data/timezones.geojson.geo.dat',
  sha256: '589f6f64e1c62718d791d6a4bf1b9ad6e3ab5c1fc1933bff852cc7d8c223f853',
}
const columns = { TZID: 'TEXT' } as const

/** Time zones, in the pieces of the geo-tz quadtree. Overlapping zones each have a row. The open sea has none. */
export const buildTimezones: LayerSource<keyof typeof columns> = {
  name: 'timezones',
  title: 'IANA time zones',
  geometry: 'POLYGON',
  columns,
  files: [index, slices],
  publisher: 'timezone-boundary-builder (OpenStreetMap)',
  source_url: 'https://github.com/evansiroky/timezone-boundary-builder',
  license: 'ODbL 1.0',
  attribution: '© OpenStreetMap contributors, ODbL 1.0; timezone-boundary-builder, packaged by geo-tz',
  vintage: '2026d',
  derivation:
    'The quadtree cells of geo-tz (product timezones, not simplified) that touch the US envelope, each zone of a cell as polygons ' +
    'of its own.',
  rows,
}

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const { timezones: names, lookup } = JSON.parse(read(index).toString('utf8')) as { timezones: string[]; lookup: Tree }
  const bytes = read(slices)
  for (const { box, leaf } of leaves(lookup, world)) {
    if (!touchesUs(box)) continue
    const zones = Array.isArray(leaf)
      ? leaf.map((zone) => ({ name: names[zone]!, polygons: [[rectangle(box)]] }))
      : featuresOf(bytes.subarray(leaf.pos, leaf.pos + leaf.len))
    for (const { name, polygons } of zones) {
      for (const coordinates of polygons) yield { cells: { TZID: name }, geom: { type: 'Polygon', coordinates } }
    }
  }
}

/** A leaf: the zones that fill the cell, or the position of its boundaries in the other file. */
type Leaf = number[] | { pos: number; len: number }
type Tree = { [quarter: string]: Tree | Leaf }
type Box = [west: number, south: number, east: number, north: number]

/** The world bounds of geo-tz, which are slightly smaller than the real ones. */
const world: Box = [-179.9999, -89.9999, 179.9999, 89.9999]

function* leaves(tree: Tree, box: Box): Generator<{ box: Box; leaf: Leaf }> {
  for (const [letter, node] of Object.entries(tree)) {
    const part = quarter(box, letter)
    if (Array.isArray(node) || isPlace(node)) yield { box: part, leaf: node }
    else yield* leaves(node, part)
  }
}

const isPlace = (node: Tree | Leaf): node is { pos: number; len: number } =>
  'pos' in node && typeof node.pos === 'number'

/** The quadrants are lettered counterclockwise from the north-east. */
function quarter([west, south, east, north]: Box, letter: string): Box {
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  const [left, right] = 'ad'.includes(letter) ? [x, east] : [west, x]
  const [bottom, top] = 'ab'.includes(letter) ? [y, north] : [south, y]
  return [left, bottom, right, top]
}

const touchesUs = ([west, south, east, north]: Box): boolean =>
  usEnvelope.some((us) => us[0] <= north && us[1] <= east && us[2] >= south && us[3] >= west)

const rectangle = ([west, south, east, north]: Box): LngLat[] => [
  [west, south],
  [west, north],
  [east, north],
  [east, south],
  [west, south],
]
