import { describe, expect, test } from 'bun:test'
import { readUpload } from '../../src/runs/upload/upload.ts'
import { craftWorkbook, workbookOfZeros } from '../support/crafted-workbooks.ts'
import { xlsxOf, type Sheets } from '../upstreams/tables/xlsx.ts'
import { parseCsvCells } from '../../src/web/runs/draft/csv-cells.ts'
import { colorRows, drawingOrderOf } from '../../src/web/runs/coloring.ts'
import { readDraft } from '../../src/web/runs/draft/draft.ts'
import { estimateBilledCalls } from '../../src/web/runs/draft/billed-calls.ts'
import { runPace, addSample, readEntry, runStatusBadge } from '../../src/web/runs/run-progress.ts'
import { RequestError } from '../../src/web/request.ts'
import { readResult, type ResultRow } from '../../src/web/runs/result.ts'
import { createRowSearch, sortRows } from '../../src/web/runs/sorting.ts'

const maxRows = 10_000
const { signal } = new AbortController()
/** An API client that answers with a text in small pieces. */
const apiAnswering = (text: string, size = 5) => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.subarray(at, at + size))
        at += size
      },
    })
  const reject = () => Promise.reject(new Error('This is not asked here.'))
  return {
    get: reject,
    post: reject,
    send: () => {
      at = 0
      return Promise.resolve(new Response(body()))
    },
  }
}

test.each([
  ['a,b', ['a', 'b']],
  ['a,,', ['a', '', '']],
  ['"a, b","c""d"', ['a, b', 'c"d']],
  ['"two\nlines",x', ['two\nlines', 'x']],
  ['""', ['']],
  ['x', ['x']],
  [' "q" ,y', ['q', 'y']],
])('the cells of %j are %j', (record, cells) => expect(parseCsvCells(record, ',')).toEqual(cells))

