import { Type, type Static } from '@sinclair/typebox'
import type { TaskSteps } from '../../async/incremental-task.ts'
import { areaShapeProperties, type AreaShape } from '../../areas/area-schema.ts'
import { areaShapeViolations } from '../../areas/shape/area-shape.ts'
import { ApiError, ValidationError, type Violation } from '../../model/error.ts'
import { unknownFieldPolicies, type FieldRequest } from '../../fetch/catalog/select.ts'
import { isRecord } from '../../model/record.ts'
import { literals } from '../../model/schema.ts'
import { splitNames } from '../../model/text.ts'
import type { LocationInput } from '../../place/locate.ts'
import { hasFields, isRunKind, runKinds } from '../../runs/run-kind.ts'
import { runNameMax_characters } from '../../runs/run-name.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import type { Submission } from '../../runs/run-submitter.ts'
import { uploadFormatOf } from '../../runs/upload/upload-format.ts'
import { readUpload, runFileRowsMax, runLocationsMax, type UploadOptions } from '../../runs/upload/upload.ts'
import { LocationPacker } from '../../store/runs/packed-locations.ts'
import {
  declaredSize_bytes,
  freePiece,
  mediaTypeOf,
  receiveBody,
  requireJsonBody,
  requireUncompressedBody,
  runBodyMax_bytes,
  type BodyPiece,
} from '../request/body.ts'
import { onUnknownDescription } from '../places/fetch.ts'
import { bodyQueueOf } from '../request/guard.ts'
import { createBodyParser, sizeOf_bytes } from '../request/json-body.ts'
import { addressViolations, locationRequestProperties, locationViolations, textViolations } from '../places/location.ts'
import { literalViolations, parseBoolean } from '../request/paging.ts'
import { createViolation, createViolationError, includeViolations, itemViolations } from '../request/violations.ts'

/** A JSON submission. The used members of `request` depend on the kind. */
export const RunRequest = Type.Object({
  kind: Type.String({ description: `One of ${Object.keys(runKinds).join(', ')}.` }),
  name: Type.Optional(
    Type.String({
      description: `A name for lists, at most ${runNameMax_characters} characters. A repeated request with the same Idempotency-Key can have a different name.`,
    }),
  ),
  request: Type.Object({
    locations: Type.Optional(
      Type.Array(Type.Object(locationRequestProperties), {
        minItems: 1,
        maxItems: runLocationsMax,
        description: `For fetch_batch: 1 to ${runLocationsMax} locations, each a coordinate or an address.`,
      }),
    ),
    areas: Type.Optional(
      Type.Array(
        Type.Object({ ...areaShapeProperties, parcel_of: Type.Optional(Type.Object(locationRequestProperties)) }),
        {
          minItems: 1,
          maxItems: runLocationsMax,
          description: `For area_batch: 1 to ${runLocationsMax} areas, each a geometry, around, corridor, county_fips or parcel_of. Each parcel is billed, and needs the scope parcel.`,
        },
      ),
    ),
    inputs: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: runLocationsMax,
        description: `For the other kinds: 1 to ${runLocationsMax} locations, each as a string.`,
      }),
    ),
    fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'For fetch_batch and area_batch: names of catalog fields, at most 50.',
      }),
    ),
    preset: Type.Optional(
      Type.String({
        description: 'For fetch_batch and area_batch: name of a preset. Its fields come before those in `fields`.',
      }),
    ),
    on_unknown: Type.Optional(literals(unknownFieldPolicies, { description: onUnknownDescription })),
    include_parcel: Type.Optional(
      Type.Boolean({
        description: 'For lookup_batch: whether to include the parcels. Each is billed. Requires the scope parcel.',
      }),
    ),
  }),
})

/** The length of the inputs of one step, and what a row adds to that of its input. */
const charactersPerStep = 50_000
const charactersPerRow = 200
/** The media types of files with rows. */
const uploadTypes = ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/

/** A submission whose body is not received yet. `read` parses the received body and releases it. */
export type PendingSubmission = {
  size_bytes: number
  receive(): Promise<BodyPiece[]>
  read(body: BodyPiece[]): Promise<ReadSubmission>
}

/** A submission, and whether a row of it is a parcel, which is billed. */
type ReadSubmission = Submission & { hasParcels?: boolean }

type UploadDeps = Required<Pick<UploadOptions, 'now' | 'convert'>>

/** Returns the submission of a request: JSON, or a CSV file or workbook with the kind and fields in the query. */
export function pendingSubmissionOf(request: Request, deps: UploadDeps): PendingSubmission {
  const key = idempotencyKeyOf(request)
  const isCsv = uploadTypes.includes(mediaTypeOf(request) ?? '')
  if (!isCsv) requireJsonBody(request)
  return {
    size_bytes: declaredSize_bytes(request),
    receive: () => receiveBody(request, runBodyMax_bytes),
    read: isCsv ? createUploadReader(request, key, deps) : createJsonReader(request, key),
  }
}

function createJsonReader(request: Request, key: string | null): PendingSubmission['read'] {
  return async (body) =>
    bodyQueueOf(request).runSteps(function* () {
      return yield* submissionOf(yield* parseRunRequest(body), key)
    }, sizeOf_bytes(body))
}

