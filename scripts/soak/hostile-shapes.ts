import { writeFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import type { BuildInput } from './hostile-builds.ts'

const ring = '-105,39.7 -104.9,39.7 -104.9,39.8 -105,39.7'
const placemark = `<Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>${ring}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`
const polygon = `{"type":"Polygon","coordinates":[[${ring
  .split(' ')
  .map((at) => `[${at}]`)
  .join()}]]}`
const feature = `{"type":"Feature","properties":{},"geometry":${polygon}}`

const text = (name: string, file: string, make: () => string, fate: RegExp): BuildInput => ({
  name,
  file,
  write: (path) => writeFileSync(path, make()),
  fate,
  command: 'area',
})

function kmz(name: string, make: () => string, fate: RegExp): BuildInput {
  const write = (path: string) => writeFileSync(path, zipSync({ 'doc.kml': new TextEncoder().encode(make()) }))
  return { name, file: 'a.kmz', write, fate, command: 'area' }
}

/** A polygon record with this many rings of four positions. */
function shapefileOfRings(count: number): Uint8Array {
  const points = [-105, 39.7, -104.9, 39.8, -104.9, 39.7, -105, 39.7]
  const length = 44 + 4 * count + 64 * count
  const shp = Buffer.alloc(108 + length)
  shp.writeInt32BE(9994, 0)
  shp.writeInt32BE(shp.length / 2, 24)
  shp.writeInt32BE(1, 100)
  shp.writeInt32BE(length / 2, 104)
  shp.writeInt32LE(5, 108)
  shp.writeInt32LE(count, 144)
  shp.writeInt32LE(4 * count, 148)
  for (let i = 0; i < count; i++) shp.writeInt32LE(4 * i, 152 + 4 * i)
  const one = Buffer.from(Float64Array.from(points).buffer)
  for (let i = 0; i < count; i++) one.copy(shp, 152 + 4 * count + 64 * i)
  return shp
}

const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]'
const shapefile = (name: string, rings: number, fate: RegExp): BuildInput => ({
  name,
  file: 'a.zip',
  write: (path) =>
    writeFileSync(
      path,
      zipSync({ 'a.shp': shapefileOfRings(rings), 'a.prj': new TextEncoder().encode(wgs84) }, { level: 1 }),
    ),
  fate,
  command: 'area',
})

/** Files of shapes on the command line. */
export const shapeInputs: readonly BuildInput[] = [
  kmz('a KMZ archive that inflates to 250 MB of blanks', () => `<kml>${' '.repeat(250e6)}</kml>`, /more than 8 MB/),
  kmz('a KMZ archive with 1.3 million placemarks', () => `<kml>${placemark.repeat(1.3e6)}</kml>`, /several shapes/),
  text('KML with a placemark of 4 million tags', 'a.kml', () => `<kml><Placemark>${'<a>'.repeat(4e6)}`, /nested more/),
  text(
    'KML with 3 million coordinates',
    'a.kml',
    () => `<kml>${placemark.replace(ring, `${ring} `.repeat(750_000))}</kml>`,
    /more than 8 MB/,
  ),
  text(
    'GeoJSON nested 10 million levels deep',
    'a.geojson',
    () => `{"type":"Polygon","coordinates":${'['.repeat(1e7)}`,
    /nested more than/,
  ),
  text(
    'GeoJSON with 300,000 polygons',
    'a.geojson',
    () => `{"type":"FeatureCollection","features":[${Array(300_000).fill(feature).join()}]}`,
    /several shapes/,
  ),
  text(
    'GeoJSON with one polygon of 15 MB',
    'a.geojson',
    () => feature.replace('[-105,39.7]', Array(1_200_000).fill('[-105,39.7]').join()),
    /body_too_large/,
  ),
  text('well-known text with a million commas', 'a.wkt', () => `POLYGON ((${','.repeat(1e6)}))`, /well-known text/),
  shapefile('a shapefile with 120,000 rings in one shape', 120_000, /body_too_large/),
  shapefile('a shapefile with a shape of 27 MB', 400_000, /too large/),
]