describe('a file before upload', () => {
  test('that the browser cannot read is reported: a folder, or a deleted file', async () => {
    const gone = new Blob(['lat,lng\n'])
    gone.stream = () =>
      new ReadableStream({ pull: (controller) => controller.error(new DOMException('gone', 'NotFoundError')) })
    expect(await readDraft(gone, { kind: 'fetch_batch', maxRows }).catch((error: unknown) => error)).toMatchObject({
      code: 'file_unreadable',
      retryable: false,
    })
  })

  const files: [name: string, text: string][] = [
    ['coordinates', 'name,lat,lng\na,39.7,-105\nb,x,-105\nc,,\n"d,1",40,-100\n'],
    ['semicolons and a byte order mark', '\uFEFFlatitude;longitude;n\r\n39.7;-105;"a;b"\r\n'],
    ['an address in parts', 'street,city,state,zip\n1777 Broadway,Boulder,CO,80302\n,,,\n'],
    ['a quote that is never closed', 'lat,lng\n39.7,-105\n"40,-100\n41,-101\n'],
    ['a cell too many', 'lat,lng\n39.7,-105,x\n'],
  ]
  for (const kind of ['fetch_batch', 'lookup_batch'] as const) {
    test.each(files)(`is read as the service reads it: %s, ${kind}`, async (_, text) => {
      const draft = await readDraft(new Blob([text]), { kind, maxRows })
      const upload = await readUpload(
        (async function* () {
          yield new TextEncoder().encode(text)
        })(),
        { kind, now: new Date(), rowsMax: 10_000 },
      )
      expect(draft.count).toBe(upload.locations.length)
      expect(draft.unreadable).toBe(upload.locations.errorCounts[0]!)
      expect(draft.header).toEqual(upload.columns)
    })
  }

  test('reports its number of addresses and of distinct ones', async () => {
    const { addresses, distinctAddresses } = await readDraft(new Blob(['address\n1 Main St\n1 MAIN ST\n2 Main St\n']), {
      kind: 'fetch_batch',
      maxRows,
    })
    expect([addresses, distinctAddresses]).toEqual([3, 2])
    expect((await readDraft(new Blob(['lat,lng\n39,-105\n']), { kind: 'lookup_batch', maxRows })).addresses).toBe(0)
  })

  test('names the rows outside the United States, and what is probably wrong with them', async () => {
    const file = new Blob(['lat,lng\n39.7,-105\n-104.9903,39.7392\n39.7,105\n51.5,-0.12\nx,1\n'])
    const draft = await readDraft(file, { kind: 'fetch_batch', maxRows })
    expect([draft.count, draft.outside, draft.unreadable]).toEqual([5, 3, 1])
    expect(draft.rowErrors).toMatchObject([
      { line: 3, reason: expect.stringContaining('The values look swapped') },
      { line: 4, reason: expect.stringContaining('The minus sign of the longitude seems to be missing') },
      { line: 5, reason: '51.5, -0.12 is outside the United States and its territories.' },
      { line: 6, reason: expect.stringContaining('"x"') },
    ])
  })

  test('with too many rows is read only up to the limit', async () => {
    expect(
      (await readDraft(new Blob(['lat,lng\n', '1,1\n'.repeat(50)]), { kind: 'fetch_batch', maxRows: 10 })).count,
    ).toBe(11)
  })

  const sheets: Sheets = [
    ['Notes', [['about this file']]],
    [
      'Sites',
      [['name', 'lat', 'lng'], ['a', 39.7, -105], [], ['b', 'x', -105], ['Zoë "z"', 39.739199999999997, -104.9903]],
    ],
  ]

  test('may be a workbook: a sheet is read as the service reads it, the first by default', async () => {
    const bytes = new Uint8Array(xlsxOf(sheets))
    const options = { kind: 'fetch_batch', maxRows } as const
    const first = await readDraft(new Blob([bytes]), options)
    expect([first.sheets, first.sheet, first.columns]).toEqual([['Notes', 'Sites'], 'Notes', null])
    const draft = await readDraft(new Blob([bytes]), { ...options, sheet: 'Sites' })
    const upload = await readUpload(
      (async function* () {
        yield bytes
      })(),
      { kind: 'fetch_batch', now: new Date(), rowsMax: 10_000, format: { sheet: 'Sites' } },
    )
    expect(draft.sheet).toBe('Sites')
    expect(draft.header).toEqual(upload.columns)
    expect(draft.count).toEqual(upload.locations.length)
    expect(draft.unreadable).toEqual(upload.locations.errorCounts[0]!)
    expect(draft.rowErrors.map(({ line }) => line)).toEqual([4])
    expect(draft.preview.at(-1)).toEqual(['Zoë "z"', '39.7392', '-104.9903'])
  })

  test.each<[string, () => Uint8Array, string?]>([
    ['is damaged', () => xlsxOf(sheets).slice(0, 400)],
    ['is another archive', () => Buffer.from('PK\u0003\u0004')],
    ['inflates beyond the limit', () => workbookOfZeros(2), 'The maximum is 67108864'],
    [
      'has cells that share a long text',
      () =>
        craftWorkbook(
          `<row>${'<c t="s"><v>0</v></c>'.repeat(1000)}</row>`.repeat(40),
          `<sst><si><t>${'x'.repeat(1000)}</t></si></sst>`,
        ),
    ],
  ])('that %s is reported', async (_, make, sentence = '') => {
    const file = new Blob([new Uint8Array(make())])
    const error = await readDraft(file, { kind: 'fetch_batch', maxRows }).catch((it: unknown) => it)
    expect(error).toMatchObject({ code: 'file_unreadable', message: expect.stringContaining(sentence) as unknown })
  })

  test('is read by the selected columns', async () => {
    const file = new Blob(['a,b,where\n39.7,-105,x\nnorth,-105,y\n'])
    const mapping = { lat: 'a', lng: 'b' }
    const draft = await readDraft(file, { kind: 'fetch_batch', maxRows, mapping })
    expect([draft.columns?.lat, draft.columns?.lng, draft.unreadable]).toEqual([0, 1, 1])
    expect((await readDraft(file, { kind: 'fetch_batch', maxRows })).columns).toBeNull()
  })

  test('has an estimate of billed calls: one per location and dataset, and one per distinct address', () => {
    const sources = {
      sources: [
        {
          dataset: 'p',
          title: 'Parcels',
          publisher: '',
          fields: ['parcel_a', 'parcel_b'],
          drivers: [{ driver: 'rest', available: true, state: 'cold' as const, metered: true, vintage: null }],
        },
        {
          dataset: 'c',
          title: 'Counties',
          publisher: '',
          fields: ['county'],
          drivers: [{ driver: 'embedded', available: true, state: 'ready' as const, metered: false, vintage: null }],
        },
      ],
      geocoders: [
        { name: 'geocodio', metered: true },
        { name: 'census', metered: false },
      ],
    }
    const draft = { count: 10, unreadable: 1, outside: 0, addresses: 4, distinctAddresses: 3 }
    expect(
      estimateBilledCalls(
        draft,
        { kind: 'fetch_batch', preset: null, fields: ['parcel_a', 'parcel_b', 'county'] },
        sources,
        {},
      ),
    ).toEqual([
      { calls: 3, provider: 'geocodio', purpose: 'geocoding addresses' },
      { calls: 9, provider: 'Parcels', purpose: 'parcel_a, parcel_b' },
    ])
    expect(
      estimateBilledCalls({ ...draft, addresses: 0 }, { kind: 'fetch_batch', preset: 'x', fields: [] }, sources, {
        x: ['county'],
      }),
    ).toEqual([])
  })
})

