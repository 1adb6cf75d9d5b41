import { Type } from '@sinclair/typebox'
import { createViolation } from './violations.ts'
import type { Violation } from '../model/error.ts'

export const addressMax_characters = 256

/** Where: a coordinate, or an address. */
export const locationRequestProperties = {
  lat: Type.Optional(Type.Number({ description: 'Latitude, WGS 84 degrees. Goes with lng.' })),
  lng: Type.Optional(
    Type.Number({ description: 'Longitude, WGS 84 degrees, negative in the Americas. Goes with lat.' }),
  ),
  address: Type.Optional(
    Type.String({
      description: `A US street address instead of a coordinate, at most ${addressMax_characters} characters.`,
    }),
  ),
}

/** What the schema cannot say of a location: lat and lng come together, one of the two forms is there, an address can be read. */
export function locationViolations(input: Record<string, unknown>, loc: (string | number)[]): Violation[] {
  if (input.address !== undefined) return addressViolations(input.address, [...loc, 'address'])
  return ['lat', 'lng']
    .filter((name) => input[name] === undefined)
    .map((name) => createViolation('missing', [...loc, name], 'Field required', input))
}

/** What the schema cannot say of a text that may be an address: its length in code points, and what cannot be seen in it. */
export function addressViolations(address: unknown, loc: (string | number)[]): Violation[] {
  if (typeof address !== 'string') return []
  if ([...address].length > addressMax_characters)
    return [
      createViolation(
        'string_too_long',
        loc,
        `String should have at most ${addressMax_characters} characters`,
        address,
      ),
    ]
  if (address.trim() === '')
    return [createViolation('string_too_short', loc, 'String should have at least 1 character', address)]
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(address))
    return [
      createViolation('value_error', loc, 'Control, bidirectional and zero-width characters are not allowed', address),
    ]
  return []
}