function* submissionOf(body: Static<typeof RunRequest>, key: string | null): TaskSteps<ReadSubmission> {
  const kind = parseRunKind(body.kind)
  const { locations = [], inputs = [], areas = [] } = body.request
  const selection = selectionOf(kind, body.request)
  const hash = new Bun.CryptoHasher('sha256').update(`json ${JSON.stringify([kind, selection])}`)
  const packer = new LocationPacker()
  let characters = 0
  for (const row of kind === 'area_batch' ? areas : kind === 'fetch_batch' ? locations : inputs) {
    const input = JSON.stringify(inputOf(row))
    hash.update(input)
    packer.add({ input })
    // A polygon of 10,000 positions is as long as thousands of coordinates.
    characters += input.length + charactersPerRow
    if (characters < charactersPerStep) continue
    characters = 0
    yield
  }
  return {
    kind,
    name: body.name ?? null,
    columns: [],
    selection,
    locations: packer.finish(),
    hasParcels: kind === 'area_batch' && areas.some(({ parcel_of }) => parcel_of !== undefined),
    key: key === null ? null : { key, body_hash: hash.digest('hex') },
  }
}

type NamedArea = AreaShape & { parcel_of?: LocationInput }

/** The members of a row that the kind uses. */
function inputOf(row: string | LocationInput | NamedArea): object {
  if (typeof row === 'string') return { input: row }
  const { geometry, around, corridor, county_fips, parcel_of } = row as NamedArea
  const { lat, lng, address } = row as LocationInput
  return { geometry, around, corridor, county_fips, parcel_of, lat, lng, address }
}

const parseRunRequest = createBodyParser(RunRequest, ({ kind, name, request }) => [
  ...(typeof name === 'string' ? nameViolations(name, ['body', 'name']) : []),
  ...(isRecord(request) && typeof kind === 'string' && isRunKind(kind) ? requestViolations(kind, request) : []),
])

function nameViolations(name: string, loc: string[]): Violation[] {
  return textViolations(name, loc, runNameMax_characters)
}

/** Checks beyond the schema: the list that the kind needs, and each of its locations. */
function requestViolations(kind: RunKind, request: Record<string, unknown>): Violation[] {
  const name = kind === 'fetch_batch' ? 'locations' : kind === 'area_batch' ? 'areas' : 'inputs'
  const list = request[name]
  const loc = ['body', 'request', name]
  const others = includeViolations(request, ['body', 'request'], 'Shapes are in the answers of /v1/fetch and /v1/areas')
  if (list === undefined) return [...others, createViolation('missing', loc, 'Field required', request)]
  return Array.isArray(list)
    ? [...others, ...itemViolations(list.slice(0, runLocationsMax), (it, i) => rowViolations(kind, it, [...loc, i]))]
    : others
}

function rowViolations(kind: RunKind, row: unknown, loc: (string | number)[]): Violation[] {
  if (!hasFields(kind)) return addressViolations(row, loc)
  if (!isRecord(row)) return []
  if (kind !== 'area_batch') return locationViolations(row, loc)
  const { parcel_of } = row
  return [
    ...areaShapeViolations(row, loc),
    ...(isRecord(parcel_of) ? locationViolations(parcel_of, [...loc, 'parcel_of']) : []),
  ]
}

function createUploadReader(request: Request, key: string | null, deps: UploadDeps): PendingSubmission['read'] {
  requireUncompressedBody(request)
  const query = new URL(request.url).searchParams
  const kind = parseRunKind(query.get('kind') ?? 'fetch_batch')
  const fieldNames = query.getAll('fields')
  const fields = fieldNames.length === 0 ? undefined : fieldNames.flatMap(splitNames)
  const preset = query.get('preset') ?? undefined
  const include_parcel = parseBoolean(query, 'include_parcel')
  const on_unknown = query.get('on_unknown') === 'skip' ? ('skip' as const) : undefined
  const selection = selectionOf(kind, { fields, preset, on_unknown, include_parcel })
  const format = uploadFormatOf((name) => query.get(name))
  const name = query.get('name')
  const violations = [
    ...(name === null ? [] : nameViolations(name, ['query', 'name'])),
    ...literalViolations(query, 'on_unknown', unknownFieldPolicies),
  ]
  if (violations.length > 0) throw new ValidationError(violations)
  return async (body) => {
    const hash = new Bun.CryptoHasher('sha256').update(`csv ${JSON.stringify([kind, selection, format])}`)
    const options = { ...deps, kind, rowsMax: runFileRowsMax, format }
    const { columns, locations, reading } = await readUpload(hashChunks(body, hash), options)
    return {
      kind,
      name,
      columns,
      locations,
      selection: { ...selection, read: reading },
      key: key === null ? null : { key, body_hash: hash.digest('hex') },
    }
  }
}

/** The members of a request that the kind uses. */
function selectionOf(
  kind: RunKind,
  { fields, preset, on_unknown, include_parcel }: FieldRequest & { include_parcel?: boolean | undefined },
): Submission['selection'] {
  if (hasFields(kind))
    return {
      ...(fields && { fields }),
      ...(preset !== undefined && { preset }),
      ...(on_unknown === 'skip' && { on_unknown }),
    }
  return kind === 'lookup_batch' && include_parcel ? { include_parcel } : {}
}

/** Yields the chunks and frees each one, so that the body and its rows are not both in memory. */
async function* hashChunks(body: BodyPiece[], hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for (let chunk = body.shift(); chunk; chunk = body.shift()) {
    hash.update(chunk)
    yield chunk
    freePiece(chunk)
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
  throw createViolationError(
    'value_error',
    ['header', 'idempotency-key'],
    'Input should be 1 to 255 visible ASCII characters',
    key,
  )
}
