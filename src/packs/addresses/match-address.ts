import { formatAddress } from '../../address/format-address.ts'
import type { AccuracyType, AddressMatch, AddressComponents, ParsedAddress } from '../../address/address.ts'
import { parseHouseNumber, unitKeyOf, type HouseNumber } from '../../address/house-number.ts'
import type { Point } from '../../model/place.ts'
import { findIntersections } from './street-intersections.ts'
import type { AddressRow, AddressPack, RangeRow } from './address-pack.ts'
import { dropNearby, addressComponentsOf } from './address-components.ts'
import { unitsPerDegree, decodeLine } from './address-pack-schema.ts'
import { isExactStreet, otherStreetMax, streetQueryOf, type StreetQuery } from './street-score.ts'
import { findStreetCandidates, confidentScore, type StreetCandidate } from './street-candidates.ts'
import { metersPerDegree } from '../../geo/ecef.ts'

/** A match in a pack. Its score is never null. */
export type LocalMatch = AddressMatch & { score: number }

/**
 * The matches of an address in a pack: points and ranges with its number, otherwise the centers of matching streets.
 */
export function matchAddress(pack: AddressPack, address: ParsedAddress): LocalMatch[] {
  if (address.crossing)
    return findIntersections(pack, address, address.crossing).map(({ at, score, components, crossing }) =>
      matchOf(components, { at, score, accuracy_type: 'intersection', crossing }),
    )
  const number = address.number === undefined ? null : parseHouseNumber(address.number)
  const streetsWithoutIt: StreetCandidate[] = []
  const matches: LocalMatch[] = []
  const query = streetQueryOf(address, address)
  let hasExactStreet = false
  for (const found of findStreetCandidates(pack, query)) {
    const batch = preferMunicipality(found, query)
    // Where there is a Broadway, Broadway Circle is another street.
    hasExactStreet ||= batch.some(({ street }) => isExactStreet(query, street))
    for (const { street, score } of batch) {
      const isOther = hasExactStreet && !isExactStreet(query, street)
      const candidate = { street, score: isOther ? Math.min(score, otherStreetMax) : score }
      const located = number ? locateOnStreet(pack, candidate, number, address) : []
      matches.push(...located)
      if (located.length === 0) streetsWithoutIt.push(candidate)
    }
    if (matches.some(({ score }) => score >= confidentScore)) break
  }
  return matches.length > 0 ? matches : streetsWithoutIt.flatMap((candidate) => streetCenterOf(pack, candidate, number))
}

/** Without the streets that have the town only as their postal town, if others are in the town itself. */
function preferMunicipality(batch: StreetCandidate[], { city }: StreetQuery): StreetCandidate[] {
  const inTown = batch.filter(({ street }) => street.city_key === city)
  return inTown.length > 0
    ? batch.filter(({ street }) => street.city_key === city || street.postal_key !== city)
    : batch
}

function locateOnStreet(
  pack: AddressPack,
  { street, score }: StreetCandidate,
  number: HouseNumber,
  address: ParsedAddress,
): LocalMatch[] {
  const rows = pack.points(street.id, number.num).filter(({ pre }) => pre === number.pre)
  const exact = rows.filter(({ suf }) => suf === number.suf)
  const withoutSuffix = exact.length > 0 || number.suf === '' ? [] : rows.filter(({ suf }) => suf === '')
  const points =
    exact.length > 0
      ? selectUnit(exact, address.unit)
      : { rows: withoutSuffix, accuracy_type: 'nearest_rooftop_match' as const }
  if (points.rows.length > 0)
    return dropNearby(points.rows, pointOf).map((row) =>
      matchOf(addressComponentsOf(street, row), { at: pointOf(row), score, accuracy_type: points.accuracy_type }),
    )
  const places = pack
    .ranges(street.id, number.num)
    .filter(({ pre }) => pre === number.pre)
    .map((range) => interpolateRange(range, number.num))
    .filter((at) => at !== null)
  return dropNearby(places, (at) => at).map((at) =>
    matchOf(
      { number: address.number!, ...addressComponentsOf(street) },
      { at, score, accuracy_type: 'range_interpolation' },
    ),
  )
}

