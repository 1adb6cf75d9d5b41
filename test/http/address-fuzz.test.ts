import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { rmSync } from 'node:fs'
import { newAddressFolder, buildPointPack } from '../packs/build-address-packs.ts'
import { openAddressService } from './address-service.ts'

const packs = newAddressFolder()
await buildPointPack(packs, [
  {
    number: '1437',
    street: 'BANNOCK ST',
    city: 'Denver',
    region: 'CO',
    postcode: '80202',
    lat: 39.7393,
    lng: -104.9907,
  },
])
const service = await openAddressService({
  FIELDSTONE_OFFLINE: '1',
  FIELDSTONE_PACKS: packs,
  FIELDSTONE_CONCURRENCY: '4',
})
afterAll(async () => {
  await service.close()
  rmSync(packs, { recursive: true })
})

const timeout_ms = 60_000
const numRuns = Number(process.env.FUZZ_CASES ?? 300)

/** Parts of addresses, coordinates and parcel numbers, and unrelated texts. */
const piece = fc.oneof(
  fc.constantFrom(
    '1437',
    '1/2',
    '12-34',
    'N6W23001',
    'N',
    'NW',
    'Bannock',
    'St',
    'Street',
    'Ave',
    'County Road',
    'US Hwy',
    'Apt 4',
    '#5',
    'Denver',
    'CO',
    'Colorado',
    '80202',
    '80202-1234',
    'PO Box 9',
    'APO',
    'AE',
    'Canada',
    'ON',
    'M5H 2N2',
    '&',
    'and',
    '@',
    ',',
    ', ',
    '39.7',
    '-104.99',
    '°',
    "'",
    '"',
    'W',
    '014-000-12',
    '½',
    'Peñón',
    '東京',
    '\u0301',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const text = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(' ')),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

async function answered(path: string, body: object, allowed: number[]): Promise<void> {
  const began = performance.now()
  const response = await service.post(path, body)
  expect(allowed).toContain(response.status)
  expect(performance.now() - began).toBeLessThan(30_000)
  expect(service.testService.logged).toEqual([])
}

test(
  'any text is geocoded, or rejected with a reason, in time and without an internal error',
  async () => {
    await fc.assert(
      fc.asyncProperty(text, (address) => answered('/v1/geocode', { address }, [200, 400, 404, 422])),
      { numRuns },
    )
  },
  timeout_ms,
)

test(
  'any text is looked up, or rejected with a reason, in time and without an internal error',
  async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), (input, include_parcel) =>
        answered('/v1/lookup', { input, include_parcel }, [200, 400, 422]),
      ),
      { numRuns },
    )
  },
  timeout_ms,
)
