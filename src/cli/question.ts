import { readFileSync } from 'node:fs'
import { unitSystems, type UnitSystem } from '../ask/display-units.ts'
import { isRecord } from '../model/record.ts'
import { splitNames } from '../model/split-names.ts'
import { parseCoordinates } from '../place/parse-coordinates.ts'
import { answerTable } from './answer-table.ts'
import { parseServerFlag, type CommandFlags } from './command-args.ts'
import { withCommandHints } from './command-hints.ts'
import { exitCodes } from './exit-codes.ts'
import { openQuestionBackend, type QuestionDeps } from './question-backend.ts'
import { UsageError } from './usage-error.ts'

/** A request to the HTTP API. */
type ApiRequest = { path: '/v1/fetch' | '/v1/areas' | '/v1/geocode' | '/v1/lookup'; body: Record<string, unknown> }

/** The flags of `fieldstone fetch`, `area`, `geocode`, `lookup` and `ask`. */
export type QuestionFlags = {
  at?: string | boolean
  address?: string | boolean
  fields?: string | boolean
  preset?: string | boolean
  'include-parcel'?: string | boolean
}

/** Returns the API request of `fieldstone fetch`, `area`, `geocode` or `lookup`. @throws {UsageError} */
export function apiRequestOf(command: string, args: string[], flags: QuestionFlags): ApiRequest {
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
    return {
      path: '/v1/areas',
      body: { geometry: readGeometry(requireText(text, 'fieldstone area <file>')), ...selection },
    }
  return { path: '/v1/fetch', body: { ...locationOfFlags(flags), ...selection } }
}

/** How an answer is shown: as a table on a terminal, as JSON in a pipe or with --json. */
export type AnswerOutput = { isTable: boolean; print(line: string): void }

/**
 * Answers a request in this process or on a server. Returns exit code 0, or 1 if the request was rejected or the
 * location is unknown or ambiguous.
 */
export async function answerQuestion(
  { path, body }: ApiRequest,
  flags: CommandFlags,
  deps: QuestionDeps,
  { isTable, print }: AnswerOutput,
): Promise<number> {
  const backend = await openQuestionBackend(flags, deps)
  try {
    const response = await backend.post(path, body)
    const answer: unknown = JSON.parse(withCommandHints(await response.text(), parseServerFlag(flags)))
    for (const line of isTable ? answerTable(answer) : [JSON.stringify(answer, null, 2)]) print(line)
    return response.ok && !isUnresolved(answer) ? exitCodes.ok : exitCodes.failure
  } finally {
    await backend.close()
  }
}

/** Reads the geometry of a GeoJSON file: a geometry, a feature, or a collection of one feature. @throws {UsageError} */
function readGeometry(file: string): unknown {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`Cannot read ${file} as GeoJSON: ${(error as Error).message}.`)
  }
  const features: unknown[] = isRecord(content) && Array.isArray(content.features) ? content.features : [content]
  const [feature] = features
  if (features.length !== 1 || !isRecord(feature))
    throw new UsageError(`${file} has ${features.length} features. Use a file with one feature.`)
  return feature.type === 'Feature' ? feature.geometry : feature
}

function requireText(text: string, usage: string): string {
  if (text !== '') return text
  throw new UsageError(`No location given. Usage: \`${usage}\`.`)
}

/** Returns the location members of a request from --at or --address. @throws {UsageError} */
export function locationOfFlags({ at, address }: QuestionFlags): Record<string, unknown> {
  if (typeof address === 'string' && typeof at === 'string')
    throw locationUsageError('--at and --address cannot be combined')
  if (typeof address === 'string' && address.trim() !== '') return { address }
  if (typeof at !== 'string') throw locationUsageError('No location given')
  return coordinateOfFlag(at)
}

/** Returns the `units` member of a question from --units. @throws {UsageError} */
export function unitsOfFlag({ units }: CommandFlags): { units?: UnitSystem } {
  if (units === undefined) return {}
  const found = unitSystems.find((it) => it === units)
  if (!found) throw new UsageError(`Unknown --units ${JSON.stringify(units)}. Use ${unitSystems.join(' or ')}.`)
  return { units: found }
}

/** Parses --at: decimal degrees, or any other form that the search box of the page reads. */
function coordinateOfFlag(at: string): { lat: number; lng: number } {
  const match = /^\s*([-+.\de]+)\s*[,\s]\s*([-+.\de]+)\s*$/i.exec(at)
  const [lat, lng] = [Number(match?.[1] ?? NaN), Number(match?.[2] ?? NaN)]
  const parsed = Number.isNaN(lat) || Number.isNaN(lng) ? parseCoordinates(at) : null
  if (parsed?.kind === 'coordinates') return { lat: parsed.lat, lng: parsed.lng }
  if (parsed?.kind === 'swapped')
    throw new UsageError(
      `--at ${JSON.stringify(at)} has the longitude first. Did you mean --at ${parsed.suggestion.replace(' ', '')}?`,
    )
  if (Number.isNaN(lat) || Number.isNaN(lng))
    throw locationUsageError(`--at ${JSON.stringify(at)} is not a coordinate or a known place`)
  return { lat, lng }
}

function locationUsageError(problem: string): UsageError {
  return new UsageError(`${problem}. Use \`--at 39.7392,-104.9903\` (latitude first) or \`--address "<address>"\`.`)
}

/** Whether a lookup found no place, or several. The response is 200 in both cases. */
function isUnresolved(answer: unknown): boolean {
  return isRecord(answer) && typeof answer.disposition === 'string' && answer.disposition !== 'resolved'
}
