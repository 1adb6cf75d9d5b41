import { expect, test } from 'bun:test'
import type { Dataset } from '../../src/catalog/records.ts'
import { catalogErrorsOf } from '../../src/catalog/checks.ts'
import { applyOverlays } from '../../src/catalog/overlay.ts'
import { contentsOf, datasetOf, usual } from './made-up.ts'

type Recipe = NonNullable<Dataset['recipe']>
const files = ['https://example.gov/all.zip']
const records: NonNullable<Recipe['records']> = {
  member: 'a.dat',
  begins: 'A',
  columns: ['a', 'd', 'm', 's', 'w'],
  lat: ['d', 'm', 's', 'w'],
  lng: ['d', 'm', 's', 'w'],
}
const faults = (
  recipe: unknown,
  serve: Dataset['serve'] = [{ driver: 'pack', file: 'a.gpkg', layer: 'a' }],
  more: Partial<Dataset> = {},
) =>
  catalogErrorsOf(
    contentsOf([], {
      datasets: { ...usual, it: datasetOf({ shape: 'features', serve, recipe: recipe as Recipe, ...more }) },
    }),
  )
const raster: Dataset['serve'] = [{ driver: 'pack', file: 'a.tif' }]

const wrong: [what: string, found: string[], fault: string][] = [
  [
    'no address',
    faults({ files: [] }),
    'dataset it, recipe: /files: Expected array length to be greater or equal to 1',
  ],
  [
    'an address without TLS',
    faults({ files: ['http://example.gov/a.zip'] }),
    "dataset it, recipe: /files/0: Expected string to match '^https://[^ ]+$'",
  ],
  ['a member that is none', faults({ files, shell: 'rm' }), 'dataset it, recipe: /shell: Unexpected property'],
  [
    'no pack',
    faults({ files }, [{ driver: 'embedded', layer: 'a' }]),
    'dataset it, recipe: there is no pack to be made',
  ],
  [
    'a raster that nobody reads',
    faults({ files, rasters: [{ file: 'b.tif', member: 'b' }] }, raster, { shape: 'raster' }),
    'dataset it, recipe: makes b.tif, which is not read',
  ],
  [
    'a raster that nobody makes',
    faults({ files, rasters: [{ file: 'b.tif', member: 'b' }] }, raster, { shape: 'raster' }),
    'dataset it, recipe: does not make a.tif, which is read',
  ],
  [
    'levels without names',
    faults({ files, rasters: [{ file: 'a{level}.tif', member: 'a' }] }, [{ driver: 'pack', file: 'a{level}.tif' }], {
      shape: 'raster',
    }),
    'dataset it, recipe: makes a{level}.tif without saying which raster each level is',
  ],
  [
    'a system that nobody knows',
    faults({ files, rasters: [{ file: 'a.tif', member: 'a', geo_keys: { 1024: 1, 3072: 2263 } }] }, raster, {
      shape: 'raster',
    }),
    'dataset it, recipe: The coordinate system "EPSG:2263" is not one that we know.',
  ],
  [
    'keys that say nothing',
    faults({ files, rasters: [{ file: 'a.tif', member: 'a', geo_keys: { 1024: 1 } }] }, raster, { shape: 'raster' }),
    'dataset it, recipe: the keys name no coordinate system',
  ],
  [
    'a layer that nobody reads',
    faults({ files, layers: [{ layer: 'b' }] }, [{ driver: 'pack', file: 'a.gpkg', layers: ['a'] }]),
    'dataset it, recipe: makes the layer b, which is not read',
  ],
  [
    'a layer that nobody makes',
    faults({ files, layers: [{ layer: 'b' }] }, [{ driver: 'pack', file: 'a.gpkg', layers: ['a'] }]),
    'dataset it, recipe: does not make the layer a, which is read',
  ],
  [
    'degrees in a column that is not there',
    faults({ files, records: { ...records, lat: ['x', 'm', 's', 'w'] } }),
    'dataset it, recipe: reads the column x of the records, which have none',
  ],
  [
    'a key that is not there',
    faults({
      files,
      records: { ...records, join: { member: 'b.dat', begins: 'B', columns: ['k'], by: 'a', take: ['k'] } },
    }),
    'dataset it, recipe: reads the column a of the records, which have none',
  ],
]
test.each(wrong)('a recipe with %s has a fault', (_, found, fault) => {
  expect(found).toContain(fault)
})

test('a recipe that holds together has none', () => {
  expect(faults({ files, complete: true, records, keep: ['a'], where: 'a > 1' })).toEqual([])
  expect(faults({ files, rasters: [{ file: 'a.tif', member: 'a*' }] }, raster, { shape: 'raster' })).toEqual([])
})

test("a catalog of an operator's own may have one, of the same form", () => {
  const dataset = datasetOf({ shape: 'features', serve: [{ driver: 'pack', file: 'a.gpkg', layer: 'a' }] })
  const file = (recipe: unknown) => [
    { file: 'own.json', text: JSON.stringify({ datasets: { own: { ...dataset, recipe } } }) },
  ]
  expect(applyOverlays(contentsOf([]), file({ files, where: 'a > 1' })).errors).toEqual([])
  expect(applyOverlays(contentsOf([]), file({ files, where: 1 })).errors).toEqual([
    { file: 'own.json', errors: ['dataset own, recipe: /where: Expected string'] },
  ])
})
