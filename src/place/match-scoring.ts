import { distanceBetween_m } from '../geo/ecef.ts'
import { insideUs } from '../geo/us.ts'
import type { AccuracyType, AddressMatch, AddressComponents, Gazetteer, ParsedAddress } from '../address/address.ts'
import type { Point } from '../model/place.ts'
import type { AddressReadings } from '../address/parse-address.ts'
import { addressKeyOf } from '../address/address-key.ts'
import { formatAddress, formatStreet } from '../address/format-address.ts'
import { isSameNumber } from '../address/house-number.ts'
import { parseStreet } from '../address/street.ts'
import { tokenizeAddress } from '../address/tokenizer.ts'
import { compareAddresses, roundScore } from '../address/compare-addresses.ts'
import {
  matchMethodOf,
  servedAccuracies,
  type AcceptedMatch,
  type GeocodeCandidate,
  type GeocodeOutcome,
  type GeocodeRejection,
} from './geocode-outcome.ts'
import { localityAgreement } from './locality-agreement.ts'

/** `parse` parses addresses; `isInState` tells whether a point is in or near a state (any state if undefined). */
export type MatchScoringDeps = {
  parse: (text: string) => ParsedAddress
  readings: AddressReadings
  isInState: (at: Point, state: string | undefined) => boolean
  gazetteer: Pick<Gazetteer, 'distanceToTown_m'>
}

/** A match with at least this score is good. A fair match is accepted only if there is no good one. */
const goodScore = 0.8
const fairScore = 0.6
/** Matches farther apart than this are different places. */
const samePlace_m = 150
const candidatesMax = 5

/** Chooses the best match of a provider. A provider's own label or score is not trusted by itself. */
export function chooseMatch(
  query: ParsedAddress,
  matches: AddressMatch[],
  provider: { name: string; scoresParts: boolean },
  deps: MatchScoringDeps,
): GeocodeOutcome {
  const assessments = matches.map((match) => assessMatch(query, match, provider, deps))
  const accepted = assessments
    .flatMap((assessment) => ('accepted' in assessment ? [assessment.accepted] : []))
    .toSorted(
      (a, b) =>
        b.accuracy - a.accuracy ||
        servedAccuracies.indexOf(a.accuracy_type) - servedAccuracies.indexOf(b.accuracy_type),
    )
  const [best] = accepted
  if (!best) return rejectionOf(assessments)
  const minScore = best.accuracy >= goodScore ? goodScore : fairScore
  const places = distinctPlaces(accepted.filter(({ accuracy }) => accuracy >= minScore))
  if (places.length > 1)
    return { rejected: 'address_ambiguous', candidates: places.slice(0, candidatesMax).map(candidateOf) }
  const [, second] = distinctPlaces(accepted)
  return {
    ...best,
    warnings: [
      ...best.warnings,
      ...(second ? [runnerUpWarning(best, second)] : []),
      ...(best.accuracy < goodScore ? [lowScoreWarning(best)] : []),
    ],
  }
}

function runnerUpWarning(best: AcceptedMatch, { normalized_address, accuracy, ...at }: AcceptedMatch): string {
  const distance_km = Number((distanceBetween_m(best, at) / 1000).toPrecision(2))
  return `runner_up: ${normalized_address}, ${distance_km} km away, has a score of ${accuracy}. Confirm the address.`
}

function lowScoreWarning({ accuracy }: AcceptedMatch): string {
  return `low_score: The only match has a score of ${accuracy}. Confirm the address.`
}

/**
 * Chooses the best match for the most likely reading of an address. If there is nothing at that reading, the first other
 * reading with a match decides. A match that contradicts the first reading is never avoided by another one.
 */
export function chooseReading(
  query: ParsedAddress,
  matchesOf: (reading: ParsedAddress) => AddressMatch[],
  provider: { name: string; scoresParts: boolean },
  deps: MatchScoringDeps,
): GeocodeOutcome {
  const outcome = chooseMatch(query, matchesOf(query), provider, deps)
  if (!('rejected' in outcome) || !undecided.has(outcome.rejected)) return outcome
  const isInOtherTown = outcome.rejected === 'wrong_locality'
  let count = 0
  for (const reading of deps.readings(query.text)) {
    if (count++ === maxOtherReadings) break
    const other = chooseMatch(reading, matchesOf(reading), provider, deps)
    // "Cortez Rd West Bradenton" may be in Bradenton, but only if all parts agree then.
    if ('rejected' in other || (isInOtherTown && (reading.city === undefined || other.warnings.length > 0))) continue
    const warning = `reading_changed: The address was read as ${formatAddress(reading)}.`
    return { ...other, warnings: [...other.warnings, warning] }
  }
  return outcome
}

