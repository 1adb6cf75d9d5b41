import { distanceBetween_m } from '../geo/ecef.ts'
import { insideUs } from '../geo/us.ts'
import type { AccuracyType, AddressMatch, ParsedAddress } from '../address/address.ts'
import type { Point } from '../model/place.ts'
import { addressKeyOf } from '../address/address-key.ts'
import { compareAddresses, isSameTown, roundScore } from '../address/compare-addresses.ts'
import { matchMethodOf, type GeocodeCandidate, type AcceptedMatch, type GeocodeOutcome } from './geocode-outcome.ts'

/** `parse` parses addresses; `isInState` tells whether a point is in or near a state (any state if undefined). */
export type MatchScoringDeps = {
  parse: (text: string) => ParsedAddress
  isInState: (at: Point, state: string | undefined) => boolean
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
        b.accuracy_score - a.accuracy_score ||
        accuracyOrder.indexOf(a.accuracy_type) - accuracyOrder.indexOf(b.accuracy_type),
    )
  const [best] = accepted
  if (!best) return rejectionOf(assessments)
  const minScore = best.accuracy_score >= goodScore ? goodScore : fairScore
  const places = distinctPlaces(accepted.filter(({ accuracy_score }) => accuracy_score >= minScore))
  if (places.length > 1)
    return { rejected: 'address_ambiguous', candidates: places.slice(0, candidatesMax).map(candidateOf) }
  return best.accuracy_score >= goodScore
    ? best
    : {
        ...best,
        warnings: [
          ...best.warnings,
          `low_score: The only match has a score of ${best.accuracy_score}. Confirm the address.`,
        ],
      }
}

/** From the finest to the coarsest. */
const accuracyOrder: readonly AccuracyType[] = [
  'rooftop',
  'nearest_rooftop_match',
  'point',
  'intersection',
  'range_interpolation',
]

type MatchAssessment =
  | { accepted: AcceptedMatch }
  | { rejection: 'number' | 'locality' | 'place' | 'street' }
  | { rejection: 'score'; uncertain: AcceptedMatch }
  | { rejection: 'coarse'; accuracy_type: AccuracyType }

function assessMatch(
  query: ParsedAddress,
  match: AddressMatch,
  { name, scoresParts }: { name: string; scoresParts: boolean },
  { parse, isInState }: MatchScoringDeps,
): MatchAssessment {
  const { lat, lng, accuracy_type, components, normalized_address } = match
  const parsedMatch = parse(normalized_address)
  const state = components.state ?? parsedMatch.state
  const zip = components.zip ?? parsedMatch.zip
  if (query.state !== undefined && state !== undefined && query.state !== state) return { rejection: 'locality' }
  if (query.zip !== undefined && zip !== undefined && query.zip.slice(0, 3) !== zip.slice(0, 3))
    return { rejection: 'locality' }
  if (!accuracyOrder.includes(accuracy_type)) return { rejection: 'coarse', accuracy_type }
  if (!hasSameNumber(query, components.number ?? parsedMatch.number, accuracy_type)) return { rejection: 'number' }
  if (isInOtherTown(query, components.city ?? parsedMatch.city, zip)) return { rejection: 'locality' }
  if (!insideUs({ lat, lng }) || !isInState({ lat, lng }, state)) return { rejection: 'place' }
  const { score, warnings } = compareAddresses(query, match, parsedMatch)
  // A pack finds a street with a similar name. The name may be misspelled, or that of another street.
  const isSimilar = scoresParts && (match.score ?? 0) >= fairScore
  if (score < fairScore && !isSimilar) return { rejection: 'street' }
  const ownScore = scoresParts ? (match.score ?? score) : score - (1 - (match.score ?? 1))
  const accuracy_score = roundScore(score < fairScore ? score : ownScore)
  const scored = { lat, lng, accuracy_type, accuracy_score, normalized_address, components, provider: name, warnings }
  return accuracy_score < fairScore ? { rejection: 'score', uncertain: scored } : { accepted: scored }
}

/**
 * Whether a match has the house number of the query. Intersections have none. A nearest rooftop may lack the letter or
 * fraction.
 */
function hasSameNumber(query: ParsedAddress, number: string | undefined, accuracy_type: AccuracyType): boolean {
  if (query.crossing !== undefined) return accuracy_type === 'intersection'
  if (query.number === undefined || number === undefined || accuracy_type === 'intersection') return false
  if (normalizeNumber(number) === normalizeNumber(query.number)) return true
  return accuracy_type === 'nearest_rooftop_match' && leadingDigitsOf(number) === leadingDigitsOf(query.number)
}

/** Whether a match is in a different town. A different name is accepted if the ZIP codes are equal. */
function isInOtherTown(query: ParsedAddress, city: string | undefined, zip: string | undefined): boolean {
  if (query.city === undefined || city === undefined || isSameTown(query.city, city)) return false
  return query.zip === undefined || zip === undefined || query.zip.slice(0, 5) !== zip.slice(0, 5)
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
  const uncertain = assessments.flatMap((assessment) => ('uncertain' in assessment ? [assessment.uncertain] : []))
  if (uncertain.length > 0)
    return {
      rejected: 'address_not_precise',
      candidates: distinctPlaces(uncertain.toSorted((a, b) => b.accuracy_score - a.accuracy_score))
        .slice(0, candidatesMax)
        .map(candidateOf),
    }
  const coarse = assessments.find((assessment) => 'rejection' in assessment && assessment.rejection === 'coarse')
  if (coarse && 'accuracy_type' in coarse)
    return { rejected: 'address_too_coarse', accuracy_type: coarse.accuracy_type }
  return {
    rejected: assessments.some((assessment) => 'rejection' in assessment && assessment.rejection === 'locality')
      ? 'wrong_locality'
      : 'address_not_found',
  }
}

function candidateOf({ normalized_address, lat, lng, accuracy_score, accuracy_type }: AcceptedMatch): GeocodeCandidate {
  return {
    resolved_address: normalized_address,
    lat,
    lng,
    confidence: accuracy_score,
    match_method: matchMethodOf(accuracy_type),
    accuracy_type,
  }
}

function normalizeNumber(number: string): string {
  return number.toUpperCase().replace(/\s+/g, ' ').trim()
}

function leadingDigitsOf(number: string): string {
  return /^\d+/.exec(number)?.[0] ?? number
}
