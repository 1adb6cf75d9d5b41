import { Database } from 'bun:sqlite'
import { mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, deflateSync, zstdCompressSync } from 'node:zlib'
import { blob, boxRing, polygonWkb } from '../../test/packs/encode-wkb.ts'
import { hostilePacks } from '../../test/packs/hostile-packs.ts'
import { writePack } from '../../test/packs/write-pack.ts'
import { buildGeotiff } from '../../test/raster/build-geotiff.ts'
import { lzwZeros } from '../../test/raster/lzw-zeros.ts'
import { craftWorkbook, workbookOfZeros } from '../../test/support/crafted-workbooks.ts'
import type { HostileField } from './hostile-catalog.ts'
import type { ServiceProcess } from './service-process.ts'

type Stage = { data: string; downloads: Map<string, Uint8Array> }

/** A file that somebody sends to the service. `prepare` makes it, `place` puts it where the service reads it. */
export type HostileInput = {
  name: string
  sentBy: 'a publisher' | 'a pack' | 'the operator'
  /** Returns the size of the file. */
  prepare(stage: Stage): number
  place(): void
  /** Asks the service until it has used the file, and returns what it said. */
  ask(service: ServiceProcess): Promise<string>
  fate: RegExp
}

const point = { lat: 39.7392, lng: -104.9903 }
const deadline_ms = 60_000

/** Asks for a field, and returns its error code or status. */
async function askField(
  service: ServiceProcess,
  field: HostileField,
  path = '/v1/fetch',
  place: object = point,
): Promise<string> {
  const response = await service.post(path, { ...place, fields: [field] })
  const { fields } = (await response.json()) as { fields: Record<string, { status: string; error?: string }> }
  const result = fields[field]
  return result?.error?.split(':')[0] ?? result?.status ?? `no answer: ${response.status}`
}

type Ready = {
  checks: {
    packs: { rejected?: { file: string; reason: string }[] }
    catalog: { rejected?: { file: string; errors: string[] }[] }
    sources: Record<string, { state: string }>
  }
}

async function readiness({ url }: ServiceProcess): Promise<Ready['checks']> {
  return ((await (await fetch(new URL('/readyz', url))).json()) as Ready).checks
}

/** Waits until the service rejects a file or serves it. */
async function waitFor(what: () => Promise<string | null>): Promise<string> {
  for (const until = performance.now() + deadline_ms; performance.now() < until; await Bun.sleep(100)) {
    const found = await what()
    if (found !== null) return found
  }
  return 'nothing happened'
}

// oxlint-disable-next-line max-params -- A row of the table of inputs.
function download(name: string, field: HostileField, file: string, make: () => Uint8Array, fate: RegExp): HostileInput {
  let bytes = new Uint8Array()
  let files: Stage['downloads'] | null = null
  return {
    name,
    sentBy: 'a publisher',
    prepare({ downloads }) {
      files = downloads
      bytes = new Uint8Array(make())
      return bytes.length
    },
    place: () => files!.set(file, bytes),
    ask: (service) => askField(service, field),
    fate,
  }
}

// oxlint-disable-next-line max-params -- A row of the table of inputs.
function pack(
  name: string,
  field: HostileField,
  file: string,
  write: (path: string) => void,
  fate: RegExp,
  ask: (service: ServiceProcess, field: HostileField) => Promise<string> = askField,
): HostileInput {
  let part = ''
  let target = ''
  return {
    name,
    sentBy: 'a pack',
    prepare({ data }) {
      mkdirSync(join(data, 'packs'), { recursive: true })
      part = join(data, 'new.part')
      target = join(data, 'packs', file)
      write(part)
      return statSync(part).size
    },
    place: () => renameSync(part, target),
    async ask(service) {
      const rejected = await waitFor(async () => {
        const { packs, sources } = await readiness(service)
        const found = packs.rejected?.find((it) => it.file === file)
        return found ? `rejected: ${found.reason}` : sources[field]?.state !== 'off' ? '' : null
      })
      return rejected === '' ? ask(service, field) : rejected
    },
    fate,
  }
}

