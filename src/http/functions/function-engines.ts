import { Type, type TObject } from '@sinclair/typebox'
import { ApiError, type Violation } from '../../model/error.ts'
import { nullable } from '../../model/schema.ts'
import type { LocationInput } from '../../place/locate.ts'
import type { ErrorResponse } from '../request/errors.ts'
import { addressViolations } from '../places/location.ts'
import { createViolation, itemViolations } from '../request/violations.ts'

/** A call of a remote function has at most this many rows. */
export const functionRowsMax = 5_000

/** A data warehouse that calls remote functions: the form of its calls, of our replies, and of our errors. */
export interface FunctionEngine {
  request: TObject
  reply: TObject
  /** The member of the request that has the rows. */
  rowsMember: string
  /** How many elements of a row come before the arguments of the function. */
  argumentsFrom: number
  /** The setting of the engine that limits the rows of a call. */
  rowsSetting: string
  /** The reply before its rows, which are separated by commas, and after them. */
  frameOf(rows: number): [start: string, end: string]
  /** A row of the reply. The text is its object as JSON, null for a row with a NULL argument. */
  rowText(text: string | null, row: number): string
  /** The members of an error response in which the engine looks for the message. */
  errorMembers(message: string): Record<string, unknown>
}

const rowsOf = (description: string) =>
  Type.Array(Type.Array(Type.Unknown()), { minItems: 1, maxItems: functionRowsMax, description })
const plainRows = rowsOf('Rows: `[lat, lng]` or `[address]`.')
const jsonTexts = Type.Array(nullable('string'), {
  description: 'For each row, in the same order: an object as JSON text, or null if an argument is null.',
})

/** The engines by name. */
export const functionEngines = {
  snowflake: {
    request: Type.Object({
      data: rowsOf('Rows: `[number, lat, lng]` or `[number, address]`, numbered from 0.'),
    }),
    reply: Type.Object({
      data: Type.Array(Type.Array(Type.Unknown()), {
        description: 'Rows: the number and an object, or null if an argument is null.',
      }),
    }),
    rowsMember: 'data',
    argumentsFrom: 1,
    rowsSetting: 'MAX_BATCH_ROWS',
    frameOf: () => ['{"data":[', ']}'],
    rowText: (text, row) => `[${row},${text}]`,
    errorMembers: () => ({}),
  },
  bigquery: {
    request: Type.Object({ requestId: Type.Optional(Type.String()), calls: plainRows }),
    reply: Type.Object({ replies: jsonTexts }),
    rowsMember: 'calls',
    argumentsFrom: 0,
    rowsSetting: 'max_batching_rows',
    frameOf: () => ['{"replies":[', ']}'],
    rowText: (text) => JSON.stringify(text),
    errorMembers: (message) => ({ errorMessage: message }),
  },
  redshift: {
    request: Type.Object({ num_records: Type.Optional(Type.Integer()), arguments: plainRows }),
    reply: Type.Object({ success: Type.Literal(true), num_records: Type.Integer(), results: jsonTexts }),
    rowsMember: 'arguments',
    argumentsFrom: 0,
    rowsSetting: 'MAX_BATCH_ROWS',
    frameOf: (rows) => [`{"success":true,"num_records":${rows},"results":[`, ']}'],
    rowText: (text) => JSON.stringify(text),
    errorMembers: (message) => ({ success: false, error_msg: message }),
  },
} as const satisfies Record<string, FunctionEngine>

/** The paths of the remote functions begin with this. */
export const functionsPath = '/v1/functions/'
/** BigQuery shows no more of a message. */
const messageMax_characters = 1_000

/** Adds the message of an error where the engine looks for it. */
export function functionErrorResponse(path: string, response: ErrorResponse): ErrorResponse {
  const name = path.slice(functionsPath.length)
  if (!isEngineName(name)) return response
  const members = functionEngines[name].errorMembers(messageOf(response.body.detail).slice(0, messageMax_characters))
  return { ...response, body: { ...response.body, ...members } }
}

function isEngineName(name: string): name is keyof typeof functionEngines {
  return Object.hasOwn(functionEngines, name)
}

function messageOf(detail: unknown): string {
  if (Array.isArray(detail)) return (detail as Violation[]).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  const { error, message } = detail as { error: string; message: string }
  return `${error}: ${message}`
}

/** The location of a row: null if an argument is null, or the error of a row that is none. */
export type FunctionRow = LocationInput | ApiError | null

/** Returns the rows of a call. */
export function functionRowsOf(engine: FunctionEngine, call: Record<string, unknown>): FunctionRow[] {
  return rowsIn(engine, call).map((row) => locationOf(row.slice(engine.argumentsFrom)))
}

/** Checks the number of arguments of each row, and the numbers of the rows. Both are fixed for a function. */
export function functionCallViolations(engine: FunctionEngine, call: Record<string, unknown>): Violation[] {
  const { rowsMember, argumentsFrom } = engine
  return itemViolations(rowsIn(engine, call), (row: unknown, i) => {
    if (!Array.isArray(row)) return []
    const loc = ['body', rowsMember, i]
    const count = row.length - argumentsFrom
    if (count !== 1 && count !== 2)
      return [createViolation('value_error', loc, 'The function takes a latitude and a longitude, or an address', row)]
    return argumentsFrom === 0 || row[0] === i
      ? []
      : [createViolation('value_error', [...loc, 0], `The number of this row should be ${i}`, row[0])]
  })
}

function rowsIn({ rowsMember }: FunctionEngine, call: Record<string, unknown>): unknown[][] {
  const rows = call[rowsMember]
  return Array.isArray(rows) ? (rows as unknown[][]) : []
}

function locationOf(given: unknown[]): FunctionRow {
  if (given.includes(null)) return null
  if (given.length === 1) {
    const [address] = given
    if (typeof address !== 'string') return rowInvalid('The address is not a text.')
    const [violation] = addressViolations(address, [])
    return violation ? rowInvalid(`The address is not valid: ${violation.msg}.`) : { address }
  }
  const [lat, lng] = given.map(degreesOf)
  if (lat === undefined || lng === undefined)
    return rowInvalid(`The ${lat === undefined ? 'latitude' : 'longitude'} is not a number.`)
  return { lat, lng }
}

/** A number. BigQuery writes a NUMERIC as text. */
function degreesOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function rowInvalid(message: string): ApiError {
  return new ApiError('row_invalid', message)
}
