import type { FieldResult } from '../../fetch/fetch-answer.ts'

type OkResult = Extract<FieldResult, { status: 'ok' }>
type AbsentResult = Extract<FieldResult, { status: 'absent' }>
type FailedResult = Extract<FieldResult, { status: 'failed' }>

/** Describes where a value comes from. */
export function explainSource({ driver, cache, notes }: FieldResult): string {
  const sourceText =
    driver === null
      ? 'Computed from the coordinate; no source was needed.'
      : (driverTexts[driver] ?? `Fetched over the network (${driver}).`)
  const cacheText = cache === 'hit' ? ' The answer was cached.' : ''
  return `${sourceText}${cacheText}${notes === null ? '' : ` ${notes}`}`
}

/** Describes the margin of error of an estimate, and how reliable it makes the value. */
export function explainMargin({ reliability }: OkResult, marginText: string | null): string {
  if (marginText === null) return 'None.'
  return `${marginText} at 90% confidence.${reliability ? ` ${reliabilityTexts[reliability]}` : ''}`
}

const reliabilityTexts: Record<NonNullable<OkResult['reliability']>, string> = {
  high: 'The value is reliable.',
  medium: 'Use the value with caution.',
  low: 'The value is unreliable.',
}

const driverTexts: Record<string, string> = {
  embedded: 'From built-in data.',
  pack: 'From a pack on this server.',
  computed: 'Computed on this server.',
  table: 'From a table of the publisher, downloaded to this server.',
}

/** Explains why a field is absent. */
export function absenceText({ absent_reason }: AbsentResult, null_meaning: string | null): string {
  if (absent_reason === 'no_data' && null_meaning !== null) return null_meaning
  return absenceTexts[absent_reason]
}

const absenceTexts: Record<AbsentResult['absent_reason'], string> = {
  outside_coverage: 'The source does not cover this place.',
  not_mapped: 'This place is not mapped yet, so the value is unknown.',
  no_data: 'The source covers this place and has no data for it.',
  none_within_radius: 'There is none within the search radius.',
}

/** Splits an error text into its code and its message. */
export function parseFailure({ error }: FailedResult): { code: string; message: string } {
  const at = error.indexOf(': ')
  return at < 0 ? { code: error, message: '' } : { code: error.slice(0, at), message: error.slice(at + 2) }
}

/** Returns a short text to show instead of a missing value. */
export function shortReason(result: AbsentResult | FailedResult): string {
  if (result.status === 'absent') return shortAbsences[result.absent_reason]
  const { code } = parseFailure(result)
  return shortFailures[code] ?? 'failed'
}

const shortAbsences: Record<AbsentResult['absent_reason'], string> = {
  outside_coverage: 'not covered',
  not_mapped: 'not mapped',
  no_data: 'none',
  none_within_radius: 'none nearby',
}
const shortFailures: Record<string, string> = {
  offline_no_data: 'not on this server',
  no_local_data: 'not on this server',
  key_missing: 'key missing',
  entitlement_missing: 'not allowed',
  timeout: 'timed out',
  source_suspended: 'source down',
  rate_limited: 'rate limited',
}
