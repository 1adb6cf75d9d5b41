import { Type } from '@sinclair/typebox'
import { createViolation } from '../request/violations.ts'
import { addressMax_characters, hasMoreCodePoints, invisibleCharacters, joinLines } from '../../model/text.ts'
import type { Violation } from '../../model/error.ts'

/** The request members of a location: a coordinate or an address. */
export const locationRequestProperties = {
  lat: Type.Optional(Type.Number({ description: 'Latitude in WGS 84 degrees. Requires lng.' })),
  lng: Type.Optional(
    Type.Number({ description: 'Longitude in WGS 84 degrees, negative in the Americas. Requires lat.' }),
  ),
  address: Type.Optional(
    Type.String({
      description: `US street address, instead of a coordinate, at most ${addressMax_characters} characters.`,
    }),
  ),
}

/**
 * Checks a location beyond its schema: lat and lng together, or a valid address text. A location without any of them is
 * `invalid_locator`, which is found when it is resolved.
 */
export function locationViolations(input: Record<string, unknown>, loc: (string | number)[]): Violation[] {
  if (input.address !== undefined) return addressViolations(input.address, [...loc, 'address'])
  const names = ['lat', 'lng'] as const
  if (names.every((name) => input[name] === undefined && otherNames[name].every((it) => input[it] === undefined)))
    return []
  return names
    .filter((name) => input[name] === undefined)
    .map((name) => createViolation('missing', [...loc, name], missingMessage(name, input), input))
}

function missingMessage(name: keyof typeof otherNames, input: Record<string, unknown>): string {
  const used = otherNames[name].find((it) => input[it] !== undefined)
  return used === undefined ? 'Field required' : `Field required. Use \`${name}\`, not \`${used}\`.`
}

/** Names that other services use. */
const otherNames = {
  lat: ['latitude', 'y', 'Lat', 'Latitude'],
  lng: ['lon', 'long', 'longitude', 'x', 'Lng', 'Lon', 'Longitude'],
}

/** Checks an address text beyond its schema. */
export function addressViolations(address: unknown, loc: (string | number)[]): Violation[] {
  return typeof address === 'string' ? textViolations(joinLines(address), loc, addressMax_characters) : []
}

/** Checks a text of one line: the length in code points, and no invisible characters. */
export function textViolations(text: string, loc: (string | number)[], max_characters: number): Violation[] {
  if (hasMoreCodePoints(text, max_characters))
    return [createViolation('string_too_long', loc, `String should have at most ${max_characters} characters`, text)]
  if (text.trim() === '')
    return [createViolation('string_too_short', loc, 'String should have at least 1 character', text)]
  return invisibleViolations(text, loc)
}

/** Checks that a text has no invisible characters. */
export function invisibleViolations(text: string, loc: (string | number)[]): Violation[] {
  return invisibleCharacters.test(text)
    ? [createViolation('value_error', loc, 'Control, bidirectional and zero-width characters are not allowed', text)]
    : []
}