function overlay(name: string, make: () => string | { link: string }, fate: RegExp): HostileInput {
  let content: string | { link: string } = ''
  let path = ''
  return {
    name,
    sentBy: 'the operator',
    prepare({ data }) {
      path = join(data, 'catalog.d', 'large.json')
      content = make()
      return typeof content === 'string' ? content.length : 0
    },
    place: () => (typeof content === 'string' ? writeFileSync(path, content) : symlinkSync(content.link, path)),
    ask: (service) =>
      waitFor(async () => {
        const { catalog, sources } = await readiness(service)
        const found = catalog.rejected?.find((it) => it.file === 'large.json')
        return found ? found.errors[0]! : Object.hasOwn(sources, 'large') ? 'live' : null
      }),
    fate,
  }
}

const header = '<row><c t="inlineStr"><is><t>county_fips</t></is></c><c t="inlineStr"><is><t>value</t></is></c></row>'

const textBytes = (text: string) => new TextEncoder().encode(text)
const csvOf = (bytes: number) => {
  const line = `08031,${'x'.repeat(90)}\n`
  return textBytes(`county_fips,value\n${line.repeat(bytes / line.length)}`)
}
const ring = (vertices: number) =>
  Array.from({ length: vertices }, (_, i) => `[${-105 + i / vertices},${39.5 + (i % 2)}]`).join()
const arcgisOf = (features: number, vertices: number, isTruncated = false) => {
  const feature = `{"attributes":{"OBJECTID":1,"NAME":"a"},"geometry":{"rings":[[${ring(vertices)},[-105,39.5]]]}}`
  return textBytes(
    `{"exceededTransferLimit":${isTruncated},"objectIdFieldName":"OBJECTID","geometryType":"esriGeometryPolygon","spatialReference":{"wkid":4326},"fields":[{"name":"OBJECTID","type":"esriFieldTypeOID"},{"name":"NAME","type":"esriFieldTypeString"}],"features":[${Array(features).fill(feature).join()}]}`,
  )
}
const geojsonOf = (features: number, vertices: number) => {
  const feature = `{"type":"Feature","properties":{"NAME":"a"},"geometry":{"type":"Polygon","coordinates":[[${ring(vertices)},[-105,39.5]]]}}`
  return textBytes(`{"type":"FeatureCollection","features":[${Array(features).fill(feature).join()}]}`)
}

const tiff = { width: 64, height: 64, value: () => 7, type: 'uint8', compression: 'deflate' } as const
const place: { origin: [number, number]; step: [number, number] } = { origin: [-105.5, 40], step: [0.01, -0.01] }
/** A GeoTIFF that declares one tile of this size and compression, with these bytes after the header. */
const bombTiff = (width: number, height: number, compression: number, tile: Uint8Array): Uint8Array => {
  const at = 65_536
  const head = buildGeotiff({
    ...tiff,
    ...place,
    tile: 64,
    overriddenTags: {
      256: { type: 4, values: [width] },
      257: { type: 4, values: [height] },
      259: { type: 3, values: [compression] },
      322: { type: 4, values: [width] },
      323: { type: 4, values: [height] },
      324: { type: 4, values: [at] },
      325: { type: 4, values: [tile.length] },
    },
  })
  const file = new Uint8Array(at + tile.length)
  file.set(head)
  file.set(tile, at)
  return file
}
const side = 8192
const lzwTile = () => lzwZeros(side * side)
const zeroTile = () => deflateSync(Buffer.alloc(side * side), { level: 9 })

const square = blob(polygonWkb(boxRing(-105, 39, -104, 40)))
const areas = { layer: 'areas', attributes: ['NAME'] }

const fieldRecord = (name: string) => ({
  name,
  description: 'Made up. '.repeat(20),
  interpretation_hints: 'None.',
  layer: 'large',
  lifecycle: 'experimental',
  type: 'string',
  unit: null,
  null_meaning: 'Nothing there.',
  derivation: null,
  ttl_seconds: 60,
  read: { dataset: 'large', op: 'attribute', attribute: 'NAME' },
  evidence: 'made up',
})
const largeDataset = {
  service: 'large',
  title: 'large',
  publisher: 'Nobody',
  license: 'none needed',
  source_url: 'https://example.org/',
  coverage: { regions: 'everywhere', note: null },
  vintage_note: null,
  ttl_seconds: 60,
  shape: 'features',
  serve: [{ driver: 'pack', file: 'large.gpkg' }],
  bulk: null,
  budget_ms: 1000,
  needs_key: null,
}

