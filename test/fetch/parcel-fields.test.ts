import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { SourceOption } from '../../src/fetch/sources/source-registry.ts'
import { createTestContext, failingOption, fakeOption, optionReturning } from './fake-context.ts'

const parcelIn = (geoid: unknown, more: object = { parcelnumb: '7', zoning: 'R1' }) =>
  fakeOption(() => ({ parcels: { features: [{ properties: { fields: { geoid, ...more } } }] } }))
const parcels = (parcel: SourceOption, county: SourceOption = optionReturning({ GEOID: '08031' })) =>
  createTestContext(contents, { regrid_parcels: [parcel], census_counties: [county] })

test('every field of a parcel in another county fails, and the error names both counties', async () => {
  const parcel = parcelIn('26163')
  const { fields, partial_failures } = await parcels(parcel).answer(['parcel_apn', 'parcel_zoning'])
  for (const name of ['parcel_apn', 'parcel_zoning'])
    expect(fields[name]).toMatchObject({
      status: 'failed',
      retryable: false,
      error: 'bad_value: The parcel that the provider returned is in county 26163, but the point is in county 08031.',
    })
  expect(partial_failures).toHaveLength(2)
  expect(parcel.queries).toHaveLength(1)
})

test.each([
  ['the same', parcelIn('08031'), undefined],
  ['the same as a number, without its leading zero', parcelIn(8031), undefined],
  ['not in the record', parcelIn(null), undefined],
  ['not a member of the record', parcelIn(undefined), undefined],
  ['not known for the point', parcelIn('26163'), failingOption(new UpstreamError('timeout', 'No answer.'))],
  ['a former county of Connecticut', parcelIn('09001'), optionReturning({ GEOID: '09190' })],
])('a parcel is read if its county is %s', async (_, parcel, county) => {
  expect(await parcels(parcel, county).value('parcel_apn')).toBe('7')
  expect(parcel.queries).toHaveLength(1)
})

test('a record without a value is absent, in whatever county it is', async () => {
  const parcel = parcelIn('26163', { zoning: null })
  expect(await parcels(parcel).value('parcel_zoning')).toBe('absent, no_data')
})

test('the county of the point is not read for fields without a parcel', async () => {
  const nothing = fakeOption(() => ({ parcels: { features: [] } }))
  const county = optionReturning({ GEOID: '08031' })
  expect(await parcels(nothing, county).value('parcel_apn')).toBe('absent, no_data')
  expect(county.queries).toEqual([])
})
