import { distanceBetween_m } from '../geo/ecef.ts'
import type { AddressParts } from '../model/address.ts'
import type { Point } from '../model/place.ts'
import type { AddrRow, StreetRow } from './addresses-file.ts'

/** The parts of an address as a pack has them. */
export function partsOf({ dir_pre, pretype, name, suffix, dir_post, city, state, zip }: StreetRow, row?: AddrRow): AddressParts {
  const parts = { number: row ? numberText(row) : '', predirectional: dir_pre, pretype, street: name, suffix, postdirectional: dir_post, unit: row?.unit ?? '', city, state, zip }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== ''))
}

function numberText({ pre, num, suf }: AddrRow): string {
  return `${pre}${num}${suf.includes('/') ? ' ' : ''}${suf}`
}

/** One of those that lie together, in their order. */
export function apart<T>(all: readonly T[], at: (it: T) => Point): T[] {
  const kept: T[] = []
  for (const it of all) if (!kept.some((other) => distanceBetween_m(at(other), at(it)) <= samePlace_m)) kept.push(it)
  return kept
}

/** Points nearer to each other than this are one place. */
const samePlace_m = 150
