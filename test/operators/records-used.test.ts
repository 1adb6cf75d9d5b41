import { expect, test } from 'bun:test'
import type { Feature, Grid } from '../../src/model/source.ts'
import { attributeOperator } from '../../src/operators/features/attribute.ts'
import { nearestAttributeOperator } from '../../src/operators/features/nearest.ts'
import { pathOperator } from '../../src/operators/features/path.ts'
import { windowOperator } from '../../src/operators/raster/window.ts'
import { zonalOperator } from '../../src/operators/raster/zonal.ts'
import { rowOperator } from '../../src/operators/row.ts'
import { fakeBudget, fieldQuery, gridOf, recordingSource, testFeature } from './fakes.ts'

const [first, second] = [{ name: 'a' }, { name: 'b' }]
const features = recordingSource<unknown, Feature[]>(() => [testFeature(first, 1), testFeature(second, 2)])
const rows = recordingSource<unknown, unknown>(() => [first, second])
const grid = gridOf([
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
])
const raster = recordingSource<unknown, Grid>(() => grid)
type Query = typeof fieldQuery

// The edition and the margin of a value come from these records.
test.each<[string, (query: Query) => unknown, unknown[]]>([
  ['an attribute', (query) => attributeOperator.run({ attribute: 'name' }, features, query, fakeBudget), [first]],
  [
    'a reduced attribute',
    (query) => attributeOperator.run({ attribute: 'name', reducer: 'distinct_join' }, features, query, fakeBudget),
    [first, second],
  ],
  [
    'the nearest feature',
    (query) => nearestAttributeOperator.run({ attribute: 'name', search_radii_m: [10] }, features, query, fakeBudget),
    [first],
  ],
  ['a row', (query) => rowOperator.run({ column: 'name' }, rows, query, fakeBudget), [first]],
  [
    'reduced rows',
    (query) => rowOperator.run({ column: 'name', reducer: 'distinct_join' }, rows, query, fakeBudget),
    [first, second],
  ],
  ['a path', (query) => pathOperator.run({ json_path: '$[0].name' }, rows, query, fakeBudget), [[first, second]]],
  ['a window', (query) => windowOperator.run({ method: 'mean_of_nine', cells: 3 }, raster, query, fakeBudget), [grid]],
  [
    'a zone',
    (query) => zonalOperator.run({ radius_m: 5, reducer: 'class_share', numerator: [1] }, raster, query, fakeBudget),
    [grid],
  ],
])('%s names the records that its value comes from', async (_, run, expected) => {
  const used: unknown[] = []
  await run({ ...fieldQuery, onRecordsUsed: (records) => void used.push(...records) })
  expect(used).toEqual(expected)
})
