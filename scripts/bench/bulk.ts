import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { packArea, writeGoldenPacks } from '../../test/fetch/golden-packs.ts'
import { writeAddressPack, misspell, textOf } from './addresses.ts'
import { randomPoints, runBulk, stateSizeOf, writePoints } from './bulk-command.ts'
import { fieldLists } from './field-lists.ts'
import { runProgram } from './gdal.ts'
import { openPostgis, type Postgis } from './postgis.ts'
import { randomOf } from './random.ts'
import { answerOfPeer, reportFigure, reportWithPeer } from './report.ts'

/** The answers of a peer, by the index of the row: the GEOID of the county, the time zone, and any distances. */
type PeerResult = { answers: string[]; seconds: number }

const embedded = join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg')
const manyRows = 1_000_000
const mostRows = 5_000_000
const peerRows = { short: 100_000, long: 1_000_000 }
const addressRows = 100_000
const packRows = 1_000_000
const packFields = fieldLists.packs
const { join: joinFields, nearest: nearestFields } = fieldLists
/**
 * How much longer or shorter a distance may be than that of PostGIS, as a share. PostGIS looks for the nearest feature
 * on a sphere, so another one can be nearer on the ellipsoid.
 */
const distanceTolerance = { longer: 0.0005, shorter: 0.01 }
/** Distances are rounded. */
const rounding_m = 1
/** No field looks for airports beyond this radius. */
const airportRadius_m = 400_000
/** Debian's GeoPandas belongs to this interpreter. */
const python = '/usr/bin/python3'

/**
 * Measures runs without a server: rows per second of processor with one thread and with two, from packs, and with
 * addresses; memory, and what is left on the disk. Compares with the spatial joins of GeoPandas and PostGIS, whose
 * answers must be equal.
 */
