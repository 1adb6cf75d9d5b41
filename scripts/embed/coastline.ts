import { usEnvelope } from '../../src/geo/us.ts'
import { atlas2023 } from './counties.ts'
import { read, type DataFile, type LayerSource, type LngLat, type LayerRow } from './layer.ts'
import { shoreStations } from './shore-stations.ts'
import { tideDatabase } from './tide-stations.ts'
import { gridStep_degrees } from './wkb.ts'

const map: DataFile = {
  package: '@geo-maps/earth-coastlines-1m',
  file: 'map.geo.json',
  sha256: '811b121d570a2d71e77605175f54ab227d75ee62f716b867707564004929325f',
}
const columns = {} as const

/**
 * The ocean coastline in short lines: segments within one degree of the US, and the bays nearest to the upper Midwest.
 * Tide stations on the shore are lines of a meter.
 */
export const buildCoastline: LayerSource<keyof typeof columns> = {
  name: 'coastline',
  title: 'Ocean coastline',
  geometry: 'LINESTRING',
  columns,
  files: [map, tideDatabase, atlas2023],
  publisher: 'OpenStreetMap; NOAA CO-OPS (tide stations)',
  source_url: 'https://github.com/simonepri/geo-maps/blob/master/info/earth-coastlines.md',
  license: 'ODbL 1.0',
  attribution:
    '© OpenStreetMap contributors, ODbL 1.0; packaged by geo-maps. Tide stations: NOAA CO-OPS (public domain), packaged by the Neaps tide database',
  vintage: 'geo-maps 0.6.0; tide stations 2026-09-24',
  derivation:
    'The generalised OSM coastline of geo-maps (segments of some 700 m; inland of river mouths there is none), without the cuts ' +
    'along the antimeridian: the segments that come within one degree of the US envelope, and those of Hudson and James Bay south of 60 N, ' +
    'which are the nearest ocean to the upper Midwest; in runs of at most 64 points. The line leaves out small islands and the inner part of ' +
    'bays, so the NOAA tide stations within 5 km of it, or of the outer border of the counties of 2023, are added as a meter of shore.',
  rows,
}

const margin_degrees = 1
const longestRun = 64
/** Hudson Bay and James Bay, the nearest ocean from the Dakotas to Michigan. */
const northernBays: (typeof usEnvelope)[number] = [50, -96, 60, -76]

function* rows(): Generator<LayerRow<keyof typeof columns>> {
  const { geometries } = JSON.parse(read(map).toString('utf8')) as { geometries: { coordinates: LngLat[][][] }[] }
  const coast = geometries.flatMap(({ coordinates }) => coordinates.flat()).flatMap((ring) => [...runs(ring)])
  const stations = shoreStations(coast).map(({ lat, lng }): LngLat[] => [
    [lng, lat],
    [lng, lat + gridStep_degrees],
  ])
  for (const line of [...coast, ...stations]) yield { cells: {}, geom: { type: 'LineString', coordinates: line } }
}

function* runs(ring: LngLat[]): Generator<LngLat[]> {
  let run: LngLat[] = []
  for (let i = 1; i < ring.length; i++) {
    const [from, to] = [ring[i - 1]!, ring[i]!]
    const requested = !isCut(from, to) && nearUs(from, to)
    if (requested) run.push(...(run.length === 0 ? [from, to] : [to]))
    if (run.length === longestRun || (run.length > 0 && !requested)) {
      yield run
      run = []
    }
  }
  if (run.length > 0) yield run
}

/** The data are cut along the antimeridian, through Chukotka, Wrangel and Fiji. */
const isCut = (from: LngLat, to: LngLat): boolean => Math.abs(from[0]) === 180 && from[0] === to[0]

const nearUs = (from: LngLat, to: LngLat): boolean =>
  [...usEnvelope, northernBays].some(
    ([south, west, north, east]) =>
      Math.max(from[0], to[0]) >= west - margin_degrees &&
      Math.min(from[0], to[0]) <= east + margin_degrees &&
      Math.max(from[1], to[1]) >= south - margin_degrees &&
      Math.min(from[1], to[1]) <= north + margin_degrees,
  )
