import { Type } from '@sinclair/typebox'
import { ApiError } from '../model/error.ts'

const addressMax_characters = 256

/** Where, as the tools take it. */
export const locationProperties = {
  lat: Type.Optional(Type.Number({ description: 'Latitude, WGS 84 degrees. Goes with lng.' })),
  lng: Type.Optional(
    Type.Number({ description: 'Longitude, WGS 84 degrees, negative in the Americas. Goes with lat.' }),
  ),
  address: Type.Optional(
    Type.String({ description: 'A US street address instead of a coordinate, at most 256 characters.' }),
  ),
}

/** Refuses what is no whole location. */
export function requireLocation({ lat, lng, address }: { lat?: number; lng?: number; address?: string }): void {
  if (address !== undefined) return requireAddressText(address, 'address')
  if (lat === undefined || lng === undefined) throw new ApiError('bad_request', 'Give lat and lng, or an address.')
}

/** Refuses a text that is too long for an address, is empty, or holds what cannot be seen. */
export function requireAddressText(text: string, name: string): void {
  if ([...text].length > addressMax_characters)
    throw new ApiError('bad_request', `${name} is longer than ${addressMax_characters} characters.`)
  if (text.trim() === '') throw new ApiError('bad_request', `${name} is empty.`)
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    throw new ApiError('bad_request', `${name} holds control, bidirectional or zero-width characters.`)
}
