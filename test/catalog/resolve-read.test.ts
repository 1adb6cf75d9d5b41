import { describe, expect, test } from 'bun:test'
import type { Dataset, ReadSpec } from '../../src/catalog/records.ts'
import { resolveRead } from '../../src/catalog/resolve-read.ts'
import { datasetOf } from '../support/catalog-contents.ts'

const datasets: Record<string, Dataset> = {
  crops: datasetOf({
    shape: 'raster',
    classes: { 1: 'Corn', 5: 'Soybeans' },
    code_sets: { grain: [1, 4], all: [1, 4, 5] },
  }),
  roads: datasetOf({ distinct: 'OID', sentinels: [-9999, 'n/a'], levels: [2, 6] }),
  soils: datasetOf({ shape: 'document', sentinels: [''], distinct: 'OID' }),
  plain: datasetOf(),
}
/** A read with members that only some operators have. */
const read = (it: Record<string, unknown>) => it as unknown as ReadSpec
const resolve = (it: Record<string, unknown>) => resolveRead(read(it), datasets) as unknown as Record<string, unknown>

describe('a resolved read has', () => {
  const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
    [
      'the classes of its dataset instead of their name',
      { dataset: 'crops', op: 'sample', classes: 'dataset' },
      { classes: { 1: 'Corn', 5: 'Soybeans' } },
    ],
    [
      'its own classes if it defines them',
      { dataset: 'crops', op: 'sample', classes: { 1: 'Maize' } },
      { classes: { 1: 'Maize' } },
    ],
    [
      'the codes of a set instead of its name in keep_codes',
      { dataset: 'crops', op: 'series', keep_codes: 'all' },
      { keep_codes: [1, 4, 5] },
    ],
    [
      'the codes of a set instead of its name in numerator',
      { dataset: 'crops', op: 'zonal', numerator: 'grain' },
      { numerator: [1, 4] },
    ],
    [
      'the codes of a set, or of all classes, instead of the name in the values of a flag',
      { dataset: 'crops', op: 'sample', true_values: 'grain', false_values: 'classes' },
      { true_values: [1, 4], false_values: ['1', '5'] },
    ],
    ['its own codes if it defines them', { dataset: 'crops', op: 'zonal', numerator: [9] }, { numerator: [9] }],
    [
      'the sentinels, levels and distinct attribute of a features dataset',
      { dataset: 'roads', op: 'count' },
      { sentinels: [-9999, 'n/a'], levels: [2, 6], distinct: 'OID' },
    ],
    [
      'its own levels and distinct attribute if it defines them, and its own sentinels in addition',
      { dataset: 'roads', op: 'count', sentinels: [0, -9999], levels: [1], distinct: 'NAME' },
      { sentinels: [-9999, 'n/a', 0], levels: [1], distinct: 'NAME' },
    ],
    [
      'the sentinels of a document dataset, but not its distinct attribute',
      { dataset: 'soils', op: 'row' },
      { sentinels: [''] },
    ],
    ['nothing added if the dataset defines nothing', { dataset: 'plain', op: 'count', radius_m: 5 }, { radius_m: 5 }],
    [
      'an unchanged test that is a word',
      { dataset: 'soils', op: 'path', test: 'exists' },
      { sentinels: [''], test: 'exists' },
    ],
  ]
  test.each(cases)('%s', (_name, before, after) => {
    expect(resolve(before)).toEqual({ dataset: before.dataset, op: before.op, ...after })
  })

  test('nested inputs and fallbacks resolved with their own datasets, to any depth', () => {
    const inner = { dataset: 'crops', op: 'sample', classes: 'dataset' }
    const deep = {
      dataset: 'plain',
      op: 'computed',
      expression: 'a',
      from: { a: 'a_field', b: { ...inner, fallback: [{ dataset: 'roads', op: 'count' }] } },
      fallback: [{ ...inner, when: ['absent'] }],
    }
    expect(resolve(deep)).toEqual({
      dataset: 'plain',
      op: 'computed',
      expression: 'a',
      from: {
        a: 'a_field',
        b: {
          dataset: 'crops',
          op: 'sample',
          classes: { 1: 'Corn', 5: 'Soybeans' },
          fallback: [{ dataset: 'roads', op: 'count', sentinels: [-9999, 'n/a'], levels: [2, 6], distinct: 'OID' }],
        },
      },
      fallback: [{ dataset: 'crops', op: 'sample', classes: { 1: 'Corn', 5: 'Soybeans' }, when: ['absent'] }],
    })
  })

  test('its input left unchanged', () => {
    const before = {
      dataset: 'crops',
      op: 'sample',
      true_values: 'grain',
      fallback: [{ dataset: 'roads', op: 'count' }],
    }
    const copy = structuredClone(before)
    resolve(before)
    expect(before).toEqual(copy)
  })
})
