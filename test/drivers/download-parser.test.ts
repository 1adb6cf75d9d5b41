import { afterAll, describe, expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import { noDeadline } from '../../src/async/deadline.ts'
import { createJobWorker } from '../../src/async/job-worker.ts'
import { openPackedFeatures } from '../../src/drivers/features/feature-index.ts'
import { openPackedTexts } from '../../src/drivers/pack/packed-texts.ts'
import { createDownloadParser, parseInThisThread, type ParseJobs } from '../../src/drivers/table/parse-download.ts'
import { workers } from '../../src/workers.ts'
import { craftZip, deflatedZeros } from '../files/zip-bombs.ts'

const parser = createDownloadParser(workers.download)
afterAll(() => parser.close())

const bytesOf = (text: string) => new TextEncoder().encode(text)
const table = (text: string, asset = 'https://a.example/t.csv'): ParseJobs['table']['job'] => ({
  editions: [{ year: 2026, bytes: bytesOf(text) }],
  asset,
  format: { key_columns: ['fips'] },
})
const square = (west: number) => ({
  type: 'Feature',
  properties: { NAME: `from ${west}` },
  geometry: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [west, 39],
          [west + 1, 39],
          [west + 1, 40],
          [west, 40],
          [west, 39],
        ],
      ],
    ],
  },
})
const features = (...list: object[]): ParseJobs['features']['job'] => ({
  bytes: bytesOf(JSON.stringify({ type: 'FeatureCollection', features: list })),
  contentType: 'application/json',
  host: 'a.example',
  attributes: undefined,
})