describe('one entry of a run', () => {
  const apiWith = (get: () => Promise<unknown>) => ({ get: get as <T>() => Promise<T> })

  test('is read by its index', async () => {
    const paths: string[] = []
    const get = <T>(path: string) => {
      paths.push(path)
      return Promise.resolve({ index: 2, ok: true } as T)
    }
    expect(await readEntry({ get }, 'run_1', 2, signal)).toEqual({ index: 2, ok: true })
    expect(paths).toEqual(['/v1/runs/run_1/results/2'])
  })

  test('is null when the run has no such entry', async () => {
    const api = apiWith(() => Promise.reject(new RequestError(404, 'not_found', 'No such entry.')))
    expect(await readEntry(api, 'run_1', 3, signal)).toBeNull()
  })

  test('keeps other errors', () => {
    const api = apiWith(() => Promise.reject(new RequestError(404, 'run_not_found', 'No such run.')))
    expect(readEntry(api, 'run_1', 3, signal)).rejects.toMatchObject({ code: 'run_not_found' })
  })
})

const csv =
  "index,ok,lat,lng,source,error,n,word,failed_fields,name,code\r\n0,true,39,-105,coordinate,,10,b,,Ten,007\r\n1,true,40,-105,coordinate,,9,,,Nine,010\r\n2,false,,,address,address_not_found,,,n;word,'=SUM(1),1\r\n3,true,41,-105,coordinate,,,a,n,Eleven,2\r\n"
const { columns, rows } = await readResult(
  apiAnswering(csv),
  '/x',
  (name) => (name === 'n' ? ({ type: 'float', unit: 'm' } as never) : undefined),
  signal,
)
const column = (name: string) => columns.find((it) => it.name === name)!
const indexes = (found: readonly ResultRow[]) => found.map(({ index }) => index)

