import { Type } from '@sinclair/typebox'
import { ApiError, type Violation } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import { runLocationsMax } from '../../runs/upload/upload.ts'
import type { RunReader, StoredRun } from '../../store/runs/runs.ts'
import { addressViolations, locationRequestProperties, locationViolations } from '../places/location.ts'
import { createBodyReader } from '../request/json-body.ts'
import { itemViolations } from '../request/violations.ts'

const Correction = Type.Object({
  index: Type.Integer({ minimum: 0, description: 'Index of a failed location of the run.' }),
  ...locationRequestProperties,
  input: Type.Optional(Type.String({ description: 'For the kinds geocode_batch and lookup_batch: the new text.' })),
})

/** The body of a retry with corrected locations. */
export const RetryRequest = Type.Object({
  corrections: Type.Optional(
    Type.Array(Correction, {
      minItems: 1,
      maxItems: runLocationsMax,
      description:
        'Retries only these failed locations, with a new coordinate or address (fetch_batch) or a new input.',
    }),
  ),
})

const readRetry = createBodyReader(RetryRequest, ({ corrections }) =>
  Array.isArray(corrections)
    ? itemViolations(corrections.slice(0, runLocationsMax), (it, i) => violationsOf(it, ['body', 'corrections', i]))
    : [],
)

function violationsOf(correction: unknown, loc: (string | number)[]): Violation[] {
  if (!isRecord(correction)) return []
  return correction.input === undefined
    ? locationViolations(correction, loc)
    : addressViolations(correction.input, [...loc, 'input'])
}

/** Reads the new inputs of failed locations, as JSON by index; null if the request has none. */
export async function readCorrections(request: Request): Promise<Map<number, string> | null> {
  if (request.body === null) return null
  const { corrections } = await readRetry(request)
  if (!corrections) return null
  return new Map(
    corrections.map(({ index, input, lat, lng, address }) => [
      index,
      JSON.stringify(input === undefined ? { lat, lng, address } : { input }),
    ]),
  )
}

/** @throws {ApiError} if the run is not finished or of areas, or if a location has not failed. */
export async function requireCorrectable(
  { kind, status, finished_at, number }: StoredRun,
  indexes: Iterable<number>,
  reader: Pick<RunReader, 'findEntry'>,
): Promise<void> {
  if (kind === 'area_batch')
    throw new ApiError('bad_request', 'The areas of a run cannot be corrected. Submit them in a new run.')
  if (finished_at === null)
    throw new ApiError('run_not_ready', `This run is ${status}. Only a finished run can be retried.`, { status })
  for (const index of indexes) {
    const entry = await reader.findEntry(number, index)
    if (entry !== null && !(JSON.parse(entry) as { ok: boolean }).ok) continue
    throw new ApiError(
      'bad_request',
      `Location ${index} of this run has not failed. Only failed locations can be corrected.`,
    )
  }
}
