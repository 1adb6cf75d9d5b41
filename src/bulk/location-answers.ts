import type { Account } from '../auth/accounts.ts'
import { AdmissionQueue } from '../fetch/admission.ts'
import { batchConcurrency } from '../fetch/batch.ts'
import { artifactRowOf, type ArtifactRow } from '../runs/artifacts/artifact-row.ts'
import type { LocationAnswerer } from '../runs/location-answerer.ts'
import { errorEntryOf, triesExhaustedError } from '../runs/report/run-entry.ts'
import type { AnswerRow } from './block-answerer.ts'
import type { BulkJob } from './bulk-job.ts'

const attemptsMax = 3
/** The rows that are read ahead. */
const maxQueued = 1024

type Options = {
  job: Pick<BulkJob, 'table' | 'shape' | 'now_ms'>
  account: Account
  answerLocation: LocationAnswerer
  /** Aborted when no more rows may begin. */
  stopping: AbortSignal
  /** Aborted when the rows in progress must end. */
  signal: AbortSignal
}

/**
 * Creates a function that answers locations as a run of the service does: with its sources, its geocoders and its
 * cache, on behalf of an account, four at a time.
 */
export function createLocationAnswers({ job, account, answerLocation, stopping, signal }: Options): AnswerRow {
  const { kind } = job.table
  const { fields } = job.shape
  const slots = new AdmissionQueue(batchConcurrency, maxQueued)
  const question = { run_id: 'bulk', kind, account_id: account.id, scopes: [...account.scopes].join(' '), fields }
  return ({ index, input }) => slots.run(() => answer(index, JSON.stringify(input)), { signal: stopping })

  async function answer(idx: number, input: string): Promise<ArtifactRow> {
    const position = { idx, original_index: null }
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const found = await answerLocation({ ...question, ...position, input }, signal, () => {})
      signal.throwIfAborted()
      if (found !== 'internal_error') return rowOf(idx, input, found.entry)
    }
    return rowOf(idx, input, errorEntryOf(position, triesExhaustedError(attemptsMax), new Date(job.now_ms)).entry)
  }

  function rowOf(idx: number, input: string, entry: string): ArtifactRow {
    return artifactRowOf({ idx, entry, input, passthrough: null }, fields, { kind })
  }
}
