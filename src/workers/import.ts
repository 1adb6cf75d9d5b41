import { buildPack, type BuildJob, type PackBuildResult } from '../packs/import/build-pack.ts'
import { PackError } from '../packs/pack-error.ts'

declare const self: Worker

/** What the worker tells: how far it is, what it built, or why it could not. */
export type ImportMessage = { done: number; features: number } | { result: PackBuildResult } | { rejected: string }

const reportInterval_ms = 100

/** Builds the one pack it is sent. What is not the input's fault is thrown on, and ends the worker. */
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
    if (error instanceof PackError) return { rejected: error.message }
    if (isDiskFull(error))
      return {
        rejected: `The disk is full: the pack could not be written in ${job.folder}. What was written of it is removed.`,
      }
    throw error
  }
}

function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL'
}
