import { Type, type Static } from '@sinclair/typebox'
import { ApiError, ValidationError, type Violation } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { isRunKind, runKinds } from '../runs/kind.ts'
import type { RunKind } from '../runs/run-summary.ts'
import type { Submission } from '../runs/runs.ts'
import { readUpload, runLocationsMax } from '../runs/upload.ts'
import { bytesOf, mediaTypeOf, mustBeJson, mustBePlain, readerOf, runBodyMax_bytes, wholeOf } from './body.ts'
import { addressFaults, location, locationFaults } from './location.ts'
import { violation } from './violations.ts'

/** What a run is submitted as, in JSON. Which members of `request` count depends on the kind. */
export const RunRequest = Type.Object({
  kind: Type.String({ description: `One of ${Object.keys(runKinds).join(', ')}.` }),
  request: Type.Object({
    locations: Type.Optional(Type.Array(Type.Object(location), { minItems: 1, maxItems: runLocationsMax, description: `Of a fetch_batch: 1 to ${runLocationsMax} locations, each a coordinate or an address.` })),
    inputs: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: runLocationsMax, description: `Of the other kinds: 1 to ${runLocationsMax} texts.` })),
    fields: Type.Optional(Type.Array(Type.String(), { description: 'Of a fetch_batch: names of catalog fields, at most 50.' })),
    preset: Type.Optional(Type.String({ description: 'Of a fetch_batch: the name of a preset; its members come first.' })),
  }),
})

const keyForm = /^[\x21-\x7e]{1,255}$/

/** A submission whose body is still to be received, and is read when all of it is here. */
export type Unread = { size_bytes: number; receive(): Promise<Uint8Array[]>; read(body: Uint8Array[]): Promise<Submission> }

/** The submission in a request: JSON, or a CSV whose kind and fields stand in the query. */
export function submissionIn(request: Request, now: Date): Unread {
  const key = keyOf(request)
  const size_bytes = Number(request.headers.get('content-length') ?? Infinity)
  if (mediaTypeOf(request) === 'text/csv') return { size_bytes, receive: () => Array.fromAsync(bytesOf(request, runBodyMax_bytes)), read: upload(request, key, now) }
  mustBeJson(request)
  return { size_bytes, receive: async () => [await wholeOf(request, runBodyMax_bytes)], read: async (body) => submissionOf(jsonBody(body.pop()!), key) }
}

function submissionOf(body: Static<typeof RunRequest>, key: string | null): Submission {
  const kind = kindOf(body.kind)
  const { locations = [], inputs = [], fields, preset } = body.request
  const asked = kind === 'fetch_batch' ? locations.map(({ lat, lng, address }) => ({ lat, lng, address })) : inputs.map((input) => ({ input }))
  return {
    kind, columns: [], selection: kind === 'fetch_batch' ? { ...(fields && { fields }), ...(preset !== undefined && { preset }) } : {},
    locations: asked.map((it) => ({ input: JSON.stringify(it) })),
    key: key === null ? null : { key, body_hash: new Bun.CryptoHasher('sha256').update(`json ${JSON.stringify(body)}`).digest('hex') },
  }
}

const jsonBody = readerOf(RunRequest, ({ kind, request }) => (isRecord(request) && typeof kind === 'string' && isRunKind(kind) ? requestFaults(kind, request) : []))

/** What the schema cannot say: which list a kind takes, and what a location lacks. */
function requestFaults(kind: RunKind, request: Record<string, unknown>): Violation[] {
  const name = kind === 'fetch_batch' ? 'locations' : 'inputs'
  const list = request[name]
  const loc = ['body', 'request', name]
  if (list === undefined) return [violation('missing', loc, 'Field required', request)]
  if (!Array.isArray(list)) return []
  return list.slice(0, runLocationsMax).flatMap((it: unknown, i) => (kind === 'fetch_batch' ? (isRecord(it) ? locationFaults(it, [...loc, i]) : []) : addressFaults(it, [...loc, i])))
}

function upload(request: Request, key: string | null, now: Date): Unread['read'] {
  mustBePlain(request)
  const query = new URL(request.url).searchParams
  const kind = kindOf(query.get('kind') ?? 'fetch_batch')
  const fields = query.get('fields')?.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const preset = query.get('preset')
  return async (body) => {
    const hash = new Bun.CryptoHasher('sha256').update(`csv ${JSON.stringify([kind, fields ?? null, preset])}`)
    const { columns, locations } = await readUpload(hashed(body, hash), kind, now)
    return {
      kind, columns, locations, selection: kind === 'fetch_batch' ? { ...(fields && { fields }), ...(preset !== null && { preset }) } : {},
      key: key === null ? null : { key, body_hash: hash.digest('hex') },
    }
  }
}

/** Each piece is let go of when it was read: a body and its rows are not both held whole. */
async function* hashed(body: Uint8Array[], hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for (let chunk = body.shift(); chunk; chunk = body.shift()) {
    hash.update(chunk)
    yield chunk
  }
}

function kindOf(name: string): RunKind {
  if (isRunKind(name)) return name
  const kinds = Object.keys(runKinds)
  throw new ApiError('run_kind_unknown', `There is no kind of run ${JSON.stringify(name.slice(0, 100))}; there are ${kinds.join(', ')}.`, { kinds })
}

function keyOf({ headers }: Request): string | null {
  const key = headers.get('idempotency-key')
  if (key === null || keyForm.test(key)) return key
  throw new ValidationError([violation('value_error', ['header', 'idempotency-key'], 'An Idempotency-Key has 1 to 255 visible ASCII characters', key)])
}
