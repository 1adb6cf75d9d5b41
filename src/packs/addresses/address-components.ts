import { distanceBetween_m } from '../../geo/ecef.ts'
import type { AddressParts } from '../../address/address.ts'
import type { Point } from '../../model/place.ts'
import type { AddressRow, StreetRow } from './address-pack.ts'

/** The components of an address in a pack, without the empty ones. */
export function addressPartsOf(
  { dir_pre, pretype, name, suffix, dir_post, city, state, zip }: StreetRow,
  row?: AddressRow,
): AddressParts {
  const parts = {
    number: row ? numberText(row) : '',
    predirectional: dir_pre,
    pretype,
    street: name,
    suffix,
    postdirectional: dir_post,
    unit: row?.unit ?? '',
    city,
    state,
    zip,
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== ''))
}

function numberText({ pre, num, suf }: AddressRow): string {
  return `${pre}${num}${suf.includes('/') ? ' ' : ''}${suf}`
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
