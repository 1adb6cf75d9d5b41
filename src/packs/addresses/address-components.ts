import { distanceBetween_m } from '../../geo/ecef.ts'
import type { AddressParts } from '../../address/address.ts'
import type { Point } from '../../model/place.ts'
import type { AddressRow, StreetRow } from './address-pack.ts'

/** The parts of an address as a pack has them. */
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

/** One of those that lie together, in their order. */
export function dropNearby<T>(all: readonly T[], pointOf: (item: T) => Point): T[] {
  const distinct: T[] = []
  for (const item of all)
    if (!distinct.some((other) => distanceBetween_m(pointOf(other), pointOf(item)) <= samePlace_m)) distinct.push(item)
  return distinct
}

/** Points nearer to each other than this are one place. */
const samePlace_m = 150
