import { afterAll, beforeAll, expect, test } from 'bun:test'
import { presets } from '../../catalog/contents.ts'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { datasetsOf } from '../place/every-field.ts'
import { openOnlineHouse, type OnlineHouse } from '../upstreams/online-house.ts'
import { places } from '../upstreams/places.ts'
import { placeNames } from './asked.ts'
import { fromNetwork, packOnly } from './ways.ts'

/** At Paradise the stand-in breaks one layer of the geocoder, and what failed in part is not kept. */
const brokenInPart = 'geocoding.geo.census.gov'

let house: OnlineHouse
beforeAll(() => {
  house = openOnlineHouse()
})
afterAll(() => house.close())

test.each(Object.keys(presets))(
  '%s is answered at every place, and again from what was kept, without a further call',
  async (preset) => {
    const stuck = packOnly(house.app)
    for (const place of placeNames) {
      const first = await fetched({ ...places[place], preset })
      expect(
        first.partial_failures.map(({ field }) => field).filter((name) => !stuck.has(name)),
        place,
      ).toEqual([])
      const calls = house.upstreams.calls.length
      const again = await fetched({ ...places[place], preset })
      const isBroken = (host: string) => place === 'paradise' && host === brokenInPart
      expect(
        house.upstreams.calls
          .slice(calls)
          .map(({ host }) => host)
          .filter((host) => !isBroken(host)),
        place,
      ).toEqual([])
      const kept = Object.keys(again.fields).filter(
        (name) => fromNetwork(house.app).has(name) && !(place === 'paradise' && isOfGeocoder(name)),
      )
      expect(
        kept.map((name) => withoutFreshness(again.fields[name]!)),
        place,
      ).toEqual(kept.map((name) => withoutFreshness(first.fields[name]!)))
      expect(
        kept.filter(
          (name) => again.fields[name]!.cache !== 'hit' && isAnswered(again.fields[name]!) && !isKeptByDriver(name),
        ),
        place,
      ).toEqual([])
    }
    expect(house.upstreams.unknown).toEqual([])
  },
)

async function fetched(body: object): Promise<FetchAnswer> {
  return (await (await house.post('/v1/fetch', body)).json()) as FetchAnswer
}

function withoutFreshness({ cache: _cache, ...rest }: FieldResult): unknown {
  return rest
}

/** Whether a source was asked: what is worked out from other fields says nothing of a cache, nor does what was not asked for. */
function isAnswered({ driver }: FieldResult): boolean {
  return driver !== null && driver !== 'computed' && driver !== 'embedded'
}

function isOfGeocoder(name: string): boolean {
  return datasetsOf(name, house).has('census_geocoder_geographies')
}

/** Tables and files are kept by their driver, whose answers say nothing of a cache. */
function isKeptByDriver(name: string): boolean {
  return house.app.registry
    .dataset(house.app.catalog.fields.get(name)!.read.dataset)
    .options.some(({ remote }) => remote?.cachesItself)
}
