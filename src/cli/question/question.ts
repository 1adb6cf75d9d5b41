import { unitSystems, type UnitSystem } from '../../ask/answer/display-units.ts'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import { pluralize, splitNames } from '../../model/text.ts'
import { isRecord } from '../../model/record.ts'
import { getDataText, packFetchCommand, placesFlags } from '../../catalog/missing-data.ts'
import { errorGroupOf, missingGroupsOf } from '../../runs/report/missing-sources.ts'
import { answerTable, rejectionLines } from './answer-table.ts'
import { areaShapeOfFlags, withAreaFlags, type AreaFlags } from './area-request.ts'
import { parseServerFlag, type CommandFlags } from '../command-args.ts'
import { withCommandHints } from '../command-hints.ts'
import { exitCodes } from '../exit-codes.ts'
import { locationOfFlags } from './location-flags.ts'
import { openQuestionBackend, type QuestionBackend, type QuestionDeps } from './question-backend.ts'
import { UsageError } from '../usage-error.ts'

/** A request to the HTTP API. `file`: the file that its area comes from; empty for another area. */
type ApiRequest = {
  path: '/v1/fetch' | '/v1/areas' | '/v1/geocode' | '/v1/lookup'
  body: Record<string, unknown>
  file?: string
}

/** The flags of `fieldstone fetch`, `area`, `geocode`, `lookup` and `ask`. */
export type QuestionFlags = AreaFlags & {
  fields?: string | boolean
  preset?: string | boolean
  'include-parcel'?: string | boolean
}

/** Returns the API request of `fieldstone fetch`, `area`, `geocode` or `lookup`. @throws {UsageError} */
export async function apiRequestOf(command: string, args: string[], flags: QuestionFlags): Promise<ApiRequest> {
  const text = args.join(' ').trim()
  if (command === 'geocode')
    return { path: '/v1/geocode', body: { address: requireText(text, 'fieldstone geocode "<address>"') } }
  if (command === 'lookup')
    return {
      path: '/v1/lookup',
      body: {
        input: requireText(text, 'fieldstone lookup "<address or lat,lng>"'),
        ...(flags['include-parcel'] ? { include_parcel: true } : {}),
      },
    }
  const selection = {
    ...(typeof flags.fields === 'string' ? { fields: splitNames(flags.fields) } : {}),
    ...(typeof flags.preset === 'string' ? { preset: flags.preset } : {}),
  }
  if (command === 'area')
    return { path: '/v1/areas', body: { ...(await areaShapeOfFlags(text, flags)), ...selection }, file: text }
  return { path: '/v1/fetch', body: { ...locationOfFlags(flags), ...selection } }
}

/** How an answer is shown: as a table on a terminal, as JSON in a pipe or with --json. `isJson`: errors too. */
export type AnswerOutput = {
  isTable: boolean
  isJson: boolean
  print(line: string): void
  printError(line: string): void
}

/**
 * Answers a request in this process or on a server. Returns exit code 0, or 1 if the request was rejected or the
 * location is unknown or ambiguous.
 */
export async function answerQuestion(
  { path, body, file }: ApiRequest,
  flags: CommandFlags,
  deps: QuestionDeps,
  { isTable, isJson, print, printError }: AnswerOutput,
): Promise<number> {
  const backend = await openQuestionBackend(flags, deps)
  try {
    const response = await backend.post(path, body)
    const answer: unknown = JSON.parse(withCommandHints(await response.text(), parseServerFlag(flags)))
    if (!response.ok) {
      const nameFlags = (line: string) => (file === undefined ? line : withAreaFlags(line, file))
      for (const line of rejectionLines(answer, isJson)) printError(nameFlags(line))
      return exitCodes.failure
    }
    for (const line of isTable ? answerTable(answer) : [JSON.stringify(answer, null, 2)]) print(line)
    const hint = path === '/v1/fetch' ? await missingDataHint(answer as FetchAnswer, presetOf(body), backend) : null
    if (hint !== null) printError(hint)
    return isUnresolved(answer) ? exitCodes.failure : exitCodes.ok
  } finally {
    await backend.close()
  }
}

/** The command that gets the missing local data of an answer, as a sentence. Null if none is missing. */
async function missingDataHint(
  { lat, lng, partial_failures }: FetchAnswer,
  preset: string | null,
  backend: QuestionBackend,
): Promise<string | null> {
  if (partial_failures.length === 0) return null
  const sources = (await (await backend.get('/v1/meta/sources')).json()) as SourcesDocument
  const groups = missingGroupsOf({ field_errors: partial_failures.map(errorGroupOf) }, sources)
  const fields = groups.flatMap((group) => group.fetchable_fields)
  if (fields.length === 0) return null
  const place = await backend.post('/v1/fetch', { lat, lng, fields: ['county', 'state'] })
  const { county, state } = ((await place.json()) as FetchAnswer).fields
  const places = placesFlags({ lat, lng }, { county: county?.value, state: state?.value })
  const isOffline = groups.some(({ settings }) => settings.includes('FIELDSTONE_OFFLINE'))
  const command = getDataText(packFetchCommand(preset === null ? { fields } : { preset }, places), isOffline)
  return `No local data for ${pluralize(fields.length, 'field')}. To get it, ${command}.`
}

function presetOf(body: unknown): string | null {
  return isRecord(body) && typeof body.preset === 'string' ? body.preset : null
}

function requireText(text: string, usage: string): string {
  if (text !== '') return text
  throw new UsageError(`No location given. Usage: \`${usage}\`.`)
}

/** Returns the `units` member of a question from --units. @throws {UsageError} */
export function unitsOfFlag({ units }: CommandFlags): { units?: UnitSystem } {
  if (units === undefined) return {}
  const found = unitSystems.find((it) => it === units)
  if (!found) throw new UsageError(`Unknown --units ${JSON.stringify(units)}. Use ${unitSystems.join(' or ')}.`)
  return { units: found }
}

/** Whether a lookup found no place, or several. The response is 200 in both cases. */
function isUnresolved(answer: unknown): boolean {
  return isRecord(answer) && typeof answer.disposition === 'string' && answer.disposition !== 'resolved'
}