describe('the rows of a result', () => {
  test('have the fields and the uploaded columns, with their texts unchanged', () => {
    expect(columns.map(({ name, kind, isField }) => `${name} ${kind} ${isField}`)).toEqual([
      'n number true',
      'word text true',
      'name text false',
      'code text false',
    ])
    expect(rows[2]).toMatchObject({ ok: false, at: null, error: 'address_not_found' })
    expect(rows[2]!.cells[column('name').at]).toBe('=SUM(1)')
  })

  test('sort numerically, with empty values last in both directions', () => {
    expect(indexes(sortRows(rows, columns, { column: 'n', isDescending: false }))).toEqual([1, 0, 2, 3])
    expect(indexes(sortRows(rows, columns, { column: 'n', isDescending: true }))).toEqual([0, 1, 2, 3])
    expect(indexes(sortRows(rows, columns, null))).toEqual([0, 1, 2, 3])
  })

  test('are found by any of their words, including their error', () => {
    const find = createRowSearch(rows, columns)
    expect([find('TEN'), find('not_found'), find('nine 40'), find('nothing'), find(' ')].map(indexes)).toEqual([
      [0],
      [2],
      [1],
      [],
      [0, 1, 2, 3],
    ])
  })

  test('have colors, with separate ones for missing values and failures', () => {
    const { classes, classOf } = colorRows(rows, column('n'))
    expect(classes.map(({ label, count }) => `${label} ${count}`)).toEqual([
      '9\u00a0m 1',
      '10\u00a0m 1',
      'No value 0',
      'Failed 2',
    ])
    expect(rows.map(classOf)).toEqual([1, 0, 3, 3])
    expect(colorRows(rows, column('word')).classes.map(({ label, count }) => `${label} ${count}`)).toEqual([
      'a 1',
      'b 1',
      'No value 1',
      'Failed 1',
    ])
  })

  test('are drawn with values above those without, and only inside the United States', () => {
    expect(indexes(drawingOrderOf(rows, colorRows(rows, column('n'))))).toEqual([2, 3, 0, 1])
    expect(rows.map(({ at }) => at !== null)).toEqual([true, true, false, true])
  })

  test('are found if they or some of their fields failed', () => {
    const find = createRowSearch(rows, columns)
    expect([find('failed'), find('failed: address not found'), find('failed n')].map(indexes)).toEqual([
      [2, 3],
      [2],
      [2, 3],
    ])
  })

  test('with many words, the rarest share a color; with many numbers, ranges have equal numbers of rows', () => {
    const many = Array.from({ length: 100 }, (_, i): ResultRow => ({
      ...rows[0]!,
      index: i,
      cells: ['', '', '', '', '', '', String(i), `w${i % 10}`],
    }))
    expect(colorRows(many, column('n')).classes.map(({ count }) => count)).toEqual([20, 20, 20, 20, 20, 0, 0])
    expect(colorRows(many, column('word')).classes.map(({ label }) => label)).toEqual([
      'w0',
      'w1',
      'w2',
      'w3',
      'w4',
      '5 others',
      'No value',
      'Failed',
    ])
  })
})

test.each([
  [{ total: 26, failed: 0 }, 0, 'ok', 'Done'],
  [{ total: 26, failed: 24 }, 0, 'failed', 'Finished: 24 of 26 values failed'],
  [null, 0, 'ok', 'Done'],
  [null, 1, 'failed', 'Finished: 1 of 2 rows failed'],
] as const)('a finished run with values %j and %i failed rows is %s: %s', (values, failed, kind, word) => {
  const progress = { total: 2, done: 2, ok: 2 - failed, failed }
  expect(runStatusBadge({ status: 'done', progress, values })).toEqual({ kind, word })
})

test('the pace of a run covers its last seconds, and is unknown before it advances', () => {
  const at = (seconds: number, done: number) => ({ at_ms: seconds * 1000, done })
  expect(runPace([at(0, 0)], { total: 100, done: 0 })).toBeNull()
  expect(runPace([at(0, 5), at(3, 5)], { total: 100, done: 5 })).toBeNull()
  expect(runPace([at(0, 0), at(2, 20)], { total: 100, done: 20 })).toEqual({ rows_per_second: 10, left_seconds: 8 })
  expect(addSample([at(0, 0), at(10, 1)], at(20, 40))).toEqual([at(10, 1), at(20, 40)])
})
