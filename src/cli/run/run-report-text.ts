import { classLabels } from '../../../catalog/contents.ts'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import type { ValidationError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import { getDataText, packFetchCommand } from '../../catalog/missing-data.ts'
import { missingGroupsOf, type MissingGroup } from '../../runs/report/missing-sources.ts'
import type { RunReport } from '../../runs/report/run-report.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import { withClassLabel } from '../question/answer-table.ts'
import { withFlagNames } from '../command-hints.ts'
import { exitCodes } from '../exit-codes.ts'

/** Returns the first line of the summary of a run: `2 rows: 2 of 26 values; 24 failed (offline_no_data)`. */
export function describeRunCounts(
  { locations, values, location_errors, field_errors }: RunReport,
  kind: RunKind,
): string {
  const codes = [...new Set([...location_errors, ...field_errors].map(({ error }) => error))]
  const rows = pluralize(locations.total, 'row')
  if (kind !== 'fetch_batch') {
    const failed =
      locations.failed > 0 ? `; ${locations.failed.toLocaleString('en-US')} failed (${codes.join(', ')})` : ''
    return `${rows}: ${locations.ok.toLocaleString('en-US')} answered${failed}`
  }
  const parts = [
    values.ok === values.total
      ? `all ${pluralize(values.total, 'value')}`
      : `${values.ok.toLocaleString('en-US')} of ${pluralize(values.total, 'value')}`,
    ...(values.absent > 0 ? [`${values.absent.toLocaleString('en-US')} absent`] : []),
    ...(values.failed > 0 ? [`${values.failed.toLocaleString('en-US')} failed (${codes.join(', ')})`] : []),
  ]
  return `${rows}: ${parts.join('; ')}`
}

/** Returns how many rows have each class, with what the class means, one line for each field with labels. */
export function describeClasses({ value_counts = {} }: RunReport): string[] {
  return Object.entries(value_counts).flatMap(([field, counts]) => {
    if (!classLabels[field]) return []
    const classes = Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([value, rows]) => `${withClassLabel(field, value)}: ${pluralize(rows, 'row')}`)
    return [`${field}: ${classes.join('; ')}`]
  })
}

/**
 * Returns what failed and what to do about it, one line each. `places`: the flags of `pack fetch` that name the places
 * of the run, null if no flags can. `preset`: what the run asked for, null for single fields.
 */
export function describeFailures(
  report: RunReport,
  sources: Pick<SourcesDocument, 'sources'>,
  pack: { places: string | null; preset: string | null },
): string[] {
  const { location_errors, uncovered_locations } = report
  return [
    ...location_errors.map(
      ({ error, message, locations, first_index }) =>
        `${pluralize(locations, 'row')} failed with ${error}${locations > 1 ? `, the first at index ${first_index}` : ''}: ${message}`,
    ),
    ...(uncovered_locations > 0
      ? [
          `${pluralize(uncovered_locations, 'row')} without any value ${uncovered_locations === 1 ? 'is' : 'are'} outside the coverage of the data. Check that the coordinates are in the United States.`,
        ]
      : []),
    ...missingGroupsOf(report, sources).flatMap((group) => describeMissing(group, pack)),
  ]
}

/** Returns the exit code of a finished run. */
export function exitCodeOf({ locations, values }: RunReport, isStrict: boolean): number {
  if (locations.failed > 0) return exitCodes.failure
  return isStrict && values.failed > 0 ? exitCodes.incomplete : exitCodes.ok
}

/** Returns what is wrong with an input, one line for each violation. `name` is the name of the input. */
export function describeRejection({ violations }: ValidationError, name: string): string {
  return violations.map(({ loc, msg }) => `${loc.slice(1).join('.') || name}: ${withFlagNames(msg)}.`).join('\n')
}

/** More titles would hide what to do. */
const namedTitles = 3

function describeMissing(group: MissingGroup, { places, preset }: Parameters<typeof describeFailures>[2]): string[] {
  const { remedy, titles, errors, values, settings, message, fetchable_fields } = group
  const more = titles.length > namedTitles ? `; and ${titles.length - namedTitles} more` : ''
  const missing = `Missing: ${titles.slice(0, namedTitles).join('; ')}${more} (${pluralize(values, 'value')}, ${errors.join(', ')}).`
  if (remedy === 'retry') return [`${missing} To try again, run the same command again.`]
  const isOffline = settings.includes('FIELDSTONE_OFFLINE')
  if (remedy === 'setting' && !isOffline) return [`${missing} To get them, set ${settings.join(', ')}.`]
  if (remedy === 'setting') return [`${missing} Only a server with a network can answer them.`]
  if (remedy === null) return [`${missing} ${message}`]
  if (places === null)
    return [`${missing} To get them, run \`fieldstone pack starter\` with the name of their county or state.`]
  const command = packFetchCommand(preset === null ? { fields: fetchable_fields } : { preset }, places)
  return [`${missing} To get them, ${getDataText(command, isOffline)}.`]
}
