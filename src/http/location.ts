import { Type } from '@sinclair/typebox'
import { violation } from './violations.ts'
import type { Violation } from '../model/error.ts'

export const addressMax_characters = 256

/** Where: a coordinate, or an address. */
export const location = {
  lat: Type.Optional(Type.Number({ description: 'Latitude, WGS 84 degrees. Goes with lng.' })),
  lng: Type.Optional(Type.Number({ description: 'Longitude, WGS 84 degrees, negative in the Americas. Goes with lat.' })),
  address: Type.Optional(Type.String({ description: `A US street address instead of a coordinate, at most ${addressMax_characters} characters.` })),
}

/** What the schema cannot say of a location: lat and lng come together, one of the two forms is there, an address can be read. */
export function locationFaults(it: Record<string, unknown>, loc: (string | number)[]): Violation[] {
  if (it.address !== undefined) return addressFaults(it.address, [...loc, 'address'])
  return ['lat', 'lng'].filter((name) => it[name] === undefined).map((name) => violation('missing', [...loc, name], 'Field required', it))
}

/** What the schema cannot say of a text that may be an address: its length in code points, and what cannot be seen in it. */
export function addressFaults(address: unknown, loc: (string | number)[]): Violation[] {
  if (typeof address !== 'string') return []
  if ([...address].length > addressMax_characters) return [violation('string_too_long', loc, `String should have at most ${addressMax_characters} characters`, address)]
  if (address.trim() === '') return [violation('string_too_short', loc, 'String should have at least 1 character', address)]
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(address)) return [violation('value_error', loc, 'Control, bidirectional and zero-width characters are not allowed', address)]
  return []
}
