import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { compileJsonPath } from '../../src/model/json-path.ts'
import { operators } from '../../src/operators/operators.ts'
import { compilePattern } from '../../src/model/pattern.ts'

const catalog = createCatalog(contents)

/** A read, and every read inside it, as they are after settling. */
function readsOf(read: ReadSpec): Record<string, unknown>[] {
  const inner = [...Object.values(read.from ?? {}).filter((it) => typeof it !== 'string'), ...(read.fallback ?? [])]
  return [read, ...inner.flatMap(readsOf)]
}
const reads = [...catalog.fields.values()].flatMap(({ name, read }) => readsOf(read).map((read) => ({ name, read })))
const refusals = (texts: { name: string; text: unknown }[], compile: (text: string) => unknown) =>
  texts.flatMap(({ name, text }) => {
    try {
      compile(String(text))
      return []
    } catch (error) {
      return [`${name}: ${String(error)}`]
    }
  })

describe('the catalog', () => {
  test('has its 412 fields over 167 datasets, and 13 presets', () => {
    expect([catalog.fields.size, catalog.datasets.size, catalog.presets.size]).toEqual([412, 167, 13])
  })

  test('has paths into documents that compile', () => {
    const paths = reads.flatMap(({ name, read }) => ('json_path' in read ? [{ name, text: read.json_path }] : []))
    expect(paths.length).toBeGreaterThan(50)
    expect(refusals(paths, compileJsonPath)).toEqual([])
  })

  test('has patterns that compile', () => {
    const patterns = reads.flatMap(({ name, read: { test } }) =>
      typeof test === 'object' && test !== null && 'matches' in test ? [{ name, text: test.matches }] : [],
    )
    expect(patterns.length).toBeGreaterThan(0)
    expect(refusals(patterns, compilePattern)).toEqual([])
  })

  test('reads an attribute or column, or works it out, and never both', () => {
    const both = reads.filter(({ read }) => ['attribute', 'row', 'computed'].includes(String(read.op)))
    const odd = both.filter(
      ({ read }) =>
        [read.attribute, read.column, read.expression, read.function].filter((it) => it !== undefined).length !== 1,
    )
    expect(odd.map(({ name }) => name)).toEqual([])
  })

  test('has no name of a code set or of a table of classes left when it is open', () => {
    expect(
      reads
        .filter(
          ({ read }) =>
            read.classes === 'dataset' || typeof read.keep_codes === 'string' || typeof read.numerator === 'string',
        )
        .map(({ name }) => name),
    ).toEqual([])
  })

  test('asks only for operators that are written', () => {
    expect(reads.map(({ read }) => String(read.op)).filter((op) => !Object.hasOwn(operators, op))).toEqual([])
  })

  test('knows of each field which presets it is in', () => {
    expect(catalog.presetsOf('coast_distance_m')).toEqual(
      [...catalog.presets].filter(([, { fields }]) => fields.includes('coast_distance_m')).map(([name]) => name),
    )
    expect(catalog.presetsOf('utm_epsg_code')).toEqual([])
    expect(catalog.presetsOf('no_field')).toEqual([])
  })
})