/** Selects the points of the unit; without them, the point of the building. */
function selectUnit(rows: AddressRow[], unit: string | undefined): { rows: AddressRow[]; accuracy_type: AccuracyType } {
  const withoutUnit = rows.filter(({ unit_key }) => unit_key === '')
  if (unit === undefined)
    return {
      rows: withoutUnit.length > 0 ? withoutUnit : rows.map((row) => ({ ...row, unit: '' })),
      accuracy_type: 'rooftop',
    }
  const key = unitKeyOf(unit)
  const sameUnit = rows.filter(({ unit_key }) => unit_key === key)
  if (sameUnit.length > 0) return { rows: sameUnit, accuracy_type: 'rooftop' }
  return {
    rows: withoutUnit.length > 0 ? withoutUnit : rows.map((row) => ({ ...row, unit: '' })),
    accuracy_type: 'nearest_rooftop_match',
  }
}

function streetCenterOf(
  pack: AddressPack,
  { street, score }: StreetCandidate,
  number: HouseNumber | null,
): LocalMatch[] {
  const at = pack.center(street.id)
  if (!at) return []
  const nearest = (number ? pack.neighbors(street.id, number.num) : []).map((row) =>
    matchOf(addressComponentsOf(street, { ...row, unit: '' }), {
      at: pointOf(row),
      score: otherStreetMax,
      accuracy_type: 'rooftop',
    }),
  )
  const center = matchOf(addressComponentsOf(street), { at, score, accuracy_type: 'street_center' })
  return [{ ...center, ...(nearest.length > 0 && { nearest }) }]
}

function pointOf({ lat, lng }: AddressRow): Point {
  return { lat: lat / unitsPerDegree, lng: lng / unitsPerDegree }
}

type Located = { at: Point; score: number; accuracy_type: AccuracyType; crossing?: AddressComponents }

function matchOf(components: AddressComponents, { at, score, accuracy_type, crossing }: Located): LocalMatch {
  return {
    lat: Number(at.lat.toFixed(7)),
    lng: Number(at.lng.toFixed(7)),
    accuracy_type,
    score,
    normalized_address: formatAddress(crossing ? { ...components, crossing } : components),
    components,
  }
}

/**
 * Interpolates the position of a house number along its range, offset to its side of the street. Null if the number is
 * outside the range or has the other parity.
 */
function interpolateRange({ low, high, parity, side, is_falling, line }: RangeRow, num: number): Point | null {
  if (num < low || num > high || !matchesParity(parity, num)) return null
  const fraction = high === low ? 0.5 : (num - low) / (high - low)
  return pointBeside(decodeLine(line), is_falling ? 1 - fraction : fraction, side === 'L' ? -offset_m : offset_m)
}

/** Whether a number is on the side with this parity. */
function matchesParity(parity: string, num: number): boolean {
  return parity === 'B' || (parity === 'O') === (num % 2 === 1)
}

/** The assumed distance of a house from the center line. */
const offset_m = 10
const radiansPerDegree = Math.PI / 180

/** The point at a fraction of a line's length, offset to its right (to its left if `right_m` is negative). */
function pointBeside(path: readonly (readonly [number, number])[], fraction: number, right_m: number): Point | null {
  const [start] = path
  if (!start) return null
  const metersPerLngDegree = metersPerDegree * Math.cos(start[1] * radiansPerDegree)
  const segments = path.slice(1).map(([lng, lat], i) => ({
    from: path[i]!,
    east_m: (lng - path[i]![0]) * metersPerLngDegree,
    north_m: (lat - path[i]![1]) * metersPerDegree,
  }))
  const lengths = segments.map(({ east_m, north_m }) => Math.hypot(east_m, north_m))
  const total_m = lengths.reduce((sum, length_m) => sum + length_m, 0)
  if (total_m === 0) return { lat: start[1], lng: start[0] }
  let remaining_m = fraction * total_m
  let i = 0
  while (i < segments.length - 1 && (remaining_m > lengths[i]! || lengths[i] === 0)) remaining_m -= lengths[i++]!
  const { from, east_m, north_m } = segments[i]!
  const length_m = lengths[i]! || 1
  const along = Math.min(1, remaining_m / length_m)
  return {
    lat: from[1] + (along * north_m - (right_m * east_m) / length_m) / metersPerDegree,
    lng: from[0] + (along * east_m + (right_m * north_m) / length_m) / metersPerLngDegree,
  }
}
