import type { AddressComponents } from '../../address/address.ts'
import { normalizeWords } from '../../address/tokenizer.ts'
import { compareStreetKeys, streetKeyOf, streetTypeKeyOf, type StreetKey } from '../../address/street-key.ts'
import { townKeyOf } from '../../address/town.ts'
import type { StreetRow } from './address-pack.ts'

/** The keys of a queried street and of its locality; null if not given. `words` are those of its name. */
export type StreetQuery = StreetKey & {
  words: readonly string[]
  zip: string | null
  city: string | null
  state: string | null
}

/** The query for a street in a locality. */
export function streetQueryOf(street: AddressComponents, { city, state, zip }: AddressComponents): StreetQuery {
  return {
    ...streetKeyOf(street),
    words: normalizeWords(street.street ?? ''),
    zip: zip?.slice(0, 5) ?? null,
    city: city === undefined ? null : townKeyOf(normalizeWords(city)),
    state: state ?? null,
  }
}

/** A match on a different street has at most this score: it is a candidate, never an answer. */
export const otherStreetMax = 0.5

/**
 * How well a street matches the query, from 0 to 1: 1 minus a cost for each difference. A street of another type or
 * direction is a different street, whatever else agrees.
 */
export function scoreStreet(query: StreetQuery, row: StreetRow): number {
  if (query.state !== null && query.state !== row.state) return 0
  const { type, direction } = compareStreetKeys(query, keyOfRow(row))
  const score = 1 - nameCost(query, row) - costs.type[type] - costs.direction[direction] - localityCost(query, row)
  const max = type === 'other' || direction === 'other' ? otherStreetMax : 1
  return Math.min(max, Math.max(0, Math.round(score * 100) / 100))
}

/** Whether a street is the one that was asked for, and not one that may be meant. */
export function isExactStreet(query: StreetQuery, row: StreetRow): boolean {
  return query.name === row.key && compareStreetKeys(query, keyOfRow(row)).type === 'none'
}

function keyOfRow({ key, pretype, suffix, dir_pre, dir_post }: StreetRow): StreetKey {
  const type = streetTypeKeyOf({ ...(pretype !== '' && { pretype }), ...(suffix !== '' && { suffix }) })
  return { name: key, type, pre: dir_pre, post: dir_post }
}

function nameCost({ name }: StreetQuery, { key }: StreetRow): number {
  return name === key ? 0 : editDistanceWithin(name, key, name.length) / Math.max(name.length, key.length)
}

/**
 * The edit distance, with a swap of neighboring letters as one edit. Stops early above `limit`, with a larger number.
 */
export function editDistanceWithin(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  const width = b.length + 1
  let [twoRowsBack, lastRow, row] = [new Uint16Array(width), new Uint16Array(width), new Uint16Array(width)]
  for (let j = 1; j < width; j++) lastRow[j] = j
  for (let i = 1; i <= a.length; i++) {
    let least = (row[0] = i)
    for (let j = 1; j < width; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let edits = Math.min(lastRow[j]! + 1, row[j - 1]! + 1, lastRow[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, twoRowsBack[j - 2]! + 1)
      row[j] = edits
      least = Math.min(least, edits)
    }
    // Also not with a swap, which continues from the row before.
    if (least > limit + 1) return least
    ;[twoRowsBack, lastRow, row] = [lastRow, row, twoRowsBack]
  }
  return lastRow[b.length]!
}

const costs = {
  type: { none: 0, added: 0.05, omitted: 0.1, moved: 0, other: 0.3 },
  direction: { none: 0, added: 0.2, omitted: 0.2, moved: 0.1, other: 0.5 },
  zipNear: 0.1,
  localityOther: 0.15,
  unknown: 0.02,
} as const

/** The ZIP code and the town count alike: if they contradict each other, neither decides. */
function localityCost({ zip, city }: StreetQuery, row: StreetRow): number {
  return zipCost(zip, row.zip) + cityCost(city, row)
}

function zipCost(queryZip: string | null, rowZip: string): number {
  if (queryZip === null || queryZip === rowZip) return 0
  if (rowZip === '') return costs.unknown
  return queryZip.slice(0, 3) === rowZip.slice(0, 3) ? costs.zipNear : costs.localityOther
}

function cityCost(queryCity: string | null, { city_key, postal_key }: StreetRow): number {
  if (queryCity === null || queryCity === city_key || queryCity === postal_key) return 0
  return city_key === '' && postal_key === '' ? costs.unknown : costs.localityOther
}
