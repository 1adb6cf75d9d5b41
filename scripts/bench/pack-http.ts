import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureBareServer, reportMeasurement, withProcessorTime } from './bare-server.ts'
import { memory_mb, readUntilWord } from './child.ts'
import { fieldLists } from './field-lists.ts'
import { runProgram } from './gdal.ts'
import { writeBenchLayer, missingRequirement, sampleFolder } from './layers.ts'
import { runLoad, post } from './load.ts'
import { randomOf } from './random.ts'
import { reportFigure, reportSkipped } from './report.ts'

const connections = 32
const warming = 20_000
const measured = 60_000
/** The least rate, as a share of the rate of a bare server. */
const shareMin = 0.12
const tenFields = fieldLists.realPacks
/** The columns that the catalog reads from each pack, and what they are in the real data. */
export const packColumns = {
  'usfws_nwi.gpkg': { ATTRIBUTE: 'ATTRIBUTE', WETLAND_TYPE: 'WETLAND_TY', ACRES: 'ACRES' },
  'geoplatform_power_plants.gpkg': {
    Plant_Name: 'name',
    PrimSource: 'primary_fuel',
    tech_desc: 'primary_fuel',
    Utility_Na: 'owner',
    sector_nam: "''",
    Total_MW: 'capacity_mw',
  },
}
/** The District of Columbia. */
const box = { west: -77.11, south: 38.8, east: -76.91, north: 38.99 }
/** Bounds over the District, in the coordinate system of the real raster, for its cells. */
const overDc = ['1607000', '1942000', '1637000', '1912000']

/**
 * Measures ten fields from packs of real data over HTTP: wetlands of DC, power plants, and real crop cells moved to DC.
 */
export async function benchPackHttp(command: string[], seed: number): Promise<void> {
  const why = missingRequirement()
  if (why) return reportSkipped('ten pack fields over HTTP', why)
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-packs-'))
  const child = await started(command, data)
  try {
    const { url, token } = child
    const random = randomOf(seed)
    const at = () => ({
      lat: box.south + (box.north - box.south) * random(),
      lng: box.west + (box.east - box.west) * random(),
    })
    const [answer, sources] = await live(url, token, at())
    console.log(`drivers: ${sources}`)
    const requests = Array.from({ length: 10_000 }, () => post(url, '/v1/fetch', { ...at(), fields: tenFields }, token))
    const peer = await measureBareServer(answer, tenFields, connections)
    await runLoad(url, requests, warming, connections)
    const it = await withProcessorTime(child.pid, () => runLoad(url, requests, measured, connections))
    reportMeasurement('ten pack fields', it, peer)
    const share = it.rps / peer.rps
    reportFigure(
      'ten pack fields',
      `${it.rps.toFixed(0)} requests/s, ${share.toFixed(2)} of the bare server`,
      share >= shareMin && it.failures === 0,
      `${shareMin} of the bare server`,
    )
    const held_mb = memory_mb(child.pid)
    reportFigure('resident memory after that', `${held_mb.toFixed(0)} MB`, held_mb <= 300, '300 MB')
  } finally {
    await child.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function started(command: string[], data: string) {
  const packs = join(data, 'packs')
  mkdirSync(packs, { recursive: true })
  await made(packs)
  const child = Bun.spawn([...command, 'serve', '--port', '0', '--data', data], {
    stdout: 'pipe',
    stderr: 'ignore',
    env: { ...process.env, FIELDSTONE_OFFLINE: '1', FIELDSTONE_CONCURRENCY: '64', FIELDSTONE_LOG: 'error' },
  })
  const output = await readUntilWord(child.stdout, 'curl')
  return {
    pid: child.pid,
    url: new URL(/http:\/\/[\d.:]+/.exec(output)![0]),
    token: /fst_pat_\w+/.exec(output)![0],
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

function selectOf(columns: Record<string, string>, table: string): string {
  const selected = Object.entries(columns).map(([name, expression]) => `${expression} AS ${name}`)
  return `SELECT geom, ${selected.join(', ')} FROM ${table}`
}

/** Makes the packs as an operator would with GDAL. */
async function made(packs: string): Promise<void> {
  const work = join(packs, '..', 'work')
  mkdirSync(work)
  await writeBenchLayer(work, 'wetlands')
  const raw = join(work, 'wetlands_raw.gpkg')
  await runProgram([
    'ogr2ogr',
    join(packs, 'usfws_nwi.gpkg'),
    raw,
    '-nln',
    'Wetlands',
    '-sql',
    selectOf(packColumns['usfws_nwi.gpkg'], 'wetlands'),
  ])
  const plants = await writeBenchLayer(work, 'plants')
  await runProgram([
    'ogr2ogr',
    join(packs, 'geoplatform_power_plants.gpkg'),
    plants,
    '-nln',
    'geoplatform_power_plants',
    '-sql',
    selectOf(packColumns['geoplatform_power_plants.gpkg'], 'plants'),
  ])
  await runProgram([
    'gdal_translate',
    '-q',
    '-co',
    'TILED=YES',
    '-co',
    'COMPRESS=DEFLATE',
    '-a_ullr',
    ...overDc,
    join(sampleFolder, 'cdl_2021_kansas.tif'),
    join(packs, 'usda_cdl.tif'),
  ])
  rmSync(work, { recursive: true })
  for (const file of ['usfws_nwi.gpkg', 'geoplatform_power_plants.gpkg', 'usda_cdl.tif'])
    if (!existsSync(join(packs, file))) throw new Error(`${file} was not made.`)
}

/** Waits until every field has a value. Returns that answer and the drivers that it names. */
async function live(url: URL, token: string, at: object): Promise<[answer: Uint8Array, drivers: string]> {
  const until_ms = performance.now() + 15_000
  for (;;) {
    const response = await fetch(new URL('/v1/fetch', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...at, fields: tenFields }),
    })
    const bytes = await response.bytes()
    const { fields = {} } = JSON.parse(new TextDecoder().decode(bytes)) as {
      fields?: Record<string, { status: string; driver: string | null; error?: string }>
    }
    const all = Object.entries(fields)
    if (all.length === tenFields.length && all.every(([, { status }]) => status !== 'failed'))
      return [bytes, [...new Set(all.map(([, { driver }]) => driver))].join(', ')]
    if (performance.now() > until_ms)
      throw new Error(
        `The packs are not available: ${JSON.stringify(all.filter(([, { status }]) => status === 'failed'))}`,
      )
    await Bun.sleep(200)
  }
}
