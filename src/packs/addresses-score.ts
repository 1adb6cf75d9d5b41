import type { AddressParts } from '../model/address.ts'
import { wordsOf } from '../model/address-token.ts'
import { nameKeyOf, typeKeyOf } from '../model/street.ts'
import { townKeyOf } from '../model/town-key.ts'
import type { StreetRow } from './addresses-file.ts'

/** What is asked of a street, as keys; null or empty where it was not said. */
export type AskedStreet = { key: string; type: string; pre: string; post: string; zip: string | null; city: string | null; state: string | null }

/** The keys of the street of an address, in its place. */
export function askedStreetOf(street: AddressParts, { city, state, zip }: AddressParts): AskedStreet {
  return {
    key: nameKeyOf(wordsOf(street.street ?? '')), type: typeKeyOf(street), pre: street.predirectional ?? '', post: street.postdirectional ?? '',
    zip: zip?.slice(0, 5) ?? null, city: city === undefined ? null : townKeyOf(wordsOf(city)), state: state ?? null,
  }
}

/** How well a street is the one that was asked for, 0 to 1: what is left when each difference has cost its part. */
export function scoreOf(asked: AskedStreet, row: StreetRow): number {
  if (asked.state !== null && asked.state !== row.state) return 0
  const name = asked.key === row.key ? 0 : distanceOf(asked.key, row.key, asked.key.length) / Math.max(asked.key.length, row.key.length)
  return Math.max(0, Math.round((1 - name - typeCost(asked, row) - directionCost(asked, row) - zipCost(asked.zip, row.zip) - cityCost(asked.city, row)) * 100) / 100)
}

/** How many letters must be changed, left out, added or swapped with the next; more than `most` where it is more. */
export function distanceOf(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let [before, last] = [new Uint16Array(b.length + 1), Uint16Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = new Uint16Array(b.length + 1)
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}

const costs = { typeAdded: 0.05, typeLost: 0.1, typeOther: 0.3, directionOne: 0.2, directionOther: 0.5, directionMoved: 0.1, zipNear: 0.1, zipFar: 0.3, cityOther: 0.15, unknown: 0.02 } as const
const numberedRoads = /ROAD$|HIGHWAY$|ROUTE$|^INTERSTATE$|^FM$|^HWY$|^RTE$/

function typeCost(asked: AskedStreet, row: StreetRow): number {
  const type = typeKeyOf({ ...(row.pretype !== '' && { pretype: row.pretype }), ...(row.suffix !== '' && { suffix: row.suffix }) })
  if (shortType(asked.type) === shortType(type)) return 0
  if (asked.type === '') return costs.typeAdded
  if (type === '') return costs.typeLost
  // One road has many of these names: Highway 360, State Highway 360.
  return /\d/.test(asked.key) && numberedRoads.test(asked.type) && numberedRoads.test(type) ? costs.typeLost : costs.typeOther
}

/** Avenue B and B Ave. */
function shortType(type: string): string {
  return type === 'AVENUE' ? 'AVE' : type === 'LANE' ? 'LN' : type === 'DRIVE' ? 'DR' : type
}

function directionCost({ pre, post }: AskedStreet, { dir_pre, dir_post }: StreetRow): number {
  if (pre !== post && pre === dir_post && post === dir_pre) return costs.directionMoved
  return oneCost(pre, dir_pre) + oneCost(post, dir_post)
}

function oneCost(asked: string, found: string): number {
  if (asked === found) return 0
  return asked === '' || found === '' ? costs.directionOne : costs.directionOther
}

function zipCost(asked: string | null, found: string): number {
  if (asked === null || asked === found) return 0
  if (found === '') return costs.unknown
  return asked.slice(0, 3) === found.slice(0, 3) ? costs.zipNear : costs.zipFar
}

function cityCost(asked: string | null, { city_key, postal_key }: StreetRow): number {
  if (asked === null || asked === city_key || asked === postal_key) return 0
  return city_key === '' && postal_key === '' ? costs.unknown : costs.cityOther
}
