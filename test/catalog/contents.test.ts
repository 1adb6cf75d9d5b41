import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { withNestedReads } from '../../src/catalog/read-spec.ts'
import { compileJsonPath } from '../../src/model/json-path.ts'
import { operators } from '../../src/operators/operators.ts'
import { compilePattern } from '../../src/model/pattern.ts'

const catalog = createCatalog(contents)

const reads = [...catalog.fields.values()].flatMap(({ name, read }) =>
  withNestedReads(read).map((nested) => ({ name, read: nested as unknown as Record<string, unknown> })),
)
const compileErrors = (texts: { name: string; text: unknown }[], compile: (text: string) => unknown) =>
  texts.flatMap(({ name, text }) => {
    try {
      compile(String(text))
      return []
    } catch (error) {
      return [`${name}: ${String(error)}`]
    }
  })

describe('the catalog', () => {
  test('indexes all fields, datasets and presets of the contents', () => {
    expect(catalog.fields.size).toEqual(contents.fields.length)
    expect(catalog.datasets.size).toEqual(Object.keys(contents.datasets).length)
    expect(catalog.presets.size).toEqual(Object.keys(contents.presets).length)
  })

  test('says with how many decimals each float is answered', () => {
    const floats = contents.fields.filter(({ type }) => type === 'float')
    expect(floats.length).toBeGreaterThan(100)
    expect(floats.filter(({ decimals }) => decimals === undefined).map(({ name }) => name)).toEqual([])
  })

  test('has JSON paths that compile', () => {
    const paths = reads.flatMap(({ name, read }) => ('json_path' in read ? [{ name, text: read.json_path }] : []))
    expect(paths.length).toBeGreaterThan(50)
    expect(compileErrors(paths, compileJsonPath)).toEqual([])
  })

  test('has patterns that compile', () => {
    const patterns = reads.flatMap(({ name, read: { true_values, false_values } }) =>
      [true_values, false_values].flatMap((it) =>
        typeof it === 'object' && it !== null && 'matches' in it ? [{ name, text: it.matches }] : [],
      ),
    )
    expect(patterns.length).toBeGreaterThan(0)
    expect(compileErrors(patterns, compilePattern)).toEqual([])
  })

  test('reads either an attribute or column or computes the value, never both', () => {
    const both = reads.filter(({ read }) =>
      ['attribute', 'nearest_attribute', 'row', 'computed'].includes(String(read.op)),
    )
    const odd = both.filter(
      ({ read }) =>
        [read.attribute, read.column, read.expression, read.percentage, read.function].filter((it) => it !== undefined)
          .length !== 1,
    )
    expect(odd.map(({ name }) => name)).toEqual([])
  })

  test('has no unresolved names of code sets or class tables', () => {
    expect(
      reads
        .filter(
          ({ read }) =>
            read.classes === 'dataset' || typeof read.keep_codes === 'string' || typeof read.numerator === 'string',
        )
        .map(({ name }) => name),
    ).toEqual([])
  })

  test('uses only existing operators', () => {
    expect(reads.map(({ read }) => String(read.op)).filter((op) => !Object.hasOwn(operators, op))).toEqual([])
  })

  test('knows the presets of each field', () => {
    expect(catalog.presetsOf('coast_distance_m')).toEqual(
      [...catalog.presets].filter(([, { fields }]) => fields.includes('coast_distance_m')).map(([name]) => name),
    )
    expect(catalog.presetsOf('magnetic_field_strength_nt')).toEqual([])
    expect(catalog.presetsOf('no_field')).toEqual([])
  })
})
