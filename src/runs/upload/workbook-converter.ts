import { buffersOf, createJobWorker, JobWorkerError } from '../../async/job-worker.ts'
import { ApiError, ValidationError, type Violation } from '../../model/error.ts'
import type { ConvertWorkbook } from './workbook.ts'

/** A workbook for the worker to convert. */
export type WorkbookJob = { workbook: Uint8Array<ArrayBuffer>[]; sheet: string | undefined }
/** The reply of the worker: the CSV, what is wrong with the workbook, or an error of ours. */
export type WorkbookReply = { csv: Uint8Array } | { violations: Violation[] } | { error: string }

/** A workbook at the size limit takes a few seconds. */
const timeout_ms = 30_000
const retryAfter_s = 1

/** Converts workbooks in a worker thread, one after the other, because parsing one takes seconds. */
export function createWorkbookConverter(startWorker: () => Worker): { convert: ConvertWorkbook; close(): void } {
  const worker = createJobWorker<WorkbookJob, WorkbookReply>(startWorker)
  return {
    async convert(workbook, sheet) {
      const reply = await worker
        .run({ workbook, sheet }, { timeout_ms, transfer: buffersOf(workbook) })
        .catch((cause: unknown) => {
          if (!(cause instanceof JobWorkerError)) throw cause
          throw new ApiError(
            'worker_lost',
            'The workbook could not be read. Try again, or save its sheet as CSV.',
            { retry_after_s: retryAfter_s },
            { cause },
          )
        })
      if ('csv' in reply) return reply.csv
      throw 'violations' in reply ? new ValidationError(reply.violations) : new Error(reply.error)
    },
    close: worker.close,
  }
}
