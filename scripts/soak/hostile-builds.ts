import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { hostilePacks } from '../../test/packs/hostile-packs.ts'
import { parquetWithRun } from '../../test/files/parquet-bomb.ts'
import { craftZip, deflatedZeros, zipWith } from '../../test/files/zip-bombs.ts'
import { memory_mb } from '../bench/child.ts'
import type { WorkCost } from './bounded-work.ts'
import { shapeInputs } from './hostile-shapes.ts'

/** An input file of a command, by default of `fieldstone pack build`, and what the command says about it. */
export type BuildInput = { name: string; file: string; write(path: string): void; fate: RegExp; command?: 'area' }

const dataset = 'epa_sole_source_aquifers'
const feature = (properties: object, geometry: unknown = polygonOf()) =>
  JSON.stringify({ type: 'Feature', properties, geometry })
const collection = (...features: string[]) => `{"type":"FeatureCollection","features":[${features.join()}]}`
const { deflated: zeros64, size: size64 } = deflatedZeros(1)
const zeros4096 = deflatedZeros(64)

const inputs: readonly BuildInput[] = [
  ...shapeInputs,
  zip('a ZIP archive of 65 kB that inflates to 64 MiB of zeros', [
    { name: 'a.csv', deflated: zeros64, declaredSize: size64 },
  ]),
  zip('a ZIP archive of 4.2 MB that inflates to 4.3 GB', [
    { name: 'a.csv', deflated: zeros4096.deflated, declaredSize: zeros4096.size - 1 },
  ]),
  zip('a ZIP archive that declares 10 bytes and inflates to 4.3 GB', [
    { name: 'a.csv', deflated: zeros4096.deflated, declaredSize: 10 },
  ]),
  {
    name: 'ZIP archives inside each other, 100 deep',
    file: 'a.zip',
    write: (path) =>
      writeFileSync(
        path,
        Array.from({ length: 100 }).reduce<Buffer>(
          (inner) => zipWith('a.geojson', inner),
          Buffer.from(collection(feature({}))),
        ),
      ),
    fate: /is an archive inside/,
  },
  text(
    'GeoJSON with one feature nested 10 million levels deep',
    'a.geojson',
    () => `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"SSA_NAME":${'['.repeat(10e6)}`,
  ),
  text('GeoJSON with one text of 300 MB', 'a.geojson', () => collection(feature({ SSA_NAME: 'x'.repeat(300e6) }))),
  text('GeoJSON with 3 million vertices in one feature', 'a.geojson', () =>
    collection(feature({ SSA_NAME: 'a' }, polygonOf(3_000_000))),
  ),
  text('a CSV file with one cell of 300 MB', 'a.csv', () => `SSA_NAME,lat,lon\n"${'x'.repeat(300e6)}",40,-100\n`),
  text('a CSV file with 1,000,000 columns', 'a.csv', () => `${'a,'.repeat(1e6)}lat,lon\n${'1,'.repeat(1e6)}40,-100\n`),
  {
    name: 'a gzip file that inflates to 1 GB',
    file: 'a.csv.gz',
    write: (path) => writeFileSync(path, gzipSync(Buffer.alloc(1024 ** 3))),
    fate: /200 times/,
  },
  {
    name: 'a shapefile whose record declares 4 GB',
    file: 'a.shp',
    write(path) {
      const bytes = Buffer.alloc(200)
      bytes.writeUInt32BE(9994, 0)
      bytes.writeUInt32BE(0x7fffffff, 104)
      writeShapefile(path, bytes)
    },
    fate: /is corrupt/,
  },
  {
    name: 'a shapefile whose multipoint declares 4 billion points',
    file: 'a.shp',
    write(path) {
      const bytes = Buffer.alloc(160)
      bytes.writeUInt32BE(9994, 0)
      bytes.writeUInt32BE(26, 104)
      bytes.writeUInt32LE(8, 108)
      bytes.writeUInt32LE(0xffffffff, 144)
      writeShapefile(path, bytes)
    },
    fate: /./,
  },
  {
    name: 'a dBASE file that declares 4 billion rows',
    file: 'a.dbf',
    write(path) {
      const bytes = Buffer.alloc(100)
      bytes[0] = 3
      bytes.writeUInt32LE(0xffffffff, 4)
      bytes.writeUInt16LE(65, 8)
      bytes.writeUInt16LE(1, 10)
      writeFileSync(path, bytes)
    },
    fate: /./,
  },
  {
    name: 'a GeoPackage with a generated geometry column of 900 MB',
    file: 'a.gpkg',
    write: (path) =>
      hostilePacks['a generated geometry column']!({
        path,
        layer: 'EPA_Sole_Source_Aquifers',
        attributes: ['SSA_NAME'],
      }),
    fate: /is a generated column/,
  },
  {
    name: 'a GeoPackage whose page points at itself',
    file: 'a.gpkg',
    write: (path) =>
      hostilePacks['a page that points at itself']!({
        path,
        layer: 'EPA_Sole_Source_Aquifers',
        attributes: ['SSA_NAME'],
      }),
    fate: /corrupt|malformed/,
  },
  {
    name: 'a Parquet file with a run-length encoding that declares a billion values',
    file: 'a.parquet',
    write: (path) => writeFileSync(path, parquetWithRun(2 ** 30)),
    fate: /a run declares/,
  },
  {
    name: 'a FlatGeobuf file whose feature declares 2 GB',
    file: 'a.fgb',
    write: (path) =>
      writeFileSync(path, Buffer.concat([Buffer.from('fgb\x03fgb\x00'), Buffer.from([0xff, 0xff, 0x7f, 0])])),
    fate: /corrupt|truncated/,
  },
]

