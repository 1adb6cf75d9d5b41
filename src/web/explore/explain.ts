import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'

type AbsentResult = Extract<FieldResult, { status: 'absent' }>
type FailedResult = Extract<FieldResult, { status: 'failed' }>

/** How a value was come by, in a sentence. */
export function explainSource({ driver, cache, notes }: FieldResult): string {
  const sourceText =
    driver === null
      ? 'Known from the place alone: no source was asked.'
      : (driverTexts[driver] ?? `Asked over the network (${driver}).`)
  const cacheText = cache === 'hit' ? ' The answer was kept from an earlier question.' : ''
  return `${sourceText}${cacheText}${notes === undefined ? '' : ` ${notes}`}`
}

const driverTexts: Record<string, string> = {
  embedded: 'From the data that is compiled in.',
  pack: 'From a pack on this server.',
  computed: 'Worked out here.',
  table: 'From a table of the publisher, kept on this server.',
}

/** Why there is no value, where there validly is none. */
export function explainAbsence({ absent_reason }: AbsentResult, field: CatalogField | undefined): string {
  const meaning = field?.null_meaning ?? null
  if (absent_reason === 'no_data' && meaning !== null) return meaning
  return absenceTexts[absent_reason]
}

const absenceTexts: Record<AbsentResult['absent_reason'], string> = {
  outside_coverage: 'The source does not reach this place.',
  not_mapped: 'This place has not been mapped yet, which does not say that there is nothing.',
  no_data: 'The source has looked, and has nothing here.',
  none_within_radius: 'There is none within the distance that is searched.',
}

/** A failure as its code and its sentence. */
export function parseFailure({ error }: FailedResult): { code: string; message: string } {
  const at = error.indexOf(': ')
  return at < 0 ? { code: error, message: '' } : { code: error.slice(0, at), message: error.slice(at + 2) }
}

/** The word that stands in for a value that is not there. */
export function shortReason(result: AbsentResult | FailedResult): string {
  if (result.status === 'absent') return shortAbsences[result.absent_reason]
  const { code } = parseFailure(result)
  return shortFailures[code] ?? 'failed'
}

const shortAbsences: Record<AbsentResult['absent_reason'], string> = {
  outside_coverage: 'not covered',
  not_mapped: 'not mapped',
  no_data: 'none',
  none_within_radius: 'none near',
}
const shortFailures: Record<string, string> = {
  offline_no_data: 'not on this server',
  key_missing: 'key missing',
  entitlement_missing: 'not allowed',
  timeout: 'timed out',
  source_suspended: 'source is down',
  rate_limited: 'asked too often',
}
