import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { peerColumns } from '../../scripts/bench/areas.ts'
import { fieldLists } from '../../scripts/bench/field-lists.ts'
import { runProgram } from '../../scripts/bench/gdal.ts'
import { packColumns } from '../../scripts/bench/pack-http.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { answerOfPeer, figureRows } from '../../scripts/bench/report.ts'
import { fetchPreset } from '../../scripts/bench/stand-in.ts'
import { areaLayersOf } from '../../scripts/soak/area-layers.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { packExpectationsOf } from '../../src/catalog/pack-expectations.ts'
import { embeddedGeopackage, openTestService } from '../support/test-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'

const catalog = createCatalog(contents)

test.each(Object.entries(fieldLists))('the bench finds its fields "%s" in the catalog', (_, names) =>
  expect([...catalog.fields.keys()]).toEqual(expect.arrayContaining(names)),
)

test('the bench gets all fields of each preset', async () => {
  const service = openTestService()
  for (const [name, preset] of catalog.presets) {
    const answer = await fetchPreset(service, testPlaces.paradise, name)
    expect(Object.keys(answer.fields)).toEqual([...preset.fields])
  }
  await service.close()
})

test('the bench asks PostGIS for columns that its layers have', () => {
  using db = new Database(embeddedGeopackage, { readonly: true })
  const layers = new Map(areaLayersOf(randomOf(1)).map(({ layer, features }) => [layer, features[0]!.attributes]))
  for (const [layer, columns] of Object.entries(peerColumns)) {
    const names = Object.keys(layers.get(layer) ?? db.query(`SELECT * FROM ${layer} LIMIT 1`).get()!)
    const known = ['', ...names.map((name) => name.toLowerCase())]
    expect(known).toEqual(expect.arrayContaining(columns))
  }
})

test('the packs of the bench have the columns that the catalog reads', () => {
  const requirementsOf = packExpectationsOf(catalog)
  const areaLayers = areaLayersOf(randomOf(1)).map(({ file, features }) => [file, features[0]!.attributes] as const)
  for (const [file, columns] of [...areaLayers, ...Object.entries(packColumns)])
    expect(Object.keys(columns)).toEqual(expect.arrayContaining(requirementsOf(file)[0]!.attributes))
})

test('a peer that does not work is reported with its reason and its packages', async () => {
  const fails = () => runProgram(['sh', '-c', 'echo Traceback: >&2; echo "ImportError: no rtree" >&2; exit 1'])
  expect(await answerOfPeer('GeoPandas', 'points', fails)).toBeNull()
  expect(figureRows.at(-1)).toMatchObject({
    what: 'points',
    ours: "skipped: GeoPandas, which needs Debian's python3-geopandas and python3-rtree, does not work here (ImportError: no rtree)",
  })
})
