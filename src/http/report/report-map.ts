import type { App } from '../../app.ts'
import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import { cutRingAtExtent, segmentsTouchingExtent, type PathSlice } from '../../geo/overlay/cut-at-extent.ts'
import { metersPerDegree } from '../../geo/ecef.ts'
import { parseGeoJsonGeometry } from '../../geo/geometry.ts'
import { simplifyGeometry } from '../../geo/overlay/simplify.ts'
import type { FlatPath, Extent } from '../../model/area.ts'
import type { Point } from '../../model/place.ts'
import type { Geometry, Position } from '../../model/source.ts'
import type { BoxFeature } from '../../packs/layer/features-in-box.ts'
import { html, type Html } from '../pages/page.ts'

type Registry = Pick<App, 'registry'>['registry']

/** The size of a map in the units of its view box. A map beside another one has half of the page. */
const mapSizes = { page: { width: 480, height: 320 }, half: { width: 330, height: 240 } }
/** From the place to the edge of the map, north and south. */
const defaultReach_m = 12_000
const townsMax = 14
const featuresMax = 3_000
/** The lengths of the scale bar. The longest that takes at most a third of the height is used. */
const scaleBars = [
  { length_m: 100, text: '100 m (330 ft)' },
  { length_m: 500, text: '500 m (1,640 ft)' },
  { length_m: 1_000, text: '1 km (0.6 mi)' },
  { length_m: 5_000, text: '5 km (3.1 mi)' },
  { length_m: 25_000, text: '25 km (16 mi)' },
  { length_m: 100_000, text: '100 km (62 mi)' },
]

/** What the map is drawn from where the server has it, from bottom to top, with its class in the style sheet. */
const baseLayers = [
  ['usgs_nhd_area', 'water'],
  ['usgs_nhd_waterbody', 'water'],
  ['usgs_nhd_flowline', 'river'],
  ['census_tigerweb_major_roads', 'road'],
  ['census_counties', 'county'],
  ['osm_coastline', 'coast'],
] as const

/** The middle of a map. `letter` stands in the marker there; null for a map without a marker. */
type MapSubject = { at: Point; letter: string | null; reach_m?: number; size?: keyof typeof mapSizes }

/** A map of the surroundings of a place as SVG: borders, water, roads and towns of this server, and the shapes. */
export function reportMap(
  { at, letter, reach_m = defaultReach_m, size = 'page' }: MapSubject,
  shapes: readonly DrawnFeature[],
  registry: Registry,
): Html {
  const view = new MapView(at, reach_m, mapSizes[size])
  const { width, height } = view
  const base = baseLayers.flatMap(([dataset, kind]) =>
    featuresIn(registry, dataset, view.box).map(({ geometry }) => view.path(geometry, kind)),
  )
  return html`<svg
    viewBox="0 0 ${String(width)} ${String(height)}"
    role="img"
    aria-label="Map around ${at.lat.toFixed(4)}, ${at.lng.toFixed(4)}"
  >
    <rect class="paper" width="${String(width)}" height="${String(height)}" />
    ${base} ${shapes.map((shape, i) => drawShape(view, shape, i))} ${drawTowns(view, registry)}
    ${letter === null ? html`` : drawPlace(view, at, letter)} ${drawScale(view)}
  </svg>`
}

/** A projection around a point in which a meter has the same length in all directions. */
class MapView {
  readonly box: Extent
  readonly width: number
  readonly height: number
  readonly #at: Point
  readonly #x_perDegree: number
  readonly #y_perDegree: number
  /** A pixel in degrees. */
  readonly pixel_degrees: number

