import type { AddressFile, StreetRow } from './addresses-file.ts'
import { distanceOf, scoreOf, type AskedStreet } from './addresses-score.ts'

/** A street that may be the one asked for. */
export type Candidate = { street: StreetRow; score: number }

/** The streets of a pack that may be meant, in widening circles: of the name in the ZIP code, in the town, then of a similar name in either. Each circle is asked for only when the one before did not do. */
export function* candidatesOf(file: AddressFile, asked: AskedStreet): Generator<Candidate[]> {
  if (asked.key === '') return
  const seen = new Set<number>()
  const fresh = (rows: StreetRow[]) => scored(rows.filter(({ id }) => !seen.has(id) && seen.add(id)), asked)
  const ofZip = asked.zip === null ? [] : fresh(file.streetsOfZip(asked.zip, asked.key))
  yield ofZip
  const ofTown = asked.city === null ? [] : fresh(file.streetsOfCity(asked.city, asked.state, asked.key))
  yield ofTown
  // The street is there under its own name: one that is spelt nearly so is another.
  if ([...ofZip, ...ofTown].some(({ score }) => score >= sureScore)) return
  yield similarKeys(file, asked.key).flatMap((key) => fresh(near(file, asked, key)))
}

/** A street with this score differs in nothing that would make another street or town as likely. */
export const sureScore = 0.9
const leastScore = 0.5
const mostSimilar = 50

function near(file: AddressFile, { zip, city, state }: AskedStreet, key: string): StreetRow[] {
  return [...(zip === null ? [] : file.streetsOfZip(zip, key)), ...(city === null ? [] : file.streetsOfCity(city, state, key))]
}

function scored(rows: StreetRow[], asked: AskedStreet): Candidate[] {
  return rows.map((row) => ({ street: calledAs(asked, row), score: scoreOf(asked, row) })).filter(({ score }) => score >= leastScore)
}

/** A town of two names, the municipality's and the Postal Service's, is shown by the one that was asked for. */
function calledAs({ city }: AskedStreet, row: StreetRow): StreetRow {
  return city !== null && city !== row.city_key && city === row.postal_key ? { ...row, city: row.postal } : row
}

/**
 * Names with a typing error or two. A name that is cut in more pieces than it has errors has one that is whole, and the trigrams find it.
 * What has digits is a number: 7th is no misspelt 6th.
 */
function similarKeys(file: AddressFile, key: string): string[] {
  const errors = key.length >= longName ? 2 : 1
  if (/\d/.test(key) || key.length < 3 * (errors + 1)) return []
  return file.namesWith(piecesOf(key, errors + 1)).filter((other) => other !== key && !/\d/.test(other) && distanceOf(key, other, errors) <= errors).slice(0, mostSimilar)
}

const longName = 9

function piecesOf(key: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => key.slice(Math.floor((i * key.length) / count), Math.floor(((i + 1) * key.length) / count)))
}
