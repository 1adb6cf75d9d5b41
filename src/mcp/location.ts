import { Type } from '@sinclair/typebox'
import { addressMax_characters, hasMoreCodePoints, invisibleCharacters, joinLines } from '../model/text.ts'
import { ApiError } from '../model/error.ts'

/** The input properties of a location, shared by the tools. */
export const locationProperties = {
  lat: Type.Optional(Type.Number({ description: 'Latitude in WGS 84 degrees. Requires lng.' })),
  lng: Type.Optional(
    Type.Number({ description: 'Longitude in WGS 84 degrees, negative in the Americas. Requires lat.' }),
  ),
  address: Type.Optional(
    Type.String({
      description:
        'A US street address instead of a coordinate, or the name of a town with its state, a ZIP code or an airport; at most 256 characters.',
    }),
  ),
}

/** @throws ApiError `bad_request` if neither a coordinate nor a valid address is given. */
export function requireLocation({ lat, lng, address }: { lat?: number; lng?: number; address?: string }): void {
  if (address !== undefined) return requireAddressText(address, 'address')
  if (lat === undefined || lng === undefined)
    throw new ApiError('bad_request', 'The location is incomplete. Pass lat and lng, or address.')
}

/** @throws ApiError `bad_request` if the text is empty, too long for an address, or contains invisible characters. */
export function requireAddressText(text: string, name: string): void {
  if (hasMoreCodePoints(text, addressMax_characters))
    throw new ApiError('bad_request', `${name} is longer than ${addressMax_characters} characters.`)
  if (text.trim() === '') throw new ApiError('bad_request', `${name} is empty.`)
  if (invisibleCharacters.test(joinLines(text)))
    throw new ApiError('bad_request', `${name} contains control, bidirectional or zero-width characters.`)
}