  constructor(at: Point, reach_m: number, { width, height }: { width: number; height: number }) {
    this.width = width
    this.height = height
    this.#at = at
    this.#y_perDegree = ((height / 2) * metersPerDegree) / reach_m
    this.pixel_degrees = 1 / this.#y_perDegree
    this.#x_perDegree = this.#y_perDegree * Math.cos((at.lat * Math.PI) / 180)
    const [lng, lat] = [width / 2 / this.#x_perDegree, height / 2 / this.#y_perDegree]
    this.box = { west: at.lng - lng, east: at.lng + lng, south: at.lat - lat, north: at.lat + lat }
  }

  project([lng, lat]: Position): [x: number, y: number] {
    const x = this.width / 2 + (((lng - this.#at.lng + 540) % 360) - 180) * this.#x_perDegree
    const y = this.height / 2 - (lat - this.#at.lat) * this.#y_perDegree
    return [Math.round(x * 10) / 10, Math.round(y * 10) / 10]
  }

  /**
   * The lines and polygons of a geometry as a path, simplified to half a pixel and cut well outside of the map, so that
   * the border of a large county does not fill the document; points as circles.
   */
  path(geometry: Geometry, kind: string): Html {
    const { width, height } = this
    const scale = this.#x_perDegree / this.#y_perDegree
    const { points, lines, polygons } = simplifyGeometry(geometry, this.pixel_degrees / 2, scale)
    const extent = { west: -width, east: 2 * width, south: -height, north: 2 * height }
    const paths = [
      ...lines.flatMap((line) => segmentsTouchingExtent(this.#projectPath(line), extent)),
      ...polygons.flat().map((ring) => cutRingAtExtent(this.#projectPath(ring), extent)),
    ]
    const data = paths.filter((path) => path.length > 0).map(pathData)
    return html`${data.length > 0 ? [html`<path class="${kind}" d="${data.join('')}" />`] : []}${points.map((point) => this.dot(point, kind))}`
  }

  /** Whether a part of the outline of a polygon is on the map. */
  hasOutline({ polygons }: Geometry): boolean {
    const map = { west: 0, east: this.width, south: 0, north: this.height }
    return polygons.flat().some((ring) => segmentsTouchingExtent(this.#projectPath(ring), map).length > 0)
  }

  #projectPath(path: readonly Position[]): PathSlice {
    return { coordinates: path.flatMap((position) => this.project(position)), begin: 0, end: path.length }
  }

  dot(position: Position, kind: string, radius = 3): Html {
    const [x, y] = this.project(position)
    return html`<circle class="${kind}" cx="${String(x)}" cy="${String(y)}" r="${String(radius)}" />`
  }
}

/** Formats a path of x and y in turn, to a tenth of a pixel. */
function pathData(path: FlatPath): string {
  const numbers = path.map((number) => Math.round(number * 10) / 10)
  const positions = Array.from({ length: numbers.length / 2 }, (_, i) => `${numbers[2 * i]!} ${numbers[2 * i + 1]!}`)
  return `M${positions.join('L')}`
}

function featuresIn(registry: Registry, dataset: string, box: Extent): BoxFeature[] {
  const { options } = registry.dataset(dataset)
  const boxes = options.find((option) => option.boxes)?.boxes?.() ?? []
  return boxes.flatMap((source) => source.inBox({ box, detail_degrees: 0, limit: featuresMax }))
}

/** The number of colors in the style sheet: for parts, and for parts with numbers. */
export const partColors = 6
const stepColors = 5

/**
 * Returns the class of a part in the style sheet. Parts with numbers get a color ramp; others get the colors in turn.
 */
export function partClassOf({ properties: { range } }: DrawnFeature, i: number): string {
  return range ? `part-step-${i % stepColors}` : `part-${i % partColors}`
}

function drawShape(view: MapView, shape: DrawnFeature, i: number): Html {
  const { properties, geometry } = shape
  const { role } = properties
  const kind = role === 'cell' || role === 'radius' ? 'area' : role === 'part' ? partClassOf(shape, i) : role
  const parsed = parseGeoJsonGeometry(geometry)
  // An area around the whole map would only color the paper.
  if (role === 'area' && !view.hasOutline(parsed)) return html``
  return view.path(parsed, geometry.type === 'Point' && kind === 'feature' ? 'point' : kind)
}

/** The largest towns whose names do not cover each other. */
function drawTowns(view: MapView, registry: Registry): Html[] {
  const { width, height } = view
  const towns = featuresIn(registry, 'geonames_places', view.box)
    .flatMap(({ geometry: { points }, properties: { NAME, POPULATION } }) =>
      points[0] ? [{ at: points[0], name: String(NAME), population: Number(POPULATION ?? 0) }] : [],
    )
    .toSorted((a, b) => b.population - a.population)
  const labels: { x: number; y: number; right: number }[] = []
  const drawn: Html[] = []
  for (const { at, name } of towns) {
    const [x, y] = view.project(at)
    const right = x + 8 + name.length * letterWidth
    const isCovered = labels.some((it) => x < it.right && right > it.x && Math.abs(y - it.y) < lineHeight)
    if (isCovered || right > width || y < lineHeight || x < 0 || y > height || drawn.length >= townsMax) continue
    labels.push({ x, y, right })
    const isUnderMarker = Math.hypot(x - width / 2, y - height / 2) < markerReach
    const label_x = String(isUnderMarker ? width / 2 + markerReach : x + 5)
    drawn.push(html`${view.dot(at, 'town', 1.8)}<text x="${label_x}" y="${String(y + 3)}">${name}</text>`)
  }
  return drawn
}

const letterWidth = 5.2
const lineHeight = 13
/** The names of towns begin at least this far from the center of the marker. */
const markerReach = 12

function drawPlace(view: MapView, { lat, lng }: Point, letter: string): Html {
  const [x, y] = view.project([lng, lat])
  return html`${view.dot([lng, lat], 'place', letter === '' ? 6 : 8)}<text
      class="letter"
      x="${String(x)}"
      y="${String(y + 3)}"
      >${letter}</text
    >`
}

function drawScale(view: MapView): Html {
  const lengthOf = ({ length_m }: (typeof scaleBars)[number]) => length_m / metersPerDegree / view.pixel_degrees
  const bar = scaleBars.findLast((it) => lengthOf(it) <= view.height / 3) ?? scaleBars[0]!
  const length = lengthOf(bar)
  const [x, y] = [12, view.height - 12]
  return html`<path class="scale" d="M${String(x)} ${String(y - 4)}v4h${String(Math.round(length))}v-4" /><text
      x="${String(x + 4)}"
      y="${String(y - 5)}"
      >${bar.text}</text
    >`
}
