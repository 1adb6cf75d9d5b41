import { describe, expect, test } from 'bun:test'
import { writeToString } from '@fast-csv/format'
import { parseString } from '@fast-csv/parse'
import fc from 'fast-check'
import { artifactColumnsOf } from '../../src/runs/artifacts/artifact-columns.ts'
import { csvCellOf, quotedCellOf } from '../../src/runs/artifacts/csv-cell.ts'
import { resultTextOf, textOfRow } from '../../src/runs/artifacts/result-text.ts'
import { artifactRowOf } from '../../src/runs/artifacts/artifact-row.ts'
import type { StoredEntry } from '../../src/store/runs/runs.ts'

const fields = ['a', 'b_m', 'c']
const columns = ['id', 'a', 'note']

const shapeOf = (fields: string[], inputColumns: string[]) => ({
  fields,
  marginFields: [],
  inputColumns,
  hasOriginalIndex: false,
  hasGeocodes: false,
  hasReasons: false,
})
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', ',', '"', ';', '0', '7', '.', 'x', ' ', "'"),
    maxLength: 8,
  }),
)
const value = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant('02134'),
  fc.constant('-104.9903'),
)
const result = fc.oneof(
  value.map((it) => ({ status: 'ok', value: it })),
  fc.constant({ status: 'absent', value: null }),
  fc.constant({ status: 'failed', value: null }),
)
const degrees = fc.double({ min: -180, max: 180, noNaN: true })

type Entry = {
  ok: boolean
  lat?: number
  lng?: number
  fields?: Record<string, { status: string; value: unknown }>
  error?: { error: string }
}
const answered = fc
  .record({
    lat: degrees,
    lng: degrees,
    results: fc.tuple(result, result, result),
    source: fc.constantFrom('coordinate', 'address'),
  })
  .map(({ lat, lng, results, source }): Entry & { resolved_location: object } => ({
    ok: true,
    lat,
    lng,
    resolved_location: { source },
    fields: Object.fromEntries(fields.map((name, i) => [name, results[i]!])),
  }))
const refused = fc
  .constantFrom('coord_out_of_bounds', 'row_invalid', 'internal_error')
  .map((error): Entry => ({ ok: false, error: { error } }))
const entries = fc.array(fc.tuple(fc.oneof({ weight: 3, arbitrary: answered }, refused), fc.tuple(text, text, text)), {
  minLength: 1,
  maxLength: 12,
})

function storedOf(rows: [Entry, string[]][]): StoredEntry[] {
  return rows.map(([entry, passed], idx) => ({
    idx,
    entry: JSON.stringify({ index: idx, ...entry }),
    input: '{}',
    passthrough: JSON.stringify(passed),
  }))
}

async function cellsOf(stored: StoredEntry[]): Promise<string[][]> {
  const { start, row } = resultTextOf('csv', shapeOf(fields, columns))
  const lines = stored.map((it) => textOfRow(row, artifactRowOf(it, fields, { kind: 'fetch_batch' })))
  return new Promise((resolve, reject) => {
    const rows: string[][] = []
    parseString<string[], string[]>([start, ...lines].join(''), { headers: false })
      .on('error', reject)
      .on('data', (row: string[]) => rows.push(row))
      .on('end', () => resolve(rows))
  })
}

