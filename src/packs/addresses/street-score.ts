import type { AddressParts } from '../../address/address.ts'
import { normalizeWords } from '../../address/tokenizer.ts'
import { streetNameKeyOf, streetTypeKeyOf } from '../../address/street.ts'
import { townKeyOf } from '../../address/town.ts'
import type { StreetRow } from './address-pack.ts'

/** The normalized keys of a queried street; null or empty if not given. */
export type StreetQuery = {
  key: string
  type: string
  pre: string
  post: string
  zip: string | null
  city: string | null
  state: string | null
}

/** The query for a street in a locality. */
export function streetQueryOf(street: AddressParts, { city, state, zip }: AddressParts): StreetQuery {
  return {
    key: streetNameKeyOf(normalizeWords(street.street ?? '')),
    type: streetTypeKeyOf(street),
    pre: street.predirectional ?? '',
    post: street.postdirectional ?? '',
    zip: zip?.slice(0, 5) ?? null,
    city: city === undefined ? null : townKeyOf(normalizeWords(city)),
    state: state ?? null,
  }
}

/** How well a street matches the query, from 0 to 1: 1 minus a cost for each difference. */
export function scoreStreet(query: StreetQuery, row: StreetRow): number {
  if (query.state !== null && query.state !== row.state) return 0
  const nameCost =
    query.key === row.key
      ? 0
      : editDistanceWithin(query.key, row.key, query.key.length) / Math.max(query.key.length, row.key.length)
  return Math.max(
    0,
    Math.round(
      (1 -
        nameCost -
        typeCost(query, row) -
        directionCost(query, row) -
        zipCost(query.zip, row.zip) -
        cityCost(query.city, row)) *
        100,
    ) / 100,
  )
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
  typeAdded: 0.05,
  typeLost: 0.1,
  typeOther: 0.3,
  directionOne: 0.2,
  directionOther: 0.5,
  directionMoved: 0.1,
  zipNear: 0.1,
  zipFar: 0.3,
  cityOther: 0.15,
  unknown: 0.02,
} as const
const numberedRoads = /ROAD$|HIGHWAY$|ROUTE$|^INTERSTATE$|^FM$|^HWY$|^RTE$/

function typeCost(query: StreetQuery, row: StreetRow): number {
  const type = streetTypeKeyOf(row.pretype === '' ? { suffix: row.suffix } : { pretype: row.pretype })
  if (typeAbbreviation(query.type) === typeAbbreviation(type)) return 0
  if (query.type === '') return costs.typeAdded
  if (type === '') return costs.typeLost
  // One road may have several of these types: Highway 360, State Highway 360.
  return /\d/.test(query.key) && numberedRoads.test(query.type) && numberedRoads.test(type)
    ? costs.typeLost
    : costs.typeOther
}

/** Makes the types of "Avenue B" and "B Ave" equal. */
function typeAbbreviation(type: string): string {
  return type === 'AVENUE' ? 'AVE' : type === 'LANE' ? 'LN' : type === 'DRIVE' ? 'DR' : type
}

function directionCost({ pre, post }: StreetQuery, { dir_pre, dir_post }: StreetRow): number {
  if (pre !== post && pre === dir_post && post === dir_pre) return costs.directionMoved
  return directionPartCost(pre, dir_pre) + directionPartCost(post, dir_post)
}

function directionPartCost(queryPart: string, rowPart: string): number {
  if (queryPart === rowPart) return 0
  return queryPart === '' || rowPart === '' ? costs.directionOne : costs.directionOther
}

function zipCost(queryZip: string | null, rowZip: string): number {
  if (queryZip === null || queryZip === rowZip) return 0
  if (rowZip === '') return costs.unknown
  return queryZip.slice(0, 3) === rowZip.slice(0, 3) ? costs.zipNear : costs.zipFar
}

function cityCost(queryCity: string | null, { city_key, postal_key }: StreetRow): number {
  if (queryCity === null || queryCity === city_key || queryCity === postal_key) return 0
  return city_key === '' && postal_key === '' ? costs.unknown : costs.cityOther
}
