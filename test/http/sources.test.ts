import { afterAll, describe, expect, test } from 'bun:test'
import type { SourcesDocument } from '../../src/catalog/meta-documents.ts'
import { embeddedFile, openTestService } from '../support/test-service.ts'
import { mapFile } from '../../src/packs/embedded/embedded-data.ts'
import type { EmbeddedLayout } from '../../src/packs/embedded/embedded-layout.ts'
import { decodeLayout } from '../../src/packs/embedded/layout-file.ts'
import { openOnlineService } from '../upstreams/online-service.ts'
import { freePort } from '../support/free-port.ts'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(async () => {
  await service.close()
})

type Source = {
  dataset: string
  publisher: string
  license: string
  attribution: string | null
  source_url: string
  fields: string[]
  drivers: { driver: string; available: boolean; metered: boolean }[]
}
type Layer = Record<'layer' | 'publisher' | 'license' | 'source_url' | 'vintage' | 'derivation', string> & {
  attribution: string | null
  features: number
  packages: { name: string; version: string; sha256: string }[]
}
const { sources, embedded } = (await (await service.ask('/v1/meta/sources')).json()) as {
  sources: Source[]
  embedded: Layer[]
}
const isText = (it: unknown) => typeof it === 'string' && it.trim() !== ''

describe('every dataset', () => {
  test('of the catalog is listed with its fields', () => {
    const { datasets, fields } = service.testService.app.catalog
    expect(sources.map(({ dataset }) => dataset)).toEqual([...datasets.keys()])
    expect(sources.flatMap((source) => source.fields).toSorted()).toEqual([...fields.keys()].toSorted())
  })

  test('has a publisher, a license and a link', () => {
    expect(
      sources
        .filter((it) => !isText(it.publisher) || !isText(it.license) || !URL.canParse(it.source_url))
        .map(({ dataset }) => dataset),
    ).toEqual([])
  })

  test('whose license requires attribution has one', () => {
    const asking = sources.filter(({ license }) => /ODbL|CC[ -]BY|attribution|credit/i.test(license))
    expect(asking.length).toBeGreaterThan(5)
    expect(
      asking.filter(({ attribution }) => !isText(attribution)).map(({ dataset, license }) => `${dataset}: ${license}`),
    ).toEqual([])
  })

  test('marks drivers that the provider bills', () => {
    expect(
      sources.flatMap(({ dataset, drivers }) =>
        drivers.filter(({ metered }) => metered).map(({ driver }) => `${dataset} ${driver}`),
      ),
    ).toEqual(['regrid_parcels rest'])
  })

  test('has drivers, of which an offline server has only the local ones available', () => {
    expect(sources.filter(({ drivers }) => drivers.length === 0)).toEqual([])
    const atHand = new Set(
      sources.flatMap(({ drivers }) => drivers.filter((it) => it.available).map(({ driver }) => driver)),
    )
    expect(atHand).toEqual(new Set(['embedded', 'computed']))
  })
})

describe('every embedded layer', () => {
  test('of the file is listed', () => {
    const file = decodeLayout<EmbeddedLayout>(mapFile(embeddedFile))
    const layers = embedded.map(({ layer }) => layer)
    expect(layers).toEqual(expect.arrayContaining(Object.keys(file.layers)))
    expect(layers.length).toBeGreaterThanOrEqual(8)
  })

  test('has a publisher, a license, a link, a vintage, its size and its derivation', () => {
    const isWhole = (it: Layer) =>
      [it.publisher, it.license, it.vintage, it.derivation].every(isText) &&
      URL.canParse(it.source_url) &&
      it.features > 0
    expect(embedded.filter((it) => !isWhole(it))).toEqual([])
  })

  test('lists its packages, each with version and sha256', () => {
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

  test('whose open license requires attribution has one', () => {
    const asking = embedded.filter(({ license }) => /ODbL|CC[ -]BY/.test(license))
    expect(asking.map(({ layer }) => layer)).toEqual(
      expect.arrayContaining(['timezones', 'coastline', 'places', 'zips']),
    )
    expect(
      asking.filter(({ attribution, license }) => !attribution?.includes(license)).map(({ layer }) => layer),
    ).toEqual([])
  })

  test('has only the documented members', () => {
    const members = [
      'attribution',
      'derivation',
      'features',
      'layer',
      'license',
      'packages',
      'publisher',
      'source_url',
      'title',
      'vintage',
    ]
    expect(embedded.map((it) => Object.keys(it).toSorted())).toEqual(embedded.map(() => members))
  })
})

test('the geocoders are listed in the order of use with their billing, and are empty on an offline server', async () => {
  const geocodersOf = async (response: Promise<Response>) =>
    ((await (await response).json()) as { geocoders: unknown }).geocoders
  expect(await geocodersOf(service.ask('/v1/meta/sources'))).toEqual([])
  const online = openOnlineService()
  try {
    expect(await geocodersOf(online.send('/v1/meta/sources'))).toEqual([
      { name: 'geocodio', metered: true },
      { name: 'census', metered: false },
    ])
  } finally {
    await online.close()
  }
})

test('with a dead network, a source is failing with its error, since when, and the next try, and its fields too', async () => {
  const dead = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: `http://127.0.0.1:${freePort()}` })
  const read = async (query: string) => (await (await dead.send(`/v1/meta/sources${query}`)).json()) as SourcesDocument
  const failing = () => read('?state=failing')
  const statesOf = async (dataset: string) =>
    (await read('')).sources.find((it) => it.dataset === dataset)!.drivers.map(({ state }) => state)
  try {
    const { unchecked_fields, ...before_call } = await failing()
    expect(before_call).toMatchObject({ failing_fields: [], sources: [] })
    expect(unchecked_fields).toContain('huc_12_name')
    expect(unchecked_fields).not.toContain('county')
    expect(await statesOf('usgs_wbd_huc12')).toEqual(['off', 'cold'])
    expect(await statesOf('census_counties')).toEqual(['ready'])
    const before = new Date().toISOString()
    for (let i = 0; i < 6; i++) await dead.post('/v1/fetch', { lat: 39.7 + i, lng: -104.9, fields: ['huc_12_name'] })
    const { failing_fields, unchecked_fields: unchecked, sources: list } = await failing()
    expect(unchecked).not.toContain('huc_12_name')
    expect(await statesOf('usgs_wbd_huc12')).toEqual(['off', 'degraded'])
    expect(failing_fields).toContain('huc_12_name')
    expect(failing_fields).not.toContain('county')
    const { error, since, next_try } = list.find(({ dataset }) => dataset === 'usgs_wbd_huc12')!.failing!
    expect(error).toStartWith('connection_failed: ')
    expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(before) - 1000)
    expect(Date.parse(next_try!)).toBeGreaterThan(Date.parse(before))
  } finally {
    await dead.close()
  }
})
