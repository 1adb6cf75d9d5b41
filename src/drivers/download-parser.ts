import { abortable } from '../async/deadline.ts'
import { createJobWorker, JobWorkerError } from '../async/job-worker.ts'
import { UpstreamError } from '../model/error.ts'
import { errorOfReply, type ParseDownload, type ParseMessage, type ParseReply } from './parse-download.ts'

/** Parses downloads in a worker thread, one after the other. */
export type DownloadParser = { parse: ParseDownload; close(): void }

/** No file within the size limit of a download takes longer. */
const timeout_ms = 30_000

/** Creates the parser. `startWorker` starts the thread for a job; it ends when no job is left. */
export function createDownloadParser(startWorker: () => Worker): DownloadParser {
  const worker = createJobWorker<ParseMessage, ParseReply>(startWorker)
  return {
    async parse(kind, job, { signal }) {
      const replying = worker.run({ kind, job } as ParseMessage, { timeout_ms }).catch((error: unknown) => {
        if (!(error instanceof JobWorkerError)) throw error
        throw new UpstreamError('worker_lost', `The worker that parses downloads failed: ${error.message}.`)
      })
      const reply = await abortable(replying, signal)
      if ('parsed' in reply) return reply.parsed
      throw errorOfReply(reply)
    },
    close: worker.close,
  }
}