/**
 * Runs the command of each file whose name has a text, in a process of its own, and measures its memory above that of
 * a small valid file. It cannot make the service pause.
 */
export async function measureBuilds(
  only: string,
): Promise<(Omit<WorkCost, 'input'> & { input: BuildInput; fate: string })[]> {
  const small = { file: 'a.geojson', write: writeSmall, fate: /./ }
  const base_mb = {
    build: (await run({ ...small, name: 'small build' })).peak_mb,
    area: (await run({ ...small, name: 'small area', command: 'area' })).peak_mb,
  }
  const costs: Awaited<ReturnType<typeof measureBuilds>> = []
  for (const input of inputs.filter(({ name }) => name.includes(only))) {
    const { peak_mb, fate, size_bytes } = await run(input)
    const more_mb = peak_mb - base_mb[input.command ?? 'build']
    costs.push({
      input: { ...input, name: `\`${input.command ?? 'pack build'}\`: ${input.name}` },
      sentBy: 'the operator',
      size_bytes,
      memory_mb: more_mb,
      pause_ms: 0,
      fate,
    })
    console.error(input.name, Math.round(more_mb), fate.slice(0, 160))
  }
  return costs
}

function writeSmall(path: string): void {
  writeFileSync(path, collection(feature({ SSA_NAME: 'a' }, polygonOf(3))))
}

async function run(input: BuildInput): Promise<{ peak_mb: number; fate: string; size_bytes: number }> {
  const { folder, remove } = newFolder()
  try {
    const path = join(folder, input.file)
    mkdirSync(join(folder, 'data'))
    input.write(path)
    const words = input.command === 'area' ? ['area', path, '--fields', 'county'] : ['pack', 'build', dataset, path]
    const child = startFieldstone([...words, '--data', join(folder, 'data')], {}, folder)
    let peak_mb = 0
    const sampling = setInterval(() => (peak_mb = Math.max(peak_mb, memoryOf_mb(child.pid))), sample_ms)
    const { out, err } = await child.end()
    clearInterval(sampling)
    return { peak_mb, fate: `${out}${err}`.trim(), size_bytes: Bun.file(path).size }
  } finally {
    remove()
  }
}

const sample_ms = 5

/** The memory of a process, or 0 if it has just ended. */
function memoryOf_mb(pid: number): number {
  try {
    return memory_mb(pid)
  } catch {
    return 0
  }
}

function zip(name: string, members: Parameters<typeof craftZip>[0]): BuildInput {
  return { name, file: 'a.zip', write: (path) => writeFileSync(path, craftZip(members)), fate: /a\.(zip|csv)/ }
}

function text(name: string, file: string, make: () => string): BuildInput {
  return { name, file, write: (path) => writeFileSync(path, make()), fate: /./ }
}

function polygonOf(vertices = 4): unknown {
  const ring = Array.from({ length: vertices }, (_, i) => [-105 + i / vertices, 39 + (i % 2)])
  return { type: 'Polygon', coordinates: [[...ring, ring[0]]] }
}

function writeShapefile(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes)
  writeFileSync(
    path.replace(/\.shp$/, '.prj'),
    'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]',
  )
}
