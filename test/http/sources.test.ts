import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { embeddedFile } from '../house.ts'
import { openOnlineHouse } from '../upstreams/online-house.ts'
import { openDoor } from './door.ts'

const door = await openDoor()
const geopackage = new Database(embeddedFile, { readonly: true })
afterAll(() => {
  geopackage.close()
  door.close()
})

type Source = {
  dataset: string
  publisher: string
  licence: string
  attribution: string | null
  source_url: string
  fields: string[]
  drivers: { driver: string; available: boolean; metered: boolean }[]
}
type Layer = Record<'layer' | 'publisher' | 'licence' | 'source_url' | 'vintage' | 'derivation', string> & {
  attribution: string | null
  features: number
  packages: { name: string; version: string; sha256: string }[]
}
const { sources, embedded } = (await (await door.ask('/v1/meta/sources')).json()) as {
  sources: Source[]
  embedded: Layer[]
}
const isText = (it: unknown) => typeof it === 'string' && it.trim() !== ''

describe('every dataset', () => {
  test('of the catalog is there, and its fields with it', () => {
    const { datasets, fields } = door.house.app.catalog
    expect(sources.map(({ dataset }) => dataset)).toEqual([...datasets.keys()])
    expect(sources.flatMap((source) => source.fields).toSorted()).toEqual([...fields.keys()].toSorted())
  })

  test('has a publisher, a licence and a link', () => {
    expect(
      sources
        .filter((it) => !isText(it.publisher) || !isText(it.licence) || !URL.canParse(it.source_url))
        .map(({ dataset }) => dataset),
    ).toEqual([])
  })

  test('whose licence asks for the name of its maker has the words', () => {
    const asking = sources.filter(({ licence }) => /ODbL|CC[ -]BY|attribution|credit/i.test(licence))
    expect(asking.length).toBeGreaterThan(5)
    expect(
      asking.filter(({ attribution }) => !isText(attribution)).map(({ dataset, licence }) => `${dataset}: ${licence}`),
    ).toEqual([])
  })

  test('says which of its drivers the provider bills', () => {
    expect(
      sources.flatMap(({ dataset, drivers }) =>
        drivers.filter(({ metered }) => metered).map(({ driver }) => `${dataset} ${driver}`),
      ),
    ).toEqual(['regrid_parcels rest'])
  })

  test('has drivers, and on a server without a network only those at hand that need none', () => {
    expect(sources.filter(({ drivers }) => drivers.length === 0)).toEqual([])
    const atHand = new Set(
      sources.flatMap(({ drivers }) => drivers.filter((it) => it.available).map(({ driver }) => driver)),
    )
    expect(atHand).toEqual(new Set(['embedded', 'computed']))
  })
})

describe('every embedded layer', () => {
  test('of the file is in the manifest', () => {
    const tables = geopackage
      .query<{ name: string }, []>("SELECT table_name AS name FROM gpkg_contents WHERE data_type = 'features'")
      .all()
    const layers = embedded.map(({ layer }) => layer)
    expect(layers).toEqual(
      expect.arrayContaining(tables.map(({ name }) => name).filter((name) => name !== 'embedded_manifest')),
    )
    expect(layers.length).toBeGreaterThanOrEqual(8)
  })

  test('has a publisher, a licence, a link, an edition, its size, and how it was made', () => {
    const isWhole = (it: Layer) =>
      [it.publisher, it.licence, it.vintage, it.derivation].every(isText) &&
      URL.canParse(it.source_url) &&
      it.features > 0
    expect(embedded.filter((it) => !isWhole(it))).toEqual([])
  })

  test('names the packages it was made from, each with its version and sha256', () => {
    const odd = embedded.filter(
      ({ packages }) =>
        packages.length === 0 ||
        packages.some(
          ({ name, version, sha256 }) =>
            !isText(name) || !/^\d+\.\d+\.\d+/.test(version) || !/^[0-9a-f]{64}$/.test(sha256),
        ),
    )
    expect(odd).toEqual([])
  })

  test('of an open licence that asks for it has the words', () => {
    const asking = embedded.filter(({ licence }) => /ODbL|CC[ -]BY/.test(licence))
    expect(asking.map(({ layer }) => layer)).toEqual(
      expect.arrayContaining(['timezones', 'coastline', 'places', 'zips']),
    )
    expect(
      asking.filter(({ attribution, licence }) => !attribution?.includes(licence)).map(({ layer }) => layer),
    ).toEqual([])
  })

  test('shows nothing of how it is stored', () => {
    const members = [
      'attribution',
      'derivation',
      'features',
      'layer',
      'licence',
      'packages',
      'publisher',
      'source_url',
      'title',
      'vintage',
    ]
    expect(embedded.map((it) => Object.keys(it).toSorted())).toEqual(embedded.map(() => members))
  })
})

test('who is asked for an address is told in order, with who bills it; nobody on a server without a network', async () => {
  const geocodersOf = async (response: Promise<Response>) =>
    ((await (await response).json()) as { geocoders: unknown }).geocoders
  expect(await geocodersOf(door.ask('/v1/meta/sources'))).toEqual([])
  const online = openOnlineHouse()
  try {
    expect(await geocodersOf(online.send('/v1/meta/sources'))).toEqual([
      { name: 'geocodio', metered: true },
      { name: 'census', metered: false },
    ])
  } finally {
    online.close()
  }
})
