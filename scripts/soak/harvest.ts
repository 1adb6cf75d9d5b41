import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { fieldsWithoutCopy } from '../sources/fields-without-copy.ts'
import { newFolder, startFieldstone, type Fieldstone } from '../../test/cli/fieldstone.ts'
import { testKeys } from '../../test/upstreams/online-service.ts'
import { openUpstreams } from '../../test/upstreams/upstreams.ts'
import { memory_mb } from '../bench/child.ts'
import { randomOf } from '../bench/random.ts'
import { atMost, type Finding } from './finding.ts'

/** Smaller numbers for a quick run. */
const kills = Number(process.env.SOAK_KILLS ?? 30)
const features = Number(process.env.SOAK_FEATURES ?? 1_000_000)
const points = Number(process.env.SOAK_POINTS ?? 200)
const memoryMax_mb = 300
/** Two requests are under way at a time, and one may have been answered but not saved. */
const repeatsPerKill = 3
const boulder = ['--area', 'Boulder County, CO', '--verify', '0']
/**
 * Layers of an ArcGIS service, a list of records, a raster file, soil map units, the records of counties, and the files
 * of a state.
 */
const datasets = 'epa_attains_gis,usgs_uswtdb,usda_solus100,usda_ssurgo_mapunit,bls_qcew_county,usgs_nhd_flowline'

/**
 * Kills copies of an area at random moments, copies a very large layer, and copies all datasets for a county and
 * compares their answers with those of the services.
 */
export async function soakHarvest(): Promise<Finding[]> {
  return [...(await killCopies()), ...(await copyLargeLayer()), ...(await copyEverything())]
}

/** Copies everything for a county in one command. The guide lists the fields that cannot be copied. */
async function copyEverything(): Promise<Finding[]> {
  const upstreams = openUpstreams()
  const { folder, remove } = newFolder()
  const overpass = { FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter' }
  const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, ...overpass, ...testKeys }
  const words = ['pack', 'fetch', '--all', '--area', 'Boulder County, CO', '--verify', String(points), '--yes']
  try {
    const { out, err } = await startFieldstone(words, env, folder).end()
    const numberIn = (pattern: RegExp) => Number(pattern.exec(out)?.[1]?.replaceAll(',', '') ?? NaN)
    const catalog = createCatalog(contents)
    const copied = catalog.fields.size - fieldsWithoutCopy(catalog).length
    const missing = copied - numberIn(/^([\d,]+) of [\d,]+ fields can be answered/m)
    const differences = numberIn(/with the services: ([\d,]+) difference/)
    if (missing > 0 || differences > 0) console.error(out.slice(-4_000), err.slice(-2_000))
    return [
      atMost('S3', 'fields that a county lacks after `pack fetch --all`, and the guide does not list', missing, {
        bound: 0,
        unit: 'fields',
      }),
      atMost('S3', `answers of packs that differ from the services at ${points} points and 20 borders`, differences, {
        bound: 0,
        unit: 'answers',
      }),
    ]
  } finally {
    upstreams.close()
    remove()
  }
}

async function killCopies(): Promise<Finding[]> {
  const upstreams = openUpstreams()
  const { folder, remove } = newFolder()
  const random = randomOf(20_261_122)
  const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }
  const fetchInto = (data: string) =>
    startFieldstone(['pack', 'fetch', '--dataset', datasets, ...boulder, '--data', data], env, folder)
  try {
    if ((await fetchInto('whole').end()).code !== 0) throw new Error('The copy that is not interrupted failed.')
    const whole = packsIn(join(folder, 'whole'))
    const calls = upstreams.calls.length
    let different = 0
    let repeated = 0
    for (let kill = 0; kill < kills; kill++) {
      const begin = upstreams.calls.length
      const killed = fetchInto('killed')
      const killAt = begin + Math.ceil(random() * calls)
      await killWhen(killed, () => upstreams.calls.length >= killAt)
      const { code } = await fetchInto('killed').end()
      // Both commands plan first. A plan asks for the sizes again.
      repeated += Math.max(0, copiesIn(upstreams.calls.slice(begin)) - copiesIn(upstreams.calls.slice(0, calls)))
      if (code !== 0 || JSON.stringify(packsIn(join(folder, 'killed'))) !== JSON.stringify(whole)) different++
      rmSync(join(folder, 'killed'), { recursive: true })
    }
    return [
      atMost('S1', `copies that differ after ${kills} kills at random moments`, different, {
        bound: 0,
        unit: 'copies',
      }),
      atMost('S1', 'requests for data that were sent again', repeated, {
        bound: repeatsPerKill * kills,
        unit: 'requests',
      }),
    ]
  } finally {
    upstreams.close()
    remove()
  }
}

