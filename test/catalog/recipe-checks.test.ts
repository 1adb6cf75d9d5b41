import { expect, test } from 'bun:test'
import type { Dataset } from '../../src/catalog/records.ts'
import { catalogErrorsOf } from '../../src/catalog/checks.ts'
import { withOverlays, contentsOf, datasetOf, usualDatasets } from '../support/catalog-contents.ts'

type Recipe = NonNullable<Dataset['recipe']>
const files = ['https://example.gov/all.zip']
const records: NonNullable<Recipe['records']> = {
  member: 'a.dat',
  begins: 'A',
  columns: ['a', 'd', 'm', 's', 'w'],
  lat: ['d', 'm', 's', 'w'],
  lng: ['d', 'm', 's', 'w'],
}
const recipeErrorsOf = (
  recipe: unknown,
  serve: Dataset['serve'] = [{ driver: 'pack', file: 'a.gpkg', layer: 'a' }],
  more: Partial<Dataset> = {},
) =>
  catalogErrorsOf(
    contentsOf([], {
      datasets: { ...usualDatasets, it: datasetOf({ shape: 'features', serve, recipe: recipe as Recipe, ...more }) },
    }),
  )
const raster: Dataset['serve'] = [{ driver: 'pack', file: 'a.tif' }]

const cases: [what: string, errors: string[], expected: string][] = [
  [
    'no URL',
    recipeErrorsOf({ files: [] }),
    'dataset it, recipe: /files: Expected array length to be greater or equal to 1',
  ],
  [
    'a URL without TLS',
    recipeErrorsOf({ files: ['http://example.gov/a.zip'] }),
    "dataset it, recipe: /files/0: Expected string to match '^https://[^ ]+$'",
  ],
  [
    'rasters of states',
    recipeErrorsOf({ files: ['https://example.gov/{ST}.zip'], rasters: [{ file: 'a.tif', member: 'a' }] }, raster),
    'dataset it, recipe: has files of states or counties, which can only be built as features',
  ],
  ['an unknown member', recipeErrorsOf({ files, shell: 'rm' }), 'dataset it, recipe: /shell: Unexpected property'],
  [
    'no pack',
    recipeErrorsOf({ files }, [{ driver: 'embedded', layer: 'a' }]),
    'dataset it, recipe: the dataset has no pack driver, so a recipe has no use',
  ],
  [
    'a raster that no pack driver reads',
    recipeErrorsOf({ files, rasters: [{ file: 'b.tif', member: 'b' }] }, raster, { shape: 'raster' }),
    'dataset it, recipe: makes b.tif, but no pack driver reads it',
  ],
  [
    'a missing raster',
    recipeErrorsOf({ files, rasters: [{ file: 'b.tif', member: 'b' }] }, raster, { shape: 'raster' }),
    'dataset it, recipe: does not make a.tif, which a pack driver reads',
  ],
  [
    'a raster per level without levels',
    recipeErrorsOf(
      { files, rasters: [{ file: 'a{level}.tif', member: 'a' }] },
      [{ driver: 'pack', file: 'a{level}.tif' }],
      { shape: 'raster' },
    ),
    'dataset it, recipe: makes a{level}.tif for each level, but `levels` is not set or `member` does not contain {level}',
  ],
  [
    'an unknown coordinate system',
    recipeErrorsOf({ files, rasters: [{ file: 'a.tif', member: 'a', geo_keys: { 1024: 1, 3072: 9999 } }] }, raster, {
      shape: 'raster',
    }),
    'dataset it, recipe: Unknown coordinate system "EPSG:9999".',
  ],
  [
    'geo_keys without a coordinate system',
    recipeErrorsOf({ files, rasters: [{ file: 'a.tif', member: 'a', geo_keys: { 1024: 1 } }] }, raster, {
      shape: 'raster',
    }),
    'dataset it, recipe: geo_keys define no coordinate system',
  ],
  [
    'a layer that no pack driver reads',
    recipeErrorsOf({ files, layers: [{ layer: 'b' }] }, [{ driver: 'pack', file: 'a.gpkg', layers: ['a'] }]),
    'dataset it, recipe: makes layer b, but no pack driver reads it',
  ],
  [
    'a missing layer',
    recipeErrorsOf({ files, layers: [{ layer: 'b' }] }, [{ driver: 'pack', file: 'a.gpkg', layers: ['a'] }]),
    'dataset it, recipe: does not make layer a, which a pack driver reads',
  ],
  [
    'degrees in an unknown column',
    recipeErrorsOf({ files, records: { ...records, lat: ['x', 'm', 's', 'w'] } }),
    'dataset it, recipe: reads column x, which is not in columns',
  ],
  [
    'an unknown key',
    recipeErrorsOf({
      files,
      records: { ...records, joins: [{ member: 'b.dat', begins: 'B', columns: ['k'], by: 'a', take: ['k'] }] },
    }),
    'dataset it, recipe: reads column a, which is not in columns',
  ],
]
test.each(cases)('a recipe with %s has an error', (_, errors, expected) => expect(errors).toContain(expected))

test('a valid recipe has no errors', () => {
  expect(recipeErrorsOf({ files, complete: true, records, keep: ['a'], where: 'a > 1' })).toEqual([])
  expect(recipeErrorsOf({ files, rasters: [{ file: 'a.tif', member: 'a*' }] }, raster, { shape: 'raster' })).toEqual([])
})

test('an overlay may have a recipe of the same form', () => {
  const dataset = datasetOf({ shape: 'features', serve: [{ driver: 'pack', file: 'a.gpkg', layer: 'a' }] })
  const file = (recipe: unknown) => [
    { file: 'own.json', text: JSON.stringify({ datasets: { own: { ...dataset, recipe } } }) },
  ]
  expect(withOverlays(contentsOf([]), file({ files, where: 'a > 1' })).errors).toEqual([])
  expect(withOverlays(contentsOf([]), file({ files, where: 1 })).errors).toEqual([
    { file: 'own.json', errors: ['dataset own, recipe: /where: Expected string'] },
  ])
})
