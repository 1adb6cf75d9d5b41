import { distanceBetween_m } from '../../geo/ecef.ts'
import type { AddressComponents } from '../../address/address.ts'
import type { Point } from '../../model/place.ts'
import type { AddressRow, StreetRow } from './address-pack.ts'

/** The components of an address in a pack, without the empty ones. */
export function addressComponentsOf(street: StreetRow, row?: AddressRow): AddressComponents {
  const parts: AddressComponents = {}
  if (row) parts.number = numberText(row)
  for (const [column, part] of streetParts) if (street[column] !== '') parts[part] = street[column]
  if (row && row.unit !== '') parts.unit = row.unit
  for (const part of townParts) if (street[part] !== '') parts[part] = street[part]
  return parts
}

const streetParts = [
  ['dir_pre', 'predirectional'],
  ['pretype', 'pretype'],
  ['name', 'street'],
  ['suffix', 'suffix'],
  ['dir_post', 'postdirectional'],
] as const
const townParts = ['city', 'state', 'zip'] as const

function numberText({ number, pre, num, suf }: AddressRow): string {
  return number !== '' ? number : `${pre}${num}${suf.includes('/') ? ' ' : ''}${suf}`
}

/** Drops every item within `samePlace_m` of an earlier one. Keeps the order. */
export function dropNearby<T>(all: readonly T[], pointOf: (item: T) => Point): T[] {
  const distinct: T[] = []
  for (const item of all)
    if (!distinct.some((other) => distanceBetween_m(pointOf(other), pointOf(item)) <= samePlace_m)) distinct.push(item)
  return distinct
}

/** Points within this distance are the same place. */
const samePlace_m = 150
