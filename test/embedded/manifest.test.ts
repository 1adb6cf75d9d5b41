import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import lock from '../../package-lock.json' with { type: 'json' }
import stationPackage from '../../scripts/embed-data/weather-util-data/package.json' with { type: 'json' }
import { committedPackages } from '../../scripts/embed/layer.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { embeddedFile, embeddedGeopackage } from '../support/test-service.ts'
import { words } from '../support/words.ts'

const db = new Database(embeddedGeopackage, { readonly: true })
const embedded = openEmbeddedData(embeddedFile)
afterAll(() => db.close())

type Package = { name: string; version: string; file: string; sha256: string }
const layers = [...embedded.manifest.values()].map((layer) => ({
  ...layer,
  packages: JSON.parse(layer.packages) as Package[],
}))
const tables = db
  .query<{ table_name: string }, []>('SELECT table_name FROM gpkg_contents')
  .all()
  .map((row) => row.table_name)
const installed = lock.packages as Record<string, { version?: string }>
const versionOf = (name: string) =>
  committedPackages.includes(name) ? stationPackage.version : installed[`node_modules/${name}`]?.version

test('the tables of the embedded data and the layers of the manifest are the same', () => {
  expect([...embedded.manifest.keys(), 'embedded_manifest'].toSorted()).toEqual(tables.toSorted())
  expect(layers.map(({ layer }) => layer).toSorted()).toEqual(words`
    airports coastline counties english_words geoid places tide_stations timezones weather_stations zips
  `)
})

describe.each(layers.map((layer) => [layer.layer, layer] as const))('the layer %s', (name, layer) => {
  test('states its publisher, license, edition, derivation and attribution', () => {
    const texts = [layer.title, layer.publisher, layer.license, layer.vintage, layer.derivation, layer.attribution]
    expect(texts.filter((text) => text === null || text.trim().length < 4)).toEqual([])
    expect(new URL(layer.source_url).protocol).toBe('https:')
  })

  test('names its source packages as installed, each file with its SHA-256', () => {
    expect(layer.packages.length).toBeGreaterThan(0)
    expect(layer.packages.map(({ name }) => versionOf(name))).toEqual(layer.packages.map(({ version }) => version))
    expect(
      layer.packages.filter(({ file, sha256 }) => !/^[0-9a-f]{64}$/.test(sha256) || !/^\S+\.\w+$/.test(file)),
    ).toEqual([])
  })

  test('has the stated number of features', () => {
    expect(db.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()!.n).toBe(layer.features)
    expect(layer.features).toBeGreaterThan(100)
  })
})

test('layers have the attribution that their license requires', () => {
  const asking = layers.filter(({ license }) => /ODbL|CC BY/.test(license))
  expect(asking.map(({ layer }) => layer).toSorted()).toEqual(['coastline', 'places', 'timezones', 'zips'])
  expect(
    asking.filter(({ attribution, license }) => !attribution!.includes(license)).map(({ layer }) => layer),
  ).toEqual([])
})

test('the file is marked as a GeoPackage, so that QGIS opens it', () => {
  const [[application]] = db.query('PRAGMA application_id').values() as [[number]]
  const [[version]] = db.query('PRAGMA user_version').values() as [[number]]
  expect([application.toString(16), version]).toEqual(['47504b47', 10_300])
  expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
})
