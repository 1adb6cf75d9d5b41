import type { AddressPack, StreetRow } from './address-pack.ts'
import { editDistanceWithin, scoreStreet, type StreetQuery } from './street-score.ts'

/** A street that may be the one asked for. */
export type StreetCandidate = { street: StreetRow; score: number }

/** The streets of a pack that may be meant, in widening circles: of the name in the ZIP code, in the town, then of a similar name in either. Each circle is asked for only when the one before did not do. */
export function* findStreetCandidates(pack: AddressPack, query: StreetQuery): Generator<StreetCandidate[]> {
  if (query.key === '') return
  const seenIds = new Set<number>()
  const scoreUnseen = (rows: StreetRow[]) =>
    scoreRows(
      rows.filter(({ id }) => !seenIds.has(id) && seenIds.add(id)),
      query,
    )
  const inZip = query.zip === null ? [] : scoreUnseen(pack.streetsOfZip(query.zip, query.key))
  yield inZip
  const inTown = query.city === null ? [] : scoreUnseen(pack.streetsOfCity(query.city, query.state, query.key))
  yield inTown
  // The street is there under its own name: one that is spelt nearly so is another.
  if ([...inZip, ...inTown].some(({ score }) => score >= confidentScore)) return
  yield similarKeys(pack, query.key).flatMap((key) => scoreUnseen(streetsByKey(pack, query, key)))
}

/** A street with this score differs in nothing that would make another street or town as likely. */
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

/** A town of two names, the municipality's and the Postal Service's, is shown by the one that was asked for. */
function withQueriedCity({ city }: StreetQuery, row: StreetRow): StreetRow {
  return city !== null && city !== row.city_key && city === row.postal_key ? { ...row, city: row.postal } : row
}

/**
 * Names with a typing error or two. A name that is cut in more pieces than it has errors has one that is whole, and the trigrams find it.
 * What has digits is a number: 7th is no misspelt 6th.
 */
function similarKeys(pack: AddressPack, key: string): string[] {
  const errors = key.length >= longKeyLength ? 2 : 1
  if (/\d/.test(key) || key.length < 3 * (errors + 1)) return []
  return pack
    .namesContaining(splitEvenly(key, errors + 1))
    .filter((other) => other !== key && !/\d/.test(other) && editDistanceWithin(key, other, errors) <= errors)
    .slice(0, maxSimilar)
}

const longKeyLength = 9

function splitEvenly(key: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    key.slice(Math.floor((i * key.length) / count), Math.floor(((i + 1) * key.length) / count)),
  )
}
