import { Type, type Static } from '@sinclair/typebox'
import { ApiError, ValidationError, type Violation } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { isRunKind, runKinds } from '../runs/run-kind.ts'
import type { RunKind } from '../runs/run-summary.ts'
import type { Submission } from '../runs/run-submitter.ts'
import { readUpload, runLocationsMax } from '../runs/upload.ts'
import {
  bodyChunks,
  mediaTypeOf,
  requireJsonBody,
  requireUncompressedBody,
  createBodyParser,
  runBodyMax_bytes,
  readBody,
} from './body.ts'
import { addressViolations, locationRequestProperties, locationViolations } from './location.ts'
import { createViolation } from './violations.ts'

/** A JSON submission. The used members of `request` depend on the kind. */
export const RunRequest = Type.Object({
  kind: Type.String({ description: `One of ${Object.keys(runKinds).join(', ')}.` }),
  request: Type.Object({
    locations: Type.Optional(
      Type.Array(Type.Object(locationRequestProperties), {
        minItems: 1,
        maxItems: runLocationsMax,
        description: `For fetch_batch: 1 to ${runLocationsMax} locations, each a coordinate or an address.`,
      }),
    ),
    inputs: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: runLocationsMax,
        description: `For the other kinds: 1 to ${runLocationsMax} locations, each as a string.`,
      }),
    ),
    fields: Type.Optional(
      Type.Array(Type.String(), { description: 'For fetch_batch: names of catalog fields, at most 50.' }),
    ),
    preset: Type.Optional(
      Type.String({ description: 'For fetch_batch: name of a preset. Its fields come before those in `fields`.' }),
    ),
  }),
})

const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/

/** A submission whose body is not received yet. `read` parses the received body. */
export type PendingSubmission = {
  size_bytes: number
  receive(): Promise<Uint8Array[]>
  read(body: Uint8Array[]): Promise<Submission>
}

/** Returns the submission of a request: JSON, or CSV with the kind and fields in the query. */
export function pendingSubmissionOf(request: Request, now: Date): PendingSubmission {
  const key = idempotencyKeyOf(request)
  const size_bytes = Number(request.headers.get('content-length') ?? Infinity)
  if (mediaTypeOf(request) === 'text/csv')
    return {
      size_bytes,
      receive: () => Array.fromAsync(bodyChunks(request, runBodyMax_bytes)),
      read: createCsvReader(request, key, now),
    }
  requireJsonBody(request)
  return {
    size_bytes,
    receive: async () => [await readBody(request, runBodyMax_bytes)],
    read: async (body) => submissionOf(parseRunRequest(body.pop()!), key),
  }
}

function submissionOf(body: Static<typeof RunRequest>, key: string | null): Submission {
  const kind = parseRunKind(body.kind)
  const { locations = [], inputs = [], fields, preset } = body.request
  const rows =
    kind === 'fetch_batch'
      ? locations.map(({ lat, lng, address }) => ({ lat, lng, address }))
      : inputs.map((input) => ({ input }))
  return {
    kind,
    columns: [],
    selection: kind === 'fetch_batch' ? { ...(fields && { fields }), ...(preset !== undefined && { preset }) } : {},
    locations: rows.map((it) => ({ input: JSON.stringify(it) })),
    key:
      key === null
        ? null
        : { key, body_hash: new Bun.CryptoHasher('sha256').update(`json ${JSON.stringify(body)}`).digest('hex') },
  }
}

const parseRunRequest = createBodyParser(RunRequest, ({ kind, request }) =>
  isRecord(request) && typeof kind === 'string' && isRunKind(kind) ? requestViolations(kind, request) : [],
)

/** Checks beyond the schema: the list that the kind needs, and each of its locations. */
function requestViolations(kind: RunKind, request: Record<string, unknown>): Violation[] {
  const name = kind === 'fetch_batch' ? 'locations' : 'inputs'
  const list = request[name]
  const loc = ['body', 'request', name]
  if (list === undefined) return [createViolation('missing', loc, 'Field required', request)]
  if (!Array.isArray(list)) return []
  return list
    .slice(0, runLocationsMax)
    .flatMap((it: unknown, i) =>
      kind === 'fetch_batch'
        ? isRecord(it)
          ? locationViolations(it, [...loc, i])
          : []
        : addressViolations(it, [...loc, i]),
    )
}

function createCsvReader(request: Request, key: string | null, now: Date): PendingSubmission['read'] {
  requireUncompressedBody(request)
  const query = new URL(request.url).searchParams
  const kind = parseRunKind(query.get('kind') ?? 'fetch_batch')
  const fields = query
    .get('fields')
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const preset = query.get('preset')
  return async (body) => {
    const hash = new Bun.CryptoHasher('sha256').update(`csv ${JSON.stringify([kind, fields ?? null, preset])}`)
    const { columns, locations } = await readUpload(hashChunks(body, hash), kind, now)
    return {
      kind,
      columns,
      locations,
      selection: kind === 'fetch_batch' ? { ...(fields && { fields }), ...(preset !== null && { preset }) } : {},
      key: key === null ? null : { key, body_hash: hash.digest('hex') },
    }
  }
}

/** Yields the chunks and releases each one, so that the body and its rows are not both in memory. */
async function* hashChunks(body: Uint8Array[], hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for (let chunk = body.shift(); chunk; chunk = body.shift()) {
    hash.update(chunk)
    yield chunk
  }
}

function parseRunKind(name: string): RunKind {
  if (isRunKind(name)) return name
  const kinds = Object.keys(runKinds)
  throw new ApiError(
    'run_kind_unknown',
    `Unknown kind ${JSON.stringify(name.slice(0, 100))}. Use ${kinds.join(', ')}.`,
    { kinds },
  )
}

function idempotencyKeyOf({ headers }: Request): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || idempotencyKeyPattern.test(key)) return key
  throw new ValidationError([
    createViolation(
      'value_error',
      ['header', 'idempotency-key'],
      'Input should be 1 to 255 visible ASCII characters',
      key,
    ),
  ])
}
