import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { newAddressFolder, buildRangePack, buildPointPack } from '../packs/build-address-packs.ts'
import { openAddressService } from './address-service.ts'
import { detailOf } from '../support/http-service.ts'

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
  { number: '100', street: 'TWICE AVE', city: 'Denver', region: 'CO', postcode: '80203', lat: 39.72, lng: -104.98 },
  { number: '100', street: 'TWICE AVE', city: 'Denver', region: 'CO', postcode: '80216', lat: 39.78, lng: -104.95 },
])
await buildRangePack(packs, [
  {
    name: 'Larimer St',
    line: [
      [-104.9991, 39.748],
      [-104.9981, 39.7487],
    ],
    left: ['1401', '1499', 'O'],
    right: ['1400', '1498', 'E'],
  },
])

const service = await openAddressService({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_PACKS: packs })
afterAll(async () => {
  await service.close()
  rmSync(packs, { recursive: true })
})

const known = '1437 Bannock St, Denver, CO 80202'
const request = async (path: string, body: object) =>
  (await (await service.post(path, body)).json()) as Record<string, unknown>

describe('offline with address packs', () => {
  test('an address is geocoded', async () => {
    expect(await request('/v1/geocode', { address: known })).toMatchObject({
      lat: 39.7393,
      lng: -104.9907,
      accuracy_type: 'rooftop',
      accuracy: 1,
      provider: 'address_packs',
      cached: false,
      warnings: [],
    })
    expect(await request('/v1/geocode', { address: known.toLowerCase() })).toMatchObject({
      provider: 'address_packs',
      cached: true,
    })
  })

  test('a different ZIP code lowers the score once and adds a warning', async () => {
    expect(await request('/v1/geocode', { address: '1437 Bannock St, Denver, CO 80203' })).toMatchObject({
      accuracy: 0.9,
      warnings: [expect.stringContaining('zip_changed: ')],
    })
  })

  test('a house number between known ones is range_interpolation', async () => {
    expect(await request('/v1/geocode', { address: '1450 Larimer St, Denver, CO 80202' })).toMatchObject({
      accuracy_type: 'range_interpolation',
      provider: 'address_packs',
    })
  })

  test('an unknown unit has the location of its house', async () => {
    expect(await request('/v1/geocode', { address: '1437 Bannock St Unit 7, Denver, CO 80202' })).toMatchObject({
      accuracy_type: 'nearest_rooftop_match',
    })
  })

  test('a house number that the street does not have is too coarse, and a street in another town is not found', async () => {
    expect(
      await detailOf(await service.post('/v1/geocode', { address: '9999 Larimer St, Denver, CO 80202' })),
    ).toMatchObject({ error: 'address_too_coarse', accuracy_type: 'street_center' })
    expect(
      await detailOf(await service.post('/v1/geocode', { address: '1437 Bannock St, Boulder, CO 80302' })),
    ).toMatchObject({ error: 'address_not_found', cached: false })
  })

  test('a house number that the street does not have is rejected with the numbers next to it', async () => {
    const candidates = [{ resolved_address: known, accuracy_type: 'rooftop', confidence: 0.5 }]
    const text = known.replace('1437', '1445')
    expect(await detailOf(await service.post('/v1/geocode', { address: text }))).toMatchObject({
      error: 'address_too_coarse',
      message: expect.stringContaining('Bannock St has no house number 1445.'),
      candidates,
    })
    expect(await request('/v1/lookup', { input: text })).toMatchObject({
      disposition: 'no_match',
      hint: expect.stringContaining('Bannock St has no house number 1445.'),
      candidates,
    })
  })

  test('an address with two places is ambiguous, and a lookup returns both as candidates', async () => {
    expect(await detailOf(await service.post('/v1/geocode', { address: '100 Twice Ave, Denver, CO' }))).toMatchObject({
      error: 'address_ambiguous',
    })
    expect(await request('/v1/lookup', { input: '100 Twice Ave, Denver, CO' })).toMatchObject({
      disposition: 'clarify',
      candidates: [{ accuracy_type: 'rooftop' }, { accuracy_type: 'rooftop' }],
    })
  })

  test('an address can be fetched and looked up', async () => {
    expect(
      (await request('/v1/fetch', { address: known, fields: ['county', 'timezone'] })) as unknown as FetchAnswer,
    ).toMatchObject({
      resolved_location: { source: 'address' },
      geocode: { provider: 'address_packs' },
      fields: { county: { value: 'Denver County' }, timezone: { value: 'America/Denver' } },
    })
    expect(await request('/v1/lookup', { input: known })).toMatchObject({
      disposition: 'resolved',
      match_method: 'geocode_rooftop',
      county: 'Denver County',
      timezone: 'America/Denver',
    })
  })
})

test('packs are used before providers that bill', async () => {
  const online = await openAddressService({ FIELDSTONE_PACKS: packs })
  expect(await (await online.post('/v1/geocode', { address: known })).json()).toMatchObject({
    provider: 'address_packs',
  })
  expect(online.requested()).toEqual({ geocodio: 0, census: 0, regrid: 0 })
  expect(
    await (await online.post('/v1/geocode', { address: '1777 Broadway, Boulder, CO 80302' })).json(),
  ).toMatchObject({ provider: 'geocodio' })
  await online.close()
})
