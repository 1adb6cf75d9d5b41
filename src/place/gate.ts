import { distanceBetween_m } from '../geo/ecef.ts'
import { insideUs } from '../geo/us.ts'
import type { AccuracyType, AddressMatch, ParsedAddress } from '../model/address.ts'
import type { Point } from '../model/place.ts'
import { addressKey } from './address-key.ts'
import { compared, isSameTown, rounded } from './comparison.ts'
import { methodOf, type Candidate, type Found, type Verdict } from './verdict.ts'

/** What judging takes: how addresses are read, and whether a point lies in a state (or near its edge), or in any. */
export type Judging = { read: (text: string) => ParsedAddress; liesIn: (at: Point, state: string | undefined) => boolean }

/** From this score on a match is good; from the lower one it passes when there is no other. */
const goodScore = 0.8
const fairScore = 0.6
/** Matches farther apart than this are two places. */
const samePlace_m = 150
const candidatesMax = 5

/** Judges what a provider said: a label or a score of its own alone proves nothing. */
export function judged(asked: ParsedAddress, matches: AddressMatch[], provider: { name: string; compares: boolean }, judging: Judging): Verdict {
  const fates = matches.map((match) => fateOf(asked, match, provider, judging))
  const passed = fates.flatMap((fate) => ('found' in fate ? [fate.found] : [])).toSorted((a, b) => b.accuracy_score - a.accuracy_score || grades.indexOf(a.accuracy_type) - grades.indexOf(b.accuracy_type))
  const [best] = passed
  if (!best) return refusalOf(fates)
  const least = best.accuracy_score >= goodScore ? goodScore : fairScore
  const places = apart(passed.filter(({ accuracy_score }) => accuracy_score >= least))
  if (places.length > 1) return { refused: 'address_ambiguous', candidates: places.slice(0, candidatesMax).map(candidateOf) }
  return best.accuracy_score >= goodScore ? best : { ...best, warnings: [...best.warnings, `low_score: The only match has a score of ${best.accuracy_score}: confirm the address.`] }
}

/** From the finest to the coarsest. */
const grades: readonly AccuracyType[] = ['rooftop', 'nearest_rooftop_match', 'point', 'intersection', 'range_interpolation']

type Fate = { found: Found } | { fault: 'number' | 'locality' | 'place' | 'score' } | { fault: 'coarse'; accuracy_type: AccuracyType }

function fateOf(asked: ParsedAddress, match: AddressMatch, { name, compares }: { name: string; compares: boolean }, { read, liesIn }: Judging): Fate {
  const { lat, lng, accuracy_type, components, normalized_address } = match
  const theirs = read(normalized_address)
  const state = components.state ?? theirs.state
  const zip = components.zip ?? theirs.zip
  if (asked.state !== undefined && state !== undefined && asked.state !== state) return { fault: 'locality' }
  if (asked.zip !== undefined && zip !== undefined && asked.zip.slice(0, 3) !== zip.slice(0, 3)) return { fault: 'locality' }
  if (!grades.includes(accuracy_type)) return { fault: 'coarse', accuracy_type }
  if (!isItsNumber(asked, { ...theirs, ...components }, accuracy_type)) return { fault: 'number' }
  if (isOfOtherTown(asked, components.city ?? theirs.city, zip)) return { fault: 'locality' }
  if (!insideUs({ lat, lng }) || !liesIn({ lat, lng }, state)) return { fault: 'place' }
  const { score, warnings } = compared(asked, match, theirs)
  const accuracy_score = compares ? rounded(match.score ?? score) : rounded(score - (1 - (match.score ?? 1)))
  if (accuracy_score < fairScore) return { fault: 'score' }
  return { found: { lat, lng, accuracy_type, accuracy_score, normalized_address, components, provider: name, warnings } }
}

/** A crossing has no number; the nearest rooftop may have the number without its letter or half. */
function isItsNumber(asked: ParsedAddress, { number }: { number?: string }, accuracy_type: AccuracyType): boolean {
  if (asked.crossing !== undefined) return accuracy_type === 'intersection'
  if (asked.number === undefined || number === undefined || accuracy_type === 'intersection') return false
  if (plain(number) === plain(asked.number)) return true
  return accuracy_type === 'nearest_rooftop_match' && baseOf(number) === baseOf(asked.number)
}

/** A town of another name is another town, unless the ZIP code says that it is the same. */
function isOfOtherTown(asked: ParsedAddress, city: string | undefined, zip: string | undefined): boolean {
  if (asked.city === undefined || city === undefined || isSameTown(asked.city, city)) return false
  return asked.zip === undefined || zip === undefined || asked.zip.slice(0, 5) !== zip.slice(0, 5)
}

/** The best of the matches at each place. */
function apart(matches: Found[]): Found[] {
  return matches.reduce<Found[]>((places, match) => (places.some((place) => isSamePlace(place, match)) ? places : [...places, match]), [])
}

/** One address at two accuracies is one place, of which the finer is taken; at one accuracy it is two. */
function isSamePlace(a: Found, b: Found): boolean {
  return distanceBetween_m(a, b) <= samePlace_m || (a.accuracy_type !== b.accuracy_type && addressKey(a.normalized_address) === addressKey(b.normalized_address))
}

/** Why none of the matches is the answer: the one that tells most. */
function refusalOf(fates: Fate[]): Verdict {
  const coarse = fates.find((fate) => 'fault' in fate && fate.fault === 'coarse')
  if (coarse && 'accuracy_type' in coarse) return { refused: 'address_too_coarse', accuracy_type: coarse.accuracy_type }
  return { refused: fates.some((fate) => 'fault' in fate && fate.fault === 'locality') ? 'wrong_locality' : 'address_not_found' }
}

function candidateOf({ normalized_address, lat, lng, accuracy_score, accuracy_type }: Found): Candidate {
  return { resolved_address: normalized_address, lat, lng, confidence: accuracy_score, match_method: methodOf(accuracy_type), accuracy_type }
}

function plain(number: string): string {
  return number.toUpperCase().replace(/\s+/g, ' ').trim()
}

function baseOf(number: string): string {
  return /^\d+/.exec(number)?.[0] ?? number
}