/** The value as a spreadsheet shows it. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? (isFormula(value) ? `'${value}` : value) : JSON.stringify(value)
}
const isFormula = (it: string) => /^[=+\-@\t\r]/.test(it) && !/^[+-](\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?$/i.test(it)

test('a CSV record is the same as the one of a CSV library', async () => {
  const unit = fc.constantFrom('a', '"', ',', ';', '|', '\r', '\n', '\0', ' ', '7', 'ñ')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit, maxLength: 5 }), { minLength: 1, maxLength: 5 }), async (cells) => {
      const library = await writeToString([cells.map(csvCellOf)], {
        headers: false,
        rowDelimiter: '\r\n',
        includeEndRowDelimiter: true,
      })
      expect(`${cells.map(quotedCellOf).join(',')}\r\n`).toBe(library)
    }),
    { numRuns: 500 },
  )
})

test('the CSV of a run has the same values as its JSON, and no cell is a formula', async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (rows) => {
      const stored = storedOf(rows)
      const [header, ...lines] = await cellsOf(stored)
      expect(header).toEqual([
        'index',
        'ok',
        'lat',
        'lng',
        'source',
        'error',
        ...fields,
        'failed_fields',
        'id',
        'input_a',
        'note',
      ])
      expect(lines).toHaveLength(rows.length)
      for (const [i, line] of lines.entries()) {
        const entry = JSON.parse(stored[i]!.entry) as Entry
        const failed = entry.ok ? fields.filter((name) => entry.fields![name]!.status === 'failed') : fields
        expect(line.slice(0, 4)).toEqual([String(i), String(entry.ok), shown(entry.lat), shown(entry.lng)])
        expect(line.slice(5)).toEqual([
          shown(entry.error?.error),
          ...fields.map((name) => shown(entry.fields?.[name]!.value)),
          failed.join(';'),
          ...rows[i]![1].map(shown),
        ])
        expect(line.filter(isFormula)).toEqual([])
      }
    }),
    { numRuns: 200 },
  )
})

test('the GeoJSON of a run is a point for each location that was answered, longitude first, to seven decimals', () => {
  fc.assert(
    fc.property(entries, (rows) => {
      const stored = storedOf(rows)
      const { start, row, separator, end } = resultTextOf('geojson', shapeOf(fields, columns))
      const features = stored.map((it) => textOfRow(row, artifactRowOf(it, fields, { kind: 'fetch_batch' })))
      const collection = JSON.parse(`${start}${features.join(separator)}${end}`) as {
        type: string
        features: {
          type: string
          id: number
          geometry: { type: string; coordinates: number[] } | null
          properties: Record<string, unknown>
        }[]
      }
      expect(collection.type).toBe('FeatureCollection')
      for (const [i, { id, geometry, properties }] of collection.features.entries()) {
        const entry = JSON.parse(stored[i]!.entry) as Entry
        expect([id, properties.ok, properties.error]).toEqual([i, entry.ok, entry.error?.error ?? null])
        if (entry.ok)
          for (const [k, exact] of [entry.lng!, entry.lat!].entries())
            expect(Math.abs(geometry!.coordinates[k]! - exact)).toBeLessThanOrEqual(5.1e-8)
        else expect(geometry).toBeNull()
        expect(fields.map((name) => properties[name])).toEqual(
          fields.map((name) => entry.fields?.[name]!.value ?? null),
        )
        expect(['id', 'input_a', 'note'].map((name) => properties[name])).toEqual(rows[i]![1])
      }
    }),
    { numRuns: 100 },
  )
})

describe('a cell', () => {
  test.each([
    [null, ''],
    [true, 'true'],
    [0, '0'],
    [-1.5, '-1.5'],
    [1e-7, '1e-7'],
    ['02134', '02134'],
    ['-104.9', '-104.9'],
    ['-104,9', '-104,9'],
    ['+1', '+1'],
    ['-', "'-"],
    ['=1+1', "'=1+1"],
    ['+1-1', "'+1-1"],
    ['-cmd', "'-cmd"],
    ['@a', "'@a"],
    ['\ta', "'\ta"],
    ['\ra', "'\ra"],
    [['a', 'b'], 'a;b'],
    [['=a', 'b'], "'=a;b"],
    [['-1'], '-1'],
    [[1, 2], '1;2'],
  ])('%j is %j', (value, cell) => expect(csvCellOf(value)).toBe(cell))
})

const headerOf = (fields: string[], inputColumns: string[]) =>
  artifactColumnsOf(shapeOf(fields, inputColumns)).map(({ name }) => name)

describe('an input column whose name is taken', () => {
  test.each([
    [
      ['ok', 'x'],
      ['input_ok', 'x'],
    ],
    [
      ['a', 'a', 'a'],
      ['input_a', 'input_a_2', 'input_a_3'],
    ],
    [
      ['x', 'x', 'x'],
      ['x', 'input_x', 'input_x_2'],
    ],
    [['taken'], ['input_taken_2']],
    [
      ['input_a', 'a', 'a'],
      ['input_a', 'input_a_2', 'input_a_3'],
    ],
    [
      ['input_a_2', 'a', 'a'],
      ['input_a_2', 'input_a', 'input_a_3'],
    ],
    [
      ['', '', ''],
      ['', 'input_', 'input__2'],
    ],
    [
      ['a', 'a_2', 'a', 'a_2', 'a_2'],
      ['input_a', 'a_2', 'input_a_2', 'input_a_2_2', 'input_a_2_3'],
    ],
  ])('gets the prefix input_, and a number if that name is taken too: %j', (columns, names) => {
    expect(headerOf(['a', 'taken', 'input_taken'], columns).slice(-columns.length)).toEqual(names)
  })

  test('gets a short unique name for each of 32,000 columns', () => {
    const names = headerOf(
      [],
      Array.from({ length: 32_000 }, () => 'a'),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(Math.max(...names.slice(7).map((name) => name.length))).toBe('input_a_32000'.length)
  })
})

test('a margin of error is a column of its own before the input columns, empty where the value has none', () => {
  const columns = artifactColumnsOf({
    fields,
    marginFields: ['b_m'],
    inputColumns: ['b_m_moe'],
    hasOriginalIndex: false,
    hasGeocodes: false,
    hasReasons: false,
  })
  const entryOf = (b_m: object, idx: number): StoredEntry => ({
    idx,
    entry: JSON.stringify({ ok: true, fields: { a: { status: 'ok', value: 1 }, b_m } }),
    input: '{}',
    passthrough: '["mine"]',
  })
  const rows = [{ status: 'ok', value: 0, moe_90: 0 }, { status: 'ok', value: 7, moe_90: null }, { status: 'failed' }]
    .map(entryOf)
    .map((entry) => artifactRowOf(entry, fields, { kind: 'fetch_batch' }))
  expect(columns.slice(9).map(({ name }) => name)).toEqual(['failed_fields', 'b_m_moe', 'input_b_m_moe'])
  expect(rows.map((row) => columns.at(-2)!.valueOf(row))).toEqual([0, null, null])
})

test('the properties of a GeoJSON feature are in the order of the columns, even if their names are numbers', () => {
  const row = artifactRowOf({ idx: 0, entry: '{"ok":false}', input: '{}', passthrough: '["x","y","z"]' }, [], {
    kind: 'fetch_batch',
  })
  expect(textOfRow(resultTextOf('geojson', shapeOf([], ['site', '2020', '__proto__'])).row, row)).toEndWith(
    '"site":"x","2020":"y","__proto__":"z"}}',
  )
})