/** Every file that a publisher, a pack or the operator's folders can bring. */
export const hostileInputs: HostileInput[] = [
  download(
    'a workbook that inflates to 1.9 GB',
    'hostile_xlsx',
    'table.xlsx',
    () => workbookOfZeros(28),
    /^bad_response$/,
  ),
  download(
    'a workbook that inflates to 64 MB',
    'hostile_xlsx',
    'table.xlsx',
    () => workbookOfZeros(1),
    /^bad_response$/,
  ),
  download(
    'a workbook with 40,000 rows whose first cell is in the 1,000th column',
    'hostile_xlsx',
    'table.xlsx',
    () => craftWorkbook(header + '<row><c r="ALL1"/></row>'.repeat(40_000)),
    /^too_large$/,
  ),
  download(
    'a workbook with 1,000,000 cells',
    'hostile_xlsx',
    'table.xlsx',
    () => craftWorkbook(header + `<row>${'<c><v>8031</v></c>'.repeat(20)}</row>`.repeat(50_000)),
    /^ok$/,
  ),
  download('a CSV table of 16 MB', 'hostile_csv', 'table.csv', () => csvOf(16e6), /^ok$|^too_large$/),
  download(
    'a CSV table with one cell of 16 MB',
    'hostile_csv',
    'table.csv',
    () => textBytes(`county_fips,value\n08031,"${'x'.repeat(16e6)}"\n`),
    /^too_large$|^bad_/,
  ),
  download(
    'a JSON table of 16 MB',
    'hostile_json',
    'table.json',
    () => textBytes(`[${Array(370_000).fill('{"county_fips":"08031","value":"aaaaaaaaaaaa"}').join()}]`),
    /^ok$|^too_large$/,
  ),
  download(
    'a JSON document of 16 MB, the size limit, of empty objects',
    'hostile_rest',
    'reply.json',
    () => textBytes(`{"value":"a","other":[${Array(5_500_000).fill('{}').join()}]}`),
    /^too_large$/,
  ),
  download(
    'a JSON document of 16 MB with 1.4 million empty objects',
    'hostile_rest',
    'reply.json',
    () => textBytes(`{"value":"a","other":[${Array(1_400_000).fill('{}        ').join()}]}`),
    /^ok$/,
  ),
  download(
    'a JSON document of 16 MB nested 10 million levels deep',
    'hostile_rest',
    'reply.json',
    () => textBytes('['.repeat(16e6)),
    /^bad_response$/,
  ),
  download('ArcGIS features of 12 MB', 'hostile_arcgis', 'query', () => arcgisOf(16_000, 30), /^ok$/),
  download('ArcGIS features of 12 MB with 80,000 areas', 'hostile_arcgis', 'query', () => arcgisOf(80_000, 4), /^ok$/),
  download(
    'ArcGIS features of 12 MB on every page',
    'hostile_arcgis',
    'query',
    () => arcgisOf(16_000, 30, true),
    /^ok$|^too_large$/,
  ),
  download('one ArcGIS feature of 12 MB', 'hostile_arcgis', 'query', () => arcgisOf(1, 440_000), /^ok$/),
  download(
    'a JSON list of 8 MB with 100,000 places',
    'hostile_list',
    'list.json',
    () =>
      textBytes(
        `[${Array.from({ length: 100_000 }, (_none, i) => `{"lat":${39 + i / 100_000},"lon":-104.99,"name":"place of a list","n":12345}`).join()}]`,
      ),
    /^ok$|^absent$|^too_large$/,
  ),
  download(
    'a JSON table nested 10 million levels deep',
    'hostile_json',
    'table.json',
    () => textBytes('['.repeat(10e6)),
    /^bad_response$/,
  ),
  download(
    'GeoJSON of 19 MB, like that of the drought monitor',
    'hostile_geojson',
    'areas.geojson',
    () => geojsonOf(100, 7_000),
    /^ok$|^absent$/,
  ),
  download(
    'GeoJSON of 21 MB, the size limit',
    'hostile_geojson',
    'areas.geojson',
    () => geojsonOf(122, 10_000),
    /^ok$|^too_large$/,
  ),
  download(
    'GeoJSON nested 10 million levels deep',
    'hostile_geojson',
    'areas.geojson',
    () => textBytes(`{"type":"FeatureCollection","features":[${'['.repeat(10e6)}`),
    /^bad_response$/,
  ),
  download(
    'a remote GeoTIFF whose tile inflates to 64 MiB',
    'hostile_cog',
    'cells.tif',
    () => bombTiff(side, side, 8, zeroTile()),
    /^ok$|^absent$|^too_large$/,
  ),
  download(
    'a remote GeoTIFF whose tile declares 10^16 cells',
    'hostile_cog',
    'cells.tif',
    () => bombTiff(1e8, 1e8, 8, zeroTile()),
    /^too_large$/,
  ),
  download(
    'a remote GeoTIFF whose LZW tile inflates to 64 MiB',
    'hostile_cog',
    'cells.tif',
    () => bombTiff(side, side, 5, lzwTile()),
    /^ok$|^absent$|^too_large$/,
  ),
  ...Object.entries(hostilePacks).map(([name, write]) =>
    pack(
      `a pack with ${name}`,
      'hostile_area',
      'hostile.gpkg',
      (path) => write({ path, ...areas }),
      /^rejected|^absent$/,
    ),
  ),
  pack(
    'a pack with a geometry of 8 MB, the size limit',
    'hostile_area',
    'hostile.gpkg',
    (path) => writeWideLayer(path, 524_000),
    /^ok$|^absent$/,
  ),
  pack(
    'a pack with a geometry that declares 4 billion vertices',
    'hostile_area',
    'hostile.gpkg',
    (path) => writeWideLayer(path, 4, 0xffffffff),
    /^bad_value$|^rejected/,
  ),
  pack(
    'a pack with 300 polygons of 20,000 positions over a county',
    'hostile_area',
    'hostile.gpkg',
    writeOverlappingLayer,
    /^ok$/,
    (service, field) => askField(service, field, '/v1/areas', { county_fips: '08031' }),
  ),
  pack(
    'a pack with 300 polygons of 20,000 positions around a point',
    'hostile_area',
    'hostile.gpkg',
    writeOverlappingLayer,
    /^too_large$/,
  ),
  pack(
    'a pack with 200,000 features at one point, without an R-tree',
    'hostile_area',
    'hostile.gpkg',
    (path) =>
      void writePack(path)
        .layer(
          'areas',
          Array.from({ length: 200_000 }, () => ({ geom: square, attributes: { NAME: 'a' } })),
        )
        .close(),
    /^ok$|^rejected|^too_large$/,
  ),
  pack(
    'a pack with 50,000 rows without an index',
    'hostile_row',
    'rows.gpkg',
    (path) =>
      void writePack(path)
        .table(
          'rows',
          Array.from({ length: 50_000 }, (_, i) => ({ county_fips: String(i).padStart(5, '0'), value: 'a' })),
        )
        .close(),
    /^ok$|^rejected/,
  ),
  pack(
    'a pack with a table whose schema has 10,000 entries',
    'hostile_area',
    'hostile.gpkg',
    writeWideSchema,
    /^ok$|^rejected/,
  ),
  pack(
    'a GeoTIFF whose DEFLATE tile inflates to 64 MiB',
    'hostile_cell',
    'hostile.tif',
    (path) => writeFileSync(path, bombTiff(side, side, 8, zeroTile())),
    /^ok$|^absent$|^rejected|^too_large/,
  ),
  pack(
    'a GeoTIFF whose LZW tile inflates to 64 MiB',
    'hostile_cell',
    'hostile.tif',
    (path) => writeFileSync(path, bombTiff(side, side, 5, lzwTile())),
    /^ok$|^absent$|^rejected|^too_large/,
  ),
  pack(
    'a GeoTIFF whose ZSTD tile inflates to 4 GB',
    'hostile_cell',
    'hostile.tif',
    (path) => writeFileSync(path, bombTiff(side, side, 50_000, zstdBomb())),
    /^bad_response$|^rejected/,
  ),
  pack(
    'a GeoTIFF whose tile declares 10^16 cells',
    'hostile_cell',
    'hostile.tif',
    (path) => writeFileSync(path, bombTiff(1e8, 1e8, 8, zeroTile())),
    /^rejected/,
  ),
  pack(
    'a GeoTIFF with tiles of 1 by 60 million cells',
    'hostile_cell',
    'hostile.tif',
    (path) => writeFileSync(path, bombTiff(1, 60e6, 8, zeroTile())),
    /^ok$|^absent$|^rejected|^bad_response|^too_large/,
  ),
  {
    ...pack(
      'a link to /dev/zero as a manifest',
      'hostile_area',
      'hostile.gpkg',
      (path) => writeWideLayer(path, 4),
      /^rejected/,
    ),
    prepare({ data }) {
      mkdirSync(join(data, 'packs'), { recursive: true })
      writeWideLayer(join(data, 'packs', 'hostile.gpkg'), 4)
      symlinkSync('/dev/zero', join(data, 'packs', 'hostile.json'))
      return 0
    },
    place: () => {},
  },
  overlay('a catalog file with 3,000 fallbacks inside each other', nestedFallbacks, /nested deeper than 32 levels/),
  overlay(
    'a catalog file with 1,000 fields',
    () =>
      JSON.stringify({
        datasets: { large: largeDataset },
        fields: Array.from({ length: 1_000 }, (_, i) => fieldRecord(`large_${i}`)),
      }),
    /^live$/,
  ),
  overlay(
    'a catalog file of 2 MB of synonyms',
    () =>
      JSON.stringify({
        synonyms: Object.fromEntries(Array.from({ length: 65_000 }, (_, i) => [`word ${i}`, ['county']])),
      }),
    /more than/,
  ),
  overlay(
    'a catalog file with an exponential pattern',
    () =>
      JSON.stringify({
        datasets: { large: largeDataset },
        fields: [
          {
            ...fieldRecord('large_0'),
            read: {
              dataset: 'large',
              op: 'within',
              attribute: 'NAME',
              true_values: { matches: 'a?'.repeat(30) },
              false_values: ['x'],
            },
          },
        ],
      }),
    /Unsupported pattern/,
  ),
  overlay('a link to /dev/zero as a catalog file', () => ({ link: '/dev/zero' }), /not a regular file/),
]

