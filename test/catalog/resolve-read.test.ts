import { describe, expect, test } from 'bun:test'
import type { Dataset, ReadSpec } from '../../src/catalog/records.ts'
import { resolveRead } from '../../src/catalog/resolve-read.ts'
import { datasetOf } from './made-up.ts'

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
/** As the catalog has it, but with members that only some operators have. */
const read = (it: Record<string, unknown>) => it as unknown as ReadSpec
const settle = (it: Record<string, unknown>) => resolveRead(read(it), datasets) as unknown as Record<string, unknown>

describe('a settled read has', () => {
  const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
    [
      'the classes of its dataset in place of their name',
      { dataset: 'crops', op: 'sample', classes: 'dataset' },
      { classes: { 1: 'Corn', 5: 'Soybeans' } },
    ],
    [
      'its own classes when it has some',
      { dataset: 'crops', op: 'sample', classes: { 1: 'Maize' } },
      { classes: { 1: 'Maize' } },
    ],
    [
      'the codes of a set in place of its name: those it keeps',
      { dataset: 'crops', op: 'series', keep_codes: 'all' },
      { keep_codes: [1, 4, 5] },
    ],
    ['those it counts', { dataset: 'crops', op: 'zonal', numerator: 'grain' }, { numerator: [1, 4] }],
    [
      'those it tests for',
      { dataset: 'crops', op: 'sample', test: { in: 'grain', above: 0 } },
      { test: { in: [1, 4], above: 0 } },
    ],
    ['its own codes when it has some', { dataset: 'crops', op: 'zonal', numerator: [9] }, { numerator: [9] }],
    [
      'the sentinels, the levels and the attribute that makes features one, of a dataset of features',
      { dataset: 'roads', op: 'count' },
      { sentinels: [-9999, 'n/a'], levels: [2, 6], distinct: 'OID' },
    ],
    [
      'its own sentinels, levels and attribute when it has some',
      { dataset: 'roads', op: 'count', sentinels: [], levels: [1], distinct: 'NAME' },
      { sentinels: [], levels: [1], distinct: 'NAME' },
    ],
    [
      'the sentinels of a document, which has no features to make one',
      { dataset: 'soils', op: 'row' },
      { sentinels: [''] },
    ],
    ['nothing more where the dataset says nothing', { dataset: 'plain', op: 'count', radius_m: 5 }, { radius_m: 5 }],
    [
      'a test that is a word as it is',
      { dataset: 'soils', op: 'path', test: 'exists' },
      { sentinels: [''], test: 'exists' },
    ],
  ]
  test.each(cases)('%s', (_name, before, after) => {
    expect(settle(before)).toEqual({ dataset: before.dataset, op: before.op, ...after })
  })

  test('what the datasets of its inputs and fallbacks say, each for itself, to any depth', () => {
    const inner = { dataset: 'crops', op: 'sample', classes: 'dataset' }
    const deep = {
      dataset: 'plain',
      op: 'computed',
      expression: 'a',
      from: { a: 'a_field', b: { ...inner, fallback: [{ dataset: 'roads', op: 'count' }] } },
      fallback: [{ ...inner, when: ['absent'] }],
    }
    expect(settle(deep)).toEqual({
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

  test('left what it was made from as it was', () => {
    const before = {
      dataset: 'crops',
      op: 'sample',
      test: { in: 'grain' },
      fallback: [{ dataset: 'roads', op: 'count' }],
    }
    const copy = structuredClone(before)
    settle(before)
    expect(before).toEqual(copy)
  })
})