const maxOtherReadings = 5
const undecided: ReadonlySet<string> = new Set(['address_not_found', 'address_too_coarse', 'wrong_locality'])

/** Why a match is only a candidate: its score, a contradiction of town and ZIP code, or another town. */
type UncertainRejection = 'score' | 'contradiction' | 'town'

type MatchAssessment =
  | { accepted: AcceptedMatch }
  | { rejection: 'number' | 'locality' | 'place' | 'street' }
  | { rejection: UncertainRejection; uncertain: AcceptedMatch }
  | { rejection: 'coarse'; coarse: GeocodeRejection }

function assessMatch(
  query: ParsedAddress,
  match: AddressMatch,
  { name, scoresParts }: { name: string; scoresParts: boolean },
  { parse, isInState, gazetteer }: MatchScoringDeps,
): MatchAssessment {
  const { lat, lng, accuracy_type, components, normalized_address } = match
  const found = scoresParts && components.street !== undefined ? components : partsOfMatch(match, parse)
  if (query.state !== undefined && found.state !== undefined && query.state !== found.state)
    return { rejection: 'locality' }
  const locality = localityAgreement(query, found, gazetteer)
  const isCenter = accuracy_type === 'street_center'
  // A pack lists the house numbers of its streets, so that a number that is not there is on another street.
  const isCoarse = !servedAccuracies.includes(accuracy_type) || (isCenter && scoresParts)
  const hasNumber = hasSameNumber(query, found.number, accuracy_type)
  if (locality === 'other' && (isCoarse || !hasNumber)) return { rejection: 'locality' }
  if (isCoarse) return { rejection: 'coarse', coarse: coarseRejection(query, match) }
  if (!hasNumber) return { rejection: 'number' }
  if (!insideUs({ lat, lng }) || !isInState({ lat, lng }, found.state)) return { rejection: 'place' }
  const { score, warnings: differences, agrees, isOtherStreet } = compareAddresses(query, match, found)
  const warnings = isCenter ? [...differences, centerWarning] : differences
  // A pack finds a street with a similar name. The name may be misspelled, or that of another street.
  const isSimilar = scoresParts && (match.score ?? 0) >= fairScore
  if (score < fairScore && !isSimilar && !isOtherStreet) return { rejection: 'street' }
  const ownScore = scoresParts ? (match.score ?? score) : score - (1 - (match.score ?? 1))
  const accuracy = Math.min(
    isOtherStreet ? otherStreetMax : isCenter ? fairScore : 1,
    roundScore(score < fairScore ? score : ownScore),
  )
  const match_type = warnings.length === 0 ? ('exact' as const) : ('approximate' as const)
  const scored = {
    lat,
    lng,
    match_type,
    accuracy_type: accuracy_type === 'rooftop' && !agrees ? ('point' as const) : accuracy_type,
    accuracy,
    normalized_address,
    components,
    provider: name,
    warnings,
  }
  if (locality === 'other') return { rejection: 'town', uncertain: scored }
  if (accuracy < fairScore) return { rejection: 'score', uncertain: scored }
  return locality === 'contradiction' ? { rejection: 'contradiction', uncertain: scored } : { accepted: scored }
}

const centerWarning =
  'number_not_found: The match is the middle of the street, because its house numbers are not known. Confirm the place.'

/** A match on a different street has at most this score. */
const otherStreetMax = 0.5

/** The parts of a match of a geocoder: its own where it has them, with the street in our form. */
function partsOfMatch(
  { components, normalized_address }: AddressMatch,
  parse: MatchScoringDeps['parse'],
): AddressComponents {
  if (components.street === undefined) return { ...parse(normalized_address), ...components }
  const { number, city, state, zip } = { ...parse(normalized_address), ...components }
  return { number, city, state, zip, ...parseStreet(tokenizeAddress(formatStreet(components))) } as AddressComponents
}

/**
 * Whether a match has the house number of the query. Intersections have none. A nearest rooftop may lack the letter or
 * fraction.
 */
