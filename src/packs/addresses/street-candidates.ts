import type { AddressPack, StreetRow } from './address-pack.ts'
import { editDistanceWithin, scoreStreet, type StreetQuery } from './street-score.ts'
import { directionAbbreviations, suffixAbbreviations } from '../../address/abbreviations.ts'
import { streetNameKeyOf } from '../../address/street-key.ts'

/** A street that may match a query, with its score from 0 to 1. */
export type StreetCandidate = { street: StreetRow; score: number }

/**
 * Yields the candidate streets in widening batches: the name in the ZIP code, the name in the town, then similar names
 * in both. Each batch is queried only when the caller continues.
 */
export function* findStreetCandidates(pack: AddressPack, query: StreetQuery): Generator<StreetCandidate[]> {
  if (query.name === '') return
  const keys = pack.isOld ? oldStreetKeysOf(query.words) : [query.name]
  const seenIds = new Set<number>()
  const scoreUnseen = (rows: StreetRow[]) =>
    scoreRows(
      rows.filter(({ id }) => !seenIds.has(id) && seenIds.add(id)),
      query,
    )
  const inZip = query.zip === null ? [] : scoreUnseen(keys.flatMap((key) => pack.streetsOfZip(query.zip!, key)))
  yield inZip
  const inTown =
    query.city === null || (inZip.length === 0 && !keys.some((key) => pack.hasName(key)))
      ? []
      : scoreUnseen(keys.flatMap((key) => pack.streetsOfCity(query.city!, query.state, key)))
  yield inTown
  // The exact name exists, so a similar name is a different street.
  if ([...inZip, ...inTown].some(({ score }) => score >= confidentScore)) return
  yield keys.flatMap((key) => similarKeys(pack, key)).flatMap((key) => scoreUnseen(streetsByKey(pack, query, key)))
}

/** At this score no other street or town is equally likely. */
export const confidentScore = 0.9
const minScore = 0.5
const maxSimilar = 50

function streetsByKey(pack: AddressPack, { zip, city, state }: StreetQuery, key: string): StreetRow[] {
  return [
    ...(zip === null ? [] : pack.streetsOfZip(zip, key)),
    ...(city === null ? [] : pack.streetsOfCity(city, state, key)),
  ]
}

function scoreRows(rows: StreetRow[], query: StreetQuery): StreetCandidate[] {
  return rows
    .map((row) => ({ street: withQueriedCity(query, row), score: scoreStreet(query, row) }))
    .filter(({ score }) => score >= minScore)
}

/** If the query uses the postal town instead of the municipality, the result shows the postal town. */
function withQueriedCity({ city }: StreetQuery, row: StreetRow): StreetRow {
  return city !== null && city !== row.city_key && city === row.postal_key ? { ...row, city: row.postal } : row
}

/**
 * Names within one or two typing errors. If a name is cut into more pieces than it has errors, one piece has none, and
 * the trigram index finds it. Names with digits must be exact: 7th is not a misspelled 6th.
 */
function similarKeys(pack: AddressPack, key: string): string[] {
  const errors = key.length >= longKeyLength ? 2 : 1
  if (/\d/.test(key) || key.length < 3 * (errors + 1)) return []
  return pack
    .namesContaining(splitEvenly(key, errors + 1), [key.length - errors, key.length + errors])
    .filter((other) => other !== key && !/\d/.test(other) && editDistanceWithin(key, other, errors) <= errors)
    .slice(0, maxSimilar)
}

const longKeyLength = 9

function splitEvenly(key: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    key.slice(Math.floor((i * key.length) / count), Math.floor(((i + 1) * key.length) / count)),
  )
}

/**
 * The keys under which a pack of version 1 may have a street name. They shorten words such as View, and a number may
 * have the ending of an ordinal.
 */
function oldStreetKeysOf(words: readonly string[]): string[] {
  const key = words.map((word) => oldWordOf(word.replace(/[-/]/g, ''))).join('')
  const number = /^\d+$/.exec(streetNameKeyOf(words))?.[0]
  return [...new Set(number === undefined ? [key] : [key, number, `${number}${endingOf(Number(number))}`])]
}

function oldWordOf(word: string): string {
  if (word === 'SAINT') return 'ST'
  const direction = word.length > 2 ? directionAbbreviations.get(word) : undefined
  return direction ?? suffixAbbreviations.get(word) ?? word
}

function endingOf(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1
  return isTeen ? 'TH' : (['TH', 'ST', 'ND', 'RD'][number % 10] ?? 'TH')
}