function nestedFallbacks(): string {
  return `{"datasets":${JSON.stringify({ large: largeDataset })},"fields":[{"read":${'{"fallback":['.repeat(3_000)}${']}'.repeat(3_000)}}]}`
}

/** Writes a layer with one ring. `declaredVertices` is the number that its geometry declares. */
function writeWideLayer(path: string, vertices: number, declaredVertices = vertices): void {
  const coordinates = Float64Array.from({ length: 2 * vertices }, (_, i) =>
    i % 2 === 0 ? -105 + i / 2 / vertices : 39 + ((i >> 1) % 2),
  )
  const head = Buffer.from(square).subarray(0, -5 * 16)
  head.writeUInt32LE(declaredVertices, head.length - 4)
  writePack(path)
    .layer('areas', [{ geom: Buffer.concat([head, new Uint8Array(coordinates.buffer)]), attributes: { NAME: 'a' } }], {
      boxes: [[-105, -104, 39, 40]],
    })
    .close()
}

/** Writes 300 polygons of 20,000 positions around Denver. */
function writeOverlappingLayer(path: string): void {
  const head = Buffer.from(square).subarray(0, -5 * 16)
  head.writeUInt32LE(20_001, head.length - 4)
  const features = Array.from({ length: 300 }, (_none, k) => {
    const coordinates = Float64Array.from({ length: 40_002 }, (_, i) => {
      const [vertex, radius] = [(i >> 1) % 20_000, 0.5 + 0.0005 * k + 0.02 * ((i >> 1) % 2)]
      const angle = (2 * Math.PI * vertex) / 20_000
      return i % 2 === 0 ? point.lng + radius * Math.cos(angle) : point.lat + radius * Math.sin(angle)
    })
    return { geom: Buffer.concat([head, new Uint8Array(coordinates.buffer)]), attributes: { NAME: `a${k}` } }
  })
  const boxes = features.map((): [number, number, number, number] => [-105.7, -104.3, 39, 40.5])
  writePack(path).layer('areas', features, { boxes }).close()
}

function writeWideSchema(path: string): void {
  writeWideLayer(path, 4)
  const db = new Database(path)
  db.transaction(() => {
    for (let i = 0; i < 10_000; i++) db.run(`CREATE TABLE other_${i} (a, b, c, d)`)
  })()
  db.close()
}

function zstdBomb(): Uint8Array {
  return zstdCompressSync(Buffer.alloc(1024 ** 3), { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
}
