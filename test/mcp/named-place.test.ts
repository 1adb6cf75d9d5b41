import { expect, test } from 'bun:test'
import { atNamedPlace } from '../../src/mcp/named-place.ts'
import { ApiError } from '../../src/model/error.ts'

/** Answers a coordinate, and refuses an address as the API does. */
function answer(context: Record<string, unknown>) {
  return async (args: { lat?: number; address?: string }) => {
    if (args.address !== undefined) throw new ApiError('address_too_coarse', 'Too coarse.', context)
    return { answered: args.lat }
  }
}
const candidate = { lat: 40, lng: -105, confidence: 0.5, match_method: 'geocode_rooftop' }

test('the only place of a name is answered at its center', async () => {
  const candidates = [{ ...candidate, resolved_address: 'Boulder, CO', accuracy_type: 'place' }]
  expect(await atNamedPlace({ address: 'Boulder' }, answer({ matched_level: 'city', candidates }))).toMatchObject({
    answered: 40,
    resolved_place: { name: 'Boulder, CO', precision: 'place' },
  })
})

test('the address next to a house number that does not exist is never answered', async () => {
  const candidates = [{ ...candidate, resolved_address: '1 Oak St, Boulder, CO', accuracy_type: 'rooftop' }]
  const answered = await atNamedPlace(
    { address: '3 Oak St' },
    answer({ accuracy_type: 'street_center', candidates }),
  ).catch((error: unknown) => error)
  expect(answered).toMatchObject({ code: 'address_too_coarse' })
})