describe('a download is parsed in a worker', () => {
  test('to the rows of each key', async () => {
    const text = `fips,value\n${Array.from({ length: 500 }, (_, i) => `${i},é${i}\n`).join('')}`
    const job = table(text)
    const { editions, ...texts } = await parser.parse('table', job, noDeadline)
    const rows = openPackedTexts(texts)
    expect(JSON.parse(rows.get('00042')!)).toEqual([{ fips: '42', value: 'é42' }])
    expect([rows.has('00499'), rows.has('00500'), [...rows.keys()].length]).toEqual([true, false, 500])
    // The bytes moved to the worker without a copy, and came back.
    expect([job.editions[0]!.bytes.length, editions]).toEqual([0, table(text).editions])
  })

  test('to the places of a list of records, which are found by their attributes', async () => {
    const records = Array.from({ length: 500 }, (_none, i) => ({ y: 39 + i / 1000, x: '-105', name: `place ${i}` }))
    const find = openPackedFeatures(
      await parser.parse(
        'records',
        {
          bytes: bytesOf(JSON.stringify({ list: records })),
          contentType: 'application/json',
          host: 'a.example',
          format: { json_path: '$.list[*]', lat: 'y', lon: 'x', attribute_map: { NAME: 'name' } },
        },
        noDeadline,
      ),
    )
    const [nearest] = await find({ at: { lat: 39.1001, lng: -105 }, radius_m: 50 })
    expect(nearest!.properties).toMatchObject({ NAME: 'place 100' })
  })

  test('to features that are found as in this thread, also across the antimeridian', async () => {
    const wrapping = square(179.5)
    wrapping.geometry.coordinates[0]![0]![1]![0] = -179.5
    wrapping.geometry.coordinates[0]![0]![2]![0] = -179.5
    const job = () => features(square(-105), square(-104), wrapping)
    const [there, here] = [
      await parser.parse('features', job(), noDeadline),
      await parseInThisThread('features', job(), noDeadline),
    ]
    for (const [lng, radius_m] of [
      [-104.5, 0],
      [-103.5, 0],
      [-103.5, 200_000],
      [180, 0],
      [-102, 0],
      [-102, 1],
    ] as const) {
      const query = { at: { lat: 39.5, lng }, radius_m }
      expect(await openPackedFeatures(there)(query)).toEqual(await openPackedFeatures(here)(query))
    }
    const names = async (lng: number) =>
      (await openPackedFeatures(there)({ at: { lat: 39.5, lng }, radius_m: 0 })).map(
        ({ properties }) => properties.NAME,
      )
    expect(await names(-104.5)).toEqual(['from -105'])
    expect(await names(-103.5)).toEqual(['from -104'])
    expect(await names(180)).toEqual(['from 179.5'])
    expect(await names(-102)).toEqual([])
  })

  test('to outlines whose distance is measured, unless they have too many pieces', async () => {
    const zigzag = (edges: number) => {
      const shape = square(-105)
      const ring = Array.from({ length: edges }, (_, i) => [i % 2 === 0 ? -104 : -60, 30 + i / edges])
      shape.geometry.coordinates = [[[...ring, ring[0]!]]]
      return shape
    }
    const query = { at: { lat: 39.5, lng: -105 }, radius_m: 5e6 }
    const parsed = (edges: number) => parser.parse('features', features(zigzag(edges)), noDeadline)
    expect(await openPackedFeatures(await parsed(100))(query)).toMatchObject([{ properties: { NAME: 'from -105' } }])
    expect(openPackedFeatures(await parsed(1_000))(query)).rejects.toMatchObject({ code: 'too_large' })
    expect(await openPackedFeatures(await parsed(1_000))({ ...query, radius_m: 0 })).toEqual([])
  })

  const { deflated, size } = deflatedZeros(28)
  const cases: [string, () => ParseJobs['table']['job'], string][] = [
    ['a line of more than 1,000,000 characters', () => table(`fips,value\n1,${'x'.repeat(1_000_001)}\n`), 'too_large'],
    [
      'more cells than the limit',
      () => table(`fips${',a'.repeat(2_000)}\n${`1${',2'.repeat(2_000)}\n`.repeat(800)}`),
      'too_large',
    ],
    ['9 MB of rows of one key', () => table(`fips,value\n${`1,${'x'.repeat(900)}\n`.repeat(10_000)}`), 'too_large'],
    [
      'a column whose name is long in each row',
      () => table(`fips,${'n'.repeat(900_000)}\n${Array.from({ length: 200 }, (_, i) => `${i},1\n`).join('')}`),
      'too_large',
    ],
    ['JSON that is nested too deeply', () => table('['.repeat(1_000_000), 'https://a.example/t.json'), 'bad_response'],
    [
      'a workbook that inflates to 1.9 GB',
      () => ({
        ...table('', 'https://a.example/t.xlsx'),
        editions: [{ year: 2026, bytes: craftZip([{ name: 'xl/workbook.xml', deflated, declaredSize: size }]) }],
      }),
      'bad_response',
    ],
    [
      'a workbook without a sheet',
      () => ({ ...table('', 'https://a.example/t.xlsx'), editions: [{ year: 2026, bytes: zipSync({}) }] }),
      'bad_response',
    ],
  ]
  test.each(cases)('and is rejected: %s', async (_what, makeJob, code) => {
    expect(parser.parse('table', makeJob(), noDeadline)).rejects.toMatchObject({ code })
    await parser.parse('table', makeJob(), noDeadline).catch(() => {})
  })
})

test('a worker that hangs or fails is replaced for the next job', async () => {
  const scripts = [
    'self.onmessage=()=>{for(;;);}',
    'self.onmessage=()=>{throw new Error("no")}',
    'self.onmessage=()=>postMessage("ok")',
  ]
  let starts = 0
  const worker = createJobWorker<string, string>(() => new Worker(`data:text/javascript,${scripts[starts++]}`))
  expect(worker.run('a', { timeout_ms: 200 })).rejects.toThrow('it did not end within 0.2 s')
  expect(worker.run('b', { timeout_ms: 10_000 })).rejects.toThrow('its thread failed')
  expect(await worker.run('c', { timeout_ms: 10_000 })).toBe('ok')
  expect(starts).toBe(3)
  worker.close()
})
