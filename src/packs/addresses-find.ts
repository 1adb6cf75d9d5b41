import { lineOf } from '../model/address-line.ts'
import type { AccuracyType, AddressMatch, AddressParts, ParsedAddress } from '../model/address.ts'
import { houseNumberOf, unitKeyOf, type HouseNumber } from '../model/house-number.ts'
import type { Point } from '../model/place.ts'
import { crossingsOf } from './addresses-crossing.ts'
import type { AddrRow, AddressFile } from './addresses-file.ts'
import { apart, partsOf } from './addresses-parts.ts'
import { interpolated } from './addresses-range.ts'
import { perDegree } from './addresses-schema.ts'
import { askedStreetOf } from './addresses-score.ts'
import { candidatesOf, sureScore, type Candidate } from './addresses-streets.ts'

/** A match of a pack: its score is never null. */
export type LocalMatch = AddressMatch & { score: number }

/** What a pack has for an address: points and ranges with the number, else the middle of the streets of the name. */
export function matchesIn(file: AddressFile, asked: ParsedAddress): LocalMatch[] {
  if (asked.crossing) return crossingsOf(file, asked, asked.crossing).map(({ at, score, components, crossing }) => matchOf({ ...components, crossing }, { at, score, accuracy_type: 'intersection' }))
  const number = asked.number === undefined ? null : houseNumberOf(asked.number)
  const coarse: LocalMatch[] = []
  const found: LocalMatch[] = []
  for (const circle of candidatesOf(file, askedStreetOf(asked, asked))) {
    for (const candidate of circle) {
      const located = number ? locatedOn(file, candidate, number, asked) : []
      found.push(...located)
      if (located.length === 0) coarse.push(...middleOf(file, candidate))
    }
    if (found.some(({ score }) => score >= sureScore)) break
  }
  return found.length > 0 ? found : coarse
}

function locatedOn(file: AddressFile, { street, score }: Candidate, number: HouseNumber, asked: ParsedAddress): LocalMatch[] {
  const rows = file.points(street.id, number.num).filter(({ pre }) => pre === number.pre)
  const exact = rows.filter(({ suf }) => suf === number.suf)
  const base = exact.length > 0 || number.suf === '' ? [] : rows.filter(({ suf }) => suf === '')
  const points = exact.length > 0 ? ofUnit(exact, asked.unit) : { rows: base, accuracy_type: 'nearest_rooftop_match' as const }
  if (points.rows.length > 0) return apart(points.rows, pointOf).map((row) => matchOf(partsOf(street, row), { at: pointOf(row), score, accuracy_type: points.accuracy_type }))
  const places = file.ranges(street.id, number.num).filter(({ pre }) => pre === number.pre).map((range) => interpolated(range, number.num)).filter((at) => at !== null)
  return apart(places, (at) => at).map((at) => matchOf({ number: asked.number!, ...partsOf(street) }, { at, score, accuracy_type: 'range_interpolation' }))
}

/** Of the points of one number, those of the unit; where the unit is not there, that of the house. */
function ofUnit(rows: AddrRow[], unit: string | undefined): { rows: AddrRow[]; accuracy_type: AccuracyType } {
  const house = rows.filter(({ unit_key }) => unit_key === '')
  if (unit === undefined) return { rows: house.length > 0 ? house : rows.map((row) => ({ ...row, unit: '' })), accuracy_type: 'rooftop' }
  const key = unitKeyOf(unit)
  const own = rows.filter(({ unit_key }) => unit_key === key)
  if (own.length > 0) return { rows: own, accuracy_type: 'rooftop' }
  return { rows: house.length > 0 ? house : rows.map((row) => ({ ...row, unit: '' })), accuracy_type: 'nearest_rooftop_match' }
}

function middleOf(file: AddressFile, { street, score }: Candidate): LocalMatch[] {
  const at = file.middle(street.id)
  return at ? [matchOf(partsOf(street), { at, score, accuracy_type: 'street_center' })] : []
}

function pointOf({ lat, lng }: AddrRow): Point {
  return { lat: lat / perDegree, lng: lng / perDegree }
}

function matchOf({ crossing, ...components }: AddressParts & { crossing?: AddressParts }, { at, score, accuracy_type }: { at: Point; score: number; accuracy_type: AccuracyType }): LocalMatch {
  return { lat: Number(at.lat.toFixed(7)), lng: Number(at.lng.toFixed(7)), accuracy_type, score, normalized_address: lineOf({ ...components, ...(crossing && { crossing }) }), components }
}
