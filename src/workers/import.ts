import { buildPack, type BuildJob, type PackBuildResult } from '../build-packs/build-pack.ts'
import { FileError } from '../files/file-error.ts'
import { storageErrorOf } from '../store/sqlite/sqlite-errors.ts'

declare const self: Worker

/**
 * A message of the worker: its progress, its result, or the reason why the input was rejected. `retryable`: the same
 * input can be built later.
 */
export type ImportMessage =
  { done: number; features: number } | { result: PackBuildResult } | { rejected: string; retryable: boolean }

const reportInterval_ms = 100

/** Builds one pack. Errors that the input did not cause are rethrown and end the worker. */
self.onmessage = async ({ data }: MessageEvent<BuildJob>) => {
  send(await replyTo(data))
}

function send(reply: ImportMessage): void {
  self.postMessage(reply, [])
}

async function replyTo(job: BuildJob): Promise<ImportMessage> {
  let lastReport_ms = 0
  const report = (done: number, features: number): void => {
    const now_ms = performance.now()
    if (now_ms - lastReport_ms < reportInterval_ms) return
    lastReport_ms = now_ms
    send({ done, features })
  }
  try {
    return { result: await buildPack(job, report) }
  } catch (error) {
    if (error instanceof FileError) return { rejected: error.message, retryable: error.retryable }
    if (storageErrorOf(error)?.reason === 'full')
      return {
        rejected: `The disk is full: the pack could not be written to ${job.folder}. The partial file was removed.`,
        retryable: true,
      }
    throw error
  }
}