export async function benchBulk(command: string[], fields: string[], { isLong }: { isLong: boolean }, seed: number) {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-bulk-'))
  try {
    const at = randomPoints(randomOf(seed))
    await writePoints(join(folder, 'many.csv'), manyRows, at)
    const measure = (name: string, names: string[], workers: number) =>
      runBulk(command, folder, { name, names, workers })
    const one = await measure('many', fields, 1)
    reportFigure(
      `${manyRows.toLocaleString('en-US')} rows, ${fields.length} embedded fields, one thread`,
      `${rate(manyRows, one.cpu_s)} of processor, ${one.peak_mb.toFixed(0)} MB at most`,
      manyRows / one.cpu_s >= 150_000,
      '150,000 rows/s of processor',
    )
    const two = await measure('many', fields, 2)
    reportFigure(
      'the same with two threads',
      `${(one.wall_s / two.wall_s).toFixed(2)} times as fast, ${two.peak_mb.toFixed(0)} MB at most`,
      one.wall_s / two.wall_s >= 1.6,
      '1.6 times',
    )
    const left_mb = stateSizeOf(folder) / 1e6
    reportFigure('state left by a run', `${left_mb.toFixed(2)} MB`, left_mb <= 1, '1 MB')
    if (isLong) {
      await writePoints(join(folder, 'most.csv'), mostRows, at)
      const { peak_mb } = await measure('most', fields, 2)
      const what = `memory of a run of ${mostRows.toLocaleString('en-US')} rows`
      reportFigure(what, `${peak_mb.toFixed(0)} MB`, peak_mb <= 300, '300 MB')
    }
    await measurePacks(folder, command, randomOf(seed))
    await measureAddresses(folder, command, { fields, random: randomOf(seed) })
    await compare(folder, command, { at, rows: isLong ? peerRows.long : peerRows.short })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures rows that packs answer: small ones with random flood zones and wetlands. */
async function measurePacks(folder: string, command: string[], random: () => number): Promise<void> {
  const packs = join(folder, 'packs')
  const golden = writeGoldenPacks()
  mkdirSync(join(packs, 'data'), { recursive: true })
  cpSync(golden.folder, join(packs, 'data', 'packs'), { recursive: true })
  golden.remove()
  const { south, west, degrees } = packArea
  const at = () => ({ lat: south + degrees * random(), lng: west + degrees * random() })
  await writePoints(join(packs, 'points.csv'), packRows, at)
  const { cpu_s } = await runBulk(command, packs, { name: 'points', names: packFields, workers: 1 })
  reportFigure(
    `${packRows.toLocaleString('en-US')} rows, ${packFields.length} pack fields, one thread`,
    `${rate(packRows, cpu_s)} of processor`,
    packRows / cpu_s >= 60_000,
    '60,000 rows/s of processor',
  )
}

/** Measures rows whose addresses an address pack knows, and with a letter missing from the name of the street. */
async function measureAddresses(
  folder: string,
  command: string[],
  { fields, random }: { fields: string[]; random: () => number },
): Promise<void> {
  const addresses = join(folder, 'addresses')
  const packs = join(addresses, 'data', 'packs')
  mkdirSync(packs, { recursive: true })
  const { made } = await writeAddressPack(packs, random)
  const texts = Array.from({ length: addressRows }, () => textOf(made[Math.floor(random() * made.length)]!))
  const inputs = [
    { name: 'exact', promised: 8_000, rows: texts },
    { name: 'misspelled', promised: 5_000, rows: texts.map(misspell) },
  ]
  for (const { name, promised, rows } of inputs) {
    writeFileSync(join(addresses, `${name}.csv`), `address\n${rows.map((text) => `"${text}"\n`).join('')}`)
    const { cpu_s } = await runBulk(command, addresses, { name, names: fields, workers: 1 })
    reportFigure(
      `${addressRows.toLocaleString('en-US')} ${name} addresses, ${fields.length} embedded fields, one thread`,
      `${rate(addressRows, cpu_s)} of processor`,
      addressRows / cpu_s >= promised,
      `${promised.toLocaleString('en-US')} rows/s of processor`,
    )
  }
}

/** Compares the same layers, and the answers. */
async function compare(folder: string, command: string[], { at, rows }: { at: () => Point; rows: number }) {
  await writePoints(join(folder, 'few.csv'), rows, at)
  const postgis = await openPostgis(folder, `${rows.toLocaleString('en-US')} points beside PostGIS`)
  if (postgis) await loadPostgis(postgis, join(folder, 'few.csv'))
  const comparisons = [
    { name: 'GeoPandas', names: joinFields, promised: 2.5, answer: () => joinWithGeopandas(folder, 'few') },
    { name: 'PostGIS', names: joinFields, promised: 15, answer: () => postgis && joinWithPostgis(postgis) },
    {
      name: 'PostGIS',
      names: [...joinFields, ...nearestFields],
      promised: 15,
      answer: () => postgis && joinAndFindNearest(postgis),
    },
  ]
  for (const { name, names, promised, answer } of comparisons) {
    const peer = await answer()
    if (!peer) continue
    const ours = await runBulk(command, folder, { name: 'few', names, workers: 1 })
    reportWithPeer({
      what: `${rows.toLocaleString('en-US')} points, ${names.join(', ')}, beside ${name}`,
      ours: rate(rows, ours.cpu_s),
      peer: rate(rows, peer.seconds),
      ratio: peer.seconds / ours.cpu_s,
      promised,
    })
    const [header, ...lines] = readFileSync(join(folder, 'few.out.csv'), 'utf8').trimEnd().split('\r\n')
    const first = header!.split(',').indexOf(names[0]!)
    const answers = lines.map((line) => line.split(',').slice(first, first + names.length))
    const different = peer.answers.filter((it, i) => !areEqual(it.split(','), answers[i]!)).length
    reportFigure(`answers that differ from ${name}`, String(different), different === 0, '0')
  }
  await postgis?.close()
}

/**
 * Outside the counties, Fieldstone gives no time zone, which is correct for Canada and Mexico. It gives no distance
 * outside the coverage or beyond the radius of a field.
 */
function areEqual([county, zone, ...distances]: string[], [ourCounty, ourZone, ...ours]: string[]): boolean {
  const isMissing = (their_m: number) => county === '' || their_m > airportRadius_m * (1 - distanceTolerance.shorter)
  const areNear = (our_m: number, their_m: number) =>
    our_m <= their_m * (1 + distanceTolerance.longer) + rounding_m &&
    our_m >= their_m * (1 - distanceTolerance.shorter) - rounding_m
  return (
    county === ourCounty &&
    (county === '' ? '' : zone) === ourZone &&
    ours.every((it, i) => (it === '' ? isMissing(Number(distances[i])) : areNear(Number(it), Number(distances[i]))))
  )
}

/** Joins the points of `<name>.csv` with both layers. If GeoPandas does not work, reports this and returns null. */
export function joinWithGeopandas(folder: string, name: string): Promise<PeerResult | null> {
  return answerOfPeer('GeoPandas', 'points beside GeoPandas', () => runGeopandas(folder, name))
}

async function runGeopandas(folder: string, name: string): Promise<PeerResult> {
  const script = `
import geopandas as g, pandas as p, time, sys
layers = [g.read_file(sys.argv[1], layer=name)[[column, 'geometry']] for name, column in [('counties', 'GEOID'), ('timezones', 'TZID')]]
began = time.process_time()
rows = p.read_csv(sys.argv[2])
points = g.GeoDataFrame(geometry=g.points_from_xy(rows.lng, rows.lat), crs=4326)
found = [g.sjoin(points, layer, how='left', predicate='intersects') for layer in layers]
found = [it[~it.index.duplicated()].iloc[:, -1].fillna('') for it in found]
p.DataFrame(dict(enumerate(found))).to_csv('geopandas.csv', header=False, index=False)
print(time.process_time() - began)
`
  writeFileSync(join(folder, 'join.py'), script)
  const output = await runProgram(['sh', '-c', `cd ${folder} && ${python} join.py ${embedded} ${name}.csv`])
  return { answers: readFileSync(join(folder, 'geopandas.csv'), 'utf8').trimEnd().split('\n'), seconds: Number(output) }
}

/** Loads the layers and the points of a CSV file, with indexes. */
async function loadPostgis(postgis: Postgis, file: string): Promise<void> {
  for (const layer of ['counties', 'timezones', 'places', 'airports']) await postgis.load(embedded, layer)
  for (const layer of ['places', 'airports'])
    await postgis.rows(`CREATE INDEX ON ${layer} USING gist ((geom::geography))`)
  await postgis.rows('CREATE TABLE points (id serial, lat float8, lng float8, geom geometry(Point, 4326))')
  await postgis.rows(`COPY points (lat, lng) FROM '${file}' CSV HEADER`)
  await postgis.rows('UPDATE points SET geom = ST_SetSRID(ST_MakePoint(lng, lat), 4326)')
  await postgis.rows('VACUUM ANALYZE points')
}

/** Joins the points with both layers of polygons. */
function joinWithPostgis(postgis: Postgis): Promise<PeerResult> {
  return askPostgis(
    postgis,
    `SELECT coalesce(min(c.geoid), '') || ',' || coalesce(min(z.tzid), '') AS answer FROM points p
    LEFT JOIN counties c ON ST_Intersects(c.geom, p.geom) LEFT JOIN timezones z ON ST_Intersects(z.geom, p.geom)
    GROUP BY p.id ORDER BY p.id`,
  )
}

/** Also finds the nearest place and the nearest public airport of each point. */
function joinAndFindNearest(postgis: Postgis): Promise<PeerResult> {
  const nearest = (
    layer: string,
    condition: string,
  ) => `(SELECT ST_Distance(geom::geography, p.geom::geography) FROM ${layer}
    WHERE ${condition} ORDER BY geom::geography <-> p.geom::geography LIMIT 1)`
  return askPostgis(
    postgis,
    `SELECT concat_ws(',', coalesce(min(c.geoid), ''), coalesce(min(z.tzid), ''), ${nearest('places', 'true')},
      ${nearest('airports', "site_type_code = 'A' AND facility_use_code = 'PU'")}) AS answer FROM points p
    LEFT JOIN counties c ON ST_Intersects(c.geom, p.geom) LEFT JOIN timezones z ON ST_Intersects(z.geom, p.geom)
    GROUP BY p.id, p.geom ORDER BY p.id`,
  )
}

/** PostGIS works for one connection in one process, so its processor time is close to the duration. */
async function askPostgis(postgis: Postgis, statement: string): Promise<PeerResult> {
  const began_ms = performance.now()
  const rows = await postgis.rows<{ answer: string }>(statement)
  return { answers: rows.map(({ answer }) => answer), seconds: (performance.now() - began_ms) / 1000 }
}

function rate(rows: number, seconds: number): string {
  return `${Math.round(rows / seconds).toLocaleString('en-US')} rows/s`
}