/** Kills a process when a condition holds, unless it ends before. */
async function killWhen(child: Fieldstone, condition: () => boolean): Promise<void> {
  const timer = setInterval(() => condition() && child.signal('SIGKILL'), 1)
  await child.end()
  clearInterval(timer)
}

/** The requests for the data itself. */
function copiesIn(calls: ReturnType<typeof openUpstreams>['calls']): number {
  const isForData = /objectIds=|xlong=|STAsText|\/area\/\d{5}\.csv/
  return calls.filter(({ path, query, body }) => isForData.test(`${path} ${query.toString()} ${body}`)).length
}

/** The checksums of the packs, by file. Manifests have the time of the copy. */
function packsIn(data: string): Record<string, string> {
  const packs = join(data, 'packs')
  if (!existsSync(packs)) return {}
  const files = readdirSync(packs, { recursive: true })
    .map(String)
    .filter((file) => /\.(gpkg|tif)$/.test(file))
  const hashOf = (file: string) => new Bun.CryptoHasher('sha256').update(readFileSync(join(packs, file))).digest('hex')
  return Object.fromEntries(files.toSorted().map((file) => [file, hashOf(file)]))
}

/** Copies a layer of points that a local server makes up, and measures the memory of the command. */
async function copyLargeLayer(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const server = Bun.serve({ port: 0, fetch: answerLayer })
  const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: `http://localhost:${server.port}` }
  const child = startFieldstone(['pack', 'fetch', '--dataset', 'epa_tri', ...boulder, '--yes'], env, folder)
  let peak_mb = 0
  const timer = setInterval(() => (peak_mb = Math.max(peak_mb, memoryOf(child.pid))), 100)
  try {
    const { code, out, err } = await child.end()
    clearInterval(timer)
    const copied = Number(/epa_tri, ([\d,]+) features/.exec(out)?.[1]?.replaceAll(',', '') ?? 0)
    if (code !== 0) console.error(err.slice(-2_000))
    return [
      atMost('S2', `memory while ${features.toLocaleString('en-US')} features are copied`, peak_mb, {
        bound: memoryMax_mb,
        unit: 'MB',
      }),
      atMost('S2', 'features that the pack lacks', features - copied, { bound: 0, unit: 'features' }),
    ]
  } finally {
    clearInterval(timer)
    await server.stop(true)
    remove()
  }
}

/** The memory of the process in MB; 0 after its end. */
function memoryOf(pid: number): number {
  try {
    return memory_mb(pid)
  } catch {
    return 0
  }
}

const fields = ['OBJECTID', 'FACILITY_NAME', 'CITY_NAME'].map((name, i) => ({
  name,
  type: i === 0 ? 'esriFieldTypeOID' : 'esriFieldTypeString',
}))

/** A layer with points in a grid over Boulder County. */
async function answerLayer(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const query = new URLSearchParams([...url.searchParams, ...new URLSearchParams(await request.text())])
  if (!url.pathname.endsWith('/query'))
    return Response.json({
      id: 1,
      fields,
      objectIdField: 'OBJECTID',
      geometryType: 'esriGeometryPoint',
      maxRecordCount: 1_000,
    })
  if (query.get('returnCountOnly') === 'true') return Response.json({ count: features })
  if (query.get('returnIdsOnly') === 'true')
    return Response.json({
      objectIdFieldName: 'OBJECTID',
      objectIds: Array.from({ length: features }, (_, i) => i + 1),
    })
  const ids = (query.get('objectIds') ?? '').split(',').map(Number)
  return Response.json({
    objectIdFieldName: 'OBJECTID',
    geometryType: 'esriGeometryPoint',
    spatialReference: { wkid: 4326 },
    fields,
    features: ids.map((id) => ({
      attributes: { OBJECTID: id, FACILITY_NAME: `Made-up facility ${id}`, CITY_NAME: 'BOULDER' },
      geometry: { x: -105.6 + ((id % 1_000) / 1_000) * 0.5, y: 39.95 + (Math.floor(id / 1_000) / 1_000) * 0.3 },
    })),
  })
}