function hasSameNumber(query: ParsedAddress, number: string | undefined, accuracy_type: AccuracyType): boolean {
  if (query.crossing !== undefined) return accuracy_type === 'intersection'
  // The middle of a street has no number.
  if (accuracy_type === 'street_center' && number === undefined) return query.number !== undefined
  if (query.number === undefined || number === undefined || accuracy_type === 'intersection') return false
  if (isSameNumber(number, query.number)) return true
  return accuracy_type === 'nearest_rooftop_match' && leadingDigitsOf(number) === leadingDigitsOf(query.number)
}

/** The best match at each place. */
function distinctPlaces(matches: AcceptedMatch[]): AcceptedMatch[] {
  return matches.reduce<AcceptedMatch[]>(
    (places, match) => (places.some((place) => isSamePlace(place, match)) ? places : [...places, match]),
    [],
  )
}

/** Whether two matches are one place: close together, or the same address at different accuracies. */
function isSamePlace(a: AcceptedMatch, b: AcceptedMatch): boolean {
  return (
    distanceBetween_m(a, b) <= samePlace_m ||
    (a.accuracy_type !== b.accuracy_type && addressKeyOf(a.normalized_address) === addressKeyOf(b.normalized_address))
  )
}

/** The most specific reason why no match was accepted. */
function rejectionOf(assessments: MatchAssessment[]): GeocodeOutcome {
  const contradicting = uncertainOf(assessments, 'contradiction')
  if (contradicting.length > 1) return { rejected: 'address_ambiguous', candidates: contradicting.map(candidateOf) }
  if (contradicting.length > 0) return withCandidates('wrong_locality', contradicting)
  const uncertain = uncertainOf(assessments, 'score')
  if (uncertain.length > 0) return withCandidates('address_not_found', uncertain)
  const coarse = assessments.find((assessment) => 'coarse' in assessment)
  if (coarse) return coarse.coarse
  const inOtherTowns = uncertainOf(assessments, 'town')
  if (inOtherTowns.length > 0) return withCandidates('wrong_locality', inOtherTowns)
  return {
    rejected: assessments.some((assessment) => 'rejection' in assessment && assessment.rejection === 'locality')
      ? 'wrong_locality'
      : 'address_not_found',
  }
}

/** The rejection of a coarse match. For a street without the house number, with the addresses next to it. */
function coarseRejection({ number }: ParsedAddress, match: AddressMatch): GeocodeRejection {
  const rejection = { rejected: 'address_too_coarse', accuracy_type: match.accuracy_type } as const
  if (match.accuracy_type !== 'street_center') return rejection
  const candidates = (match.nearest ?? []).map((near) => candidateOf({ ...near, accuracy: near.score ?? 0 }))
  return {
    ...rejection,
    ...(candidates.length > 0 && { candidates }),
    difference: `${formatStreet(match.components)} has no house number ${number}.`,
  }
}

function uncertainOf(assessments: MatchAssessment[], rejection: UncertainRejection): AcceptedMatch[] {
  const uncertain = assessments.flatMap((assessment) =>
    'uncertain' in assessment && assessment.rejection === rejection ? [assessment.uncertain] : [],
  )
  return distinctPlaces(uncertain.toSorted((a, b) => b.accuracy - a.accuracy)).slice(0, candidatesMax)
}

/** A rejection that says how the best of the uncertain matches differs. */
function withCandidates(
  rejected: 'address_not_found' | 'wrong_locality',
  uncertain: AcceptedMatch[],
): GeocodeRejection {
  const candidates = uncertain.map(candidateOf)
  const [warning] = uncertain[0]!.warnings
  return {
    rejected,
    candidates,
    ...(warning !== undefined && { difference: warning.slice(warning.indexOf(': ') + 2) }),
  }
}

function candidateOf({
  normalized_address,
  lat,
  lng,
  accuracy,
  accuracy_type,
}: Pick<AcceptedMatch, 'normalized_address' | 'lat' | 'lng' | 'accuracy' | 'accuracy_type'>): GeocodeCandidate {
  return {
    resolved_address: normalized_address,
    lat,
    lng,
    confidence: accuracy,
    match_method: matchMethodOf(accuracy_type),
    accuracy_type,
  }
}

function leadingDigitsOf(number: string): string {
  return /^\d+/.exec(number)?.[0] ?? number
}
