import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Point } from '../../src/model/place.ts'
import { packArea, writeGoldenPacks } from '../../test/fetch/golden-packs.ts'
import { writeAddressPack, misspell, textOf } from './addresses.ts'
import { randomPoints, runBulk, stateSizeOf, writePoints } from './bulk-command.ts'
import { runProgram } from './gdal.ts'
import { openPostgis, type Postgis } from './postgis.ts'
import { randomOf } from './random.ts'
import { reportFigure, reportSkipped, reportWithPeer } from './report.ts'

/** The answers of a peer, by the index of the row: the GEOID of the county and the time zone. */
type PeerResult = { answers: string[]; seconds: number }

const embedded = join(import.meta.dir, '..', '..', 'dist', 'embedded.gpkg')
const manyRows = 1_000_000
const mostRows = 5_000_000
const peerRows = 100_000
const addressRows = 100_000
const packRows = 1_000_000
const packFields = [
  'intersects_wetland',
  'wetland_type',
  'wetland_subtype',
  'wetland_acres',
  'nwi_code',
  'fema_flood_zone',
  'fema_flood_zone_subtype',
  'within_floodplain_polygon',
  'coastal_high_hazard',
  'base_flood_elevation_ft',
]
/** The peers answer these fields from the same layers. */
const peerFields = ['county_fips', 'timezone']
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
    await compare(folder, command, at)
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

/** Compares the same two layers, and the answers. */
async function compare(folder: string, command: string[], at: () => Point): Promise<void> {
  const points = await writePoints(join(folder, 'few.csv'), peerRows, at)
  const ours = await runBulk(command, folder, { name: 'few', names: peerFields, workers: 1 })
  const answers = readFileSync(join(folder, 'few.out.csv'), 'utf8')
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',').slice(6, 8).join())
  const postgis = await openPostgis(folder)
  const peers = [
    {
      name: 'GeoPandas',
      promised: 2.5,
      why: 'GeoPandas is not installed',
      answer: () => joinWithGeopandas(folder, 'few'),
    },
    {
      name: 'PostGIS',
      promised: 15,
      why: 'PostGIS is not installed',
      answer: () => (postgis ? joinWithPostgis(postgis, points) : null),
    },
  ]
  for (const { name, promised, why, answer } of peers) {
    const peer = await answer()
    const what = `${peerRows.toLocaleString('en-US')} points, county and time zone, beside ${name}`
    if (!peer) {
      reportSkipped(what, why)
      continue
    }
    reportWithPeer({
      what,
      ours: rate(peerRows, ours.cpu_s),
      peer: rate(peerRows, peer.seconds),
      ratio: peer.seconds / ours.cpu_s,
      promised,
    })
    // Outside the counties, Fieldstone gives no time zone, which is correct for Canada and Mexico.
    const different = peer.answers.filter((it, i) => (it.startsWith(',') ? ',' : it) !== answers[i]).length
    reportFigure(`answers that differ from ${name}`, String(different), different === 0, '0')
  }
  await postgis?.close()
}

/** Joins the points of `<name>.csv` with both layers. Returns null if GeoPandas is not installed. */
export async function joinWithGeopandas(folder: string, name: string): Promise<PeerResult | null> {
  if (Bun.spawnSync([python, '-c', 'import geopandas']).exitCode !== 0) return null
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

/** PostGIS works for one connection in one process, so its processor time is close to the duration. */
async function joinWithPostgis(postgis: Postgis, points: Point[]): Promise<PeerResult> {
  for (const layer of ['counties', 'timezones']) await postgis.load(embedded, layer)
  await postgis.rows('CREATE TABLE points (id integer, geom geometry(Point, 4326))')
  for (let from = 0; from < points.length; from += 10_000) {
    const values = points.slice(from, from + 10_000).map(({ lat, lng }, i) => `(${from + i},${lng},${lat})`)
    await postgis.rows(
      `INSERT INTO points SELECT id, ST_SetSRID(ST_MakePoint(x, y), 4326) FROM (VALUES ${values.join()}) AS v(id, x, y)`,
    )
  }
  await postgis.rows('ANALYZE points')
  const began_ms = performance.now()
  const rows = await postgis.rows<{ answer: string }>(`
    SELECT coalesce(min(c.geoid), '') || ',' || coalesce(min(z.tzid), '') AS answer FROM points p
    LEFT JOIN counties c ON ST_Intersects(c.geom, p.geom) LEFT JOIN timezones z ON ST_Intersects(z.geom, p.geom)
    GROUP BY p.id ORDER BY p.id`)
  return { answers: rows.map(({ answer }) => answer), seconds: (performance.now() - began_ms) / 1000 }
}

function rate(rows: number, seconds: number): string {
  return `${Math.round(rows / seconds).toLocaleString('en-US')} rows/s`
}
