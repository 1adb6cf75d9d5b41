import type { Static } from '@sinclair/typebox'
import type { App } from '../../app.ts'
import { createYieldToEventLoop } from '../../async/incremental-task.ts'
import { ApiError, type ErrorDetail } from '../../model/error.ts'
import { artifactColumnsOf, type ArtifactShape } from '../../runs/artifacts/artifact-columns.ts'
import { artifactRowOf, type ArtifactRow } from '../../runs/artifacts/artifact-row.ts'
import { objectSegmentsOf, textOfRow } from '../../runs/artifacts/result-text.ts'
import { errorEntryOf } from '../../runs/report/run-entry.ts'
import type { Submission } from '../../runs/run-submitter.ts'
import { LocationPacker, type PackedLocations } from '../../store/runs/packed-locations.ts'
import { parseRunColumn } from '../../store/runs/run-request.ts'
import type { RunReader, StoredRun } from '../../store/runs/runs.ts'
import type { FunctionRow } from './function-engines.ts'
import { accountOf, requireScope, withLocationQuota } from '../request/guard.ts'
import type { AcceptedRun } from '../runs/run-operations.ts'
import { acceptedBodyOf, preferredWait_s } from '../runs/runs.ts'

/** The object of each row as JSON text, null for a row with a NULL argument; or the answer of a run in progress. */
export type FunctionReply = { texts: (string | null)[] } | { accepted: Static<typeof AcceptedRun> }

/** A call: its rows, the selected fields, and whether each field gets its status and the reason of a missing value. */
export interface FunctionCall {
  rows: FunctionRow[]
  selection: Submission['selection']
  hasReasons: boolean
}

/** A gateway in front of an engine waits about 30 s. */
const waitDefault_s = 20
const rowsPerRead = 100
/** SQLite answers at once, so all rows would be read in one turn of the event loop. */
export const functionSlice_ms = 5
/** The stored input of a row with a NULL argument. */
const nullInput = 'null'

/** Submits the call as a run, once for each batch id. Returns its reply if the run ends soon. */
export async function submitFunctionRun(
  request: Request,
  batchId: string,
  { rows, selection, hasReasons }: FunctionCall,
  { runs, now }: App,
): Promise<FunctionReply> {
  requireScope(request, 'runs')
  const account = accountOf(request)
  const { locations, body_hash } = packRows(rows, selection, now())
  const key = keyOf(batchId)
  const submitted = { name: null, columns: [], selection, locations, key: { key, body_hash } }
  const counted = (await runs.isKeyUsed(account, key)) ? 0 : rows.length
  const { run_id } = await withLocationQuota(request, counted, () =>
    runs.submit(account, { kind: 'fetch_batch', ...submitted }),
  )
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(preferredWait_s(request, waitDefault_s) * 1000)])
  return replyOf(await runs.waitUntilFinished(account, run_id, signal), hasReasons, runs.reader)
}

/** Returns the reply to an earlier call. @throws {ApiError} `run_not_found` */
export async function findFunctionReply(
  request: Request,
  batchId: string,
  hasReasons: boolean,
  { runs }: App,
): Promise<FunctionReply> {
  const run = await runs.findByKey(accountOf(request), keyOf(batchId))
  if (run) return replyOf(run, hasReasons, runs.reader)
  throw new ApiError('run_not_found', 'There is no run of this batch of rows. Send the rows first.')
}

/** Returns the objects of rows, in order. Other requests are answered between the rows. */
export async function rowTextsOf(
  rows: readonly (ArtifactRow | null)[],
  shape: Pick<ArtifactShape, 'fields' | 'marginFields' | 'hasGeocodes' | 'hasReasons'>,
): Promise<(string | null)[]> {
  const columns = artifactColumnsOf({ ...shape, inputColumns: [], hasOriginalIndex: false })
  const segments = objectSegmentsOf(
    columns.filter(({ isProperty, name }) => isProperty || name === 'lat' || name === 'lng'),
  )
  const yieldToEventLoop = createYieldToEventLoop(functionSlice_ms)
  const texts: (string | null)[] = []
  for (const row of rows) {
    await yieldToEventLoop()
    texts.push(row && textOfRow(segments, row))
  }
  return texts
}

/** A key of the account that no other interface uses. */
function keyOf(batchId: string): string {
  return `snowflake ${batchId}`
}

function packRows(
  rows: readonly FunctionRow[],
  selection: Submission['selection'],
  now: Date,
): { locations: PackedLocations; body_hash: string } {
  const hash = new Bun.CryptoHasher('sha256').update(`function ${JSON.stringify(selection)}`)
  const packer = new LocationPacker()
  for (const [idx, row] of rows.entries()) {
    const error = row instanceof ApiError ? row : new ApiError('row_invalid', 'An argument of this row is null.')
    const input = row === null ? nullInput : row instanceof ApiError ? '{}' : JSON.stringify(row)
    const isLocation = row !== null && !(row instanceof ApiError)
    hash.update(input)
    packer.add({
      input,
      ...(!isLocation && { errorEntry: errorEntryOf({ idx, original_index: null }, error, now).entry }),
    })
  }
  return { locations: packer.finish(), body_hash: hash.digest('hex') }
}

async function replyOf(run: StoredRun, hasReasons: boolean, reader: RunReader): Promise<FunctionReply> {
  if (run.finished_at === null) return { accepted: acceptedBodyOf(run) }
  if (run.status === 'failed') {
    const { error, message } = JSON.parse(run.error!) as ErrorDetail
    throw new ApiError(error, message)
  }
  const fields = parseRunColumn(run, 'fields')
  const rows: (ArtifactRow | null)[] = []
  const yieldToEventLoop = createYieldToEventLoop(functionSlice_ms)
  while (rows.length < run.total) {
    await yieldToEventLoop()
    const entries = await reader.listEntries(run.number, rows.length, rowsPerRead)
    if (entries.length === 0) throw new Error(`The entries of ${run.id} were deleted.`)
    rows.push(...entries.map((entry) => (entry.input === nullInput ? null : artifactRowOf(entry, fields, run))))
  }
  const marginFields = parseRunColumn(run, 'margin_fields')
  return {
    texts: await rowTextsOf(rows, {
      fields,
      marginFields,
      hasReasons,
      hasGeocodes: await reader.hasAddress(run.number),
    }),
  }
}
