import { afterAll, beforeAll, expect, test } from 'bun:test'
import { presets } from '../../catalog/contents.ts'
import { isFullPreset } from '../../src/catalog/field-title.ts'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { datasetsOf } from '../place/every-field.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { placeNames } from './fetch-fields.ts'
import { networkFields, packOnlyFields } from './network-fields.ts'

/** At Paradise one layer of the simulated geocoder fails, and partial documents are not cached. */
const brokenInPart = 'geocoding.geo.census.gov'

let service: OnlineService
beforeAll(() => {
  service = openOnlineService()
})
afterAll(() => service.close())

test.each(Object.keys(presets))(
  '%s is answered at every place, and again from the cache without another call',
  async (preset) => {
    const stuck = packOnlyFields(service.app)
    for (const place of placeNames) {
      const first = await fetched({ ...testPlaces[place], preset })
      expect(
        first.partial_failures.map(({ field }) => field).filter((name) => !stuck.has(name)),
        place,
      ).toEqual([])
      const calls = service.upstreams.calls.length
      const answered_ms = Date.now()
      const again = await fetched({ ...testPlaces[place], preset })
      const isBroken = (host: string) => place === 'paradise' && host === brokenInPart
      expect(
        service.upstreams.calls
          .slice(calls)
          .map(({ host }) => host)
          .filter((host) => !isBroken(host)),
        place,
      ).toEqual([])
      const kept = Object.keys(again.fields).filter(
        (name) => networkFields(service.app).has(name) && !(place === 'paradise' && isOfGeocoder(name)),
      )
      expect(
        kept.map((name) => withoutFreshness(again.fields[name]!)),
        place,
      ).toEqual(kept.map((name) => withoutFreshness(first.fields[name]!)))
      expect(
        kept.filter((name) => again.fields[name]!.cache === 'hit' && fetched_ms(again.fields[name]!) > answered_ms),
        place,
      ).toEqual([])
      expect(
        kept.filter(
          (name) => again.fields[name]!.cache !== 'hit' && isAnswered(again.fields[name]!) && !isKeptByDriver(name),
        ),
        place,
      ).toEqual([])
    }
    expect(service.upstreams.unknown).toEqual([])
  },
)

/** A preset of all members is too large for a fetch, so it is answered as a batch of one. */
async function fetched({ preset, ...at }: { preset: string; lat: number; lng: number }): Promise<FetchAnswer> {
  if (!isFullPreset(preset)) return (await (await service.post('/v1/fetch', { ...at, preset })).json()) as FetchAnswer
  const batch = await service.post('/v1/fetch/batch', { preset, locations: [at] })
  return ((await batch.json()) as { results: FetchAnswer[] }).results[0]!
}

function fetched_ms({ fetched_at }: FieldResult): number {
  return Date.parse(fetched_at!)
}

/** A search that took several queries is answered from the cache by the last of them, so its time is later. */
function withoutFreshness({ cache: _cache, fetched_at: _fetched_at, ...rest }: FieldResult): unknown {
  return rest
}

/** Whether a source was queried. Computed fields and fields without a query have no cache status. */
function isAnswered({ driver }: FieldResult): boolean {
  return driver !== null && driver !== 'computed' && driver !== 'embedded'
}

function isOfGeocoder(name: string): boolean {
  return datasetsOf(name, service).has('census_geocoder_geographies')
}

/** Tables and files are cached by their driver, so their results have no cache status. */
function isKeptByDriver(name: string): boolean {
  return service.app.registry
    .dataset(service.app.catalog.fields.get(name)!.read.dataset)
    .options.some(({ remote }) => remote?.cachesItself)
}
