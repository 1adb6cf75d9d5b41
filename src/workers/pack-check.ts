import { checkPackFile } from '../packs/pack-check.ts'
import type { PackCheckJob, PackCheckReply } from '../packs/pack-checker.ts'
import { PackError } from '../packs/pack-error.ts'

declare const self: Worker

/** Checks one file. Errors that the file did not cause are rethrown and end the worker. */
self.onmessage = async ({ data }: MessageEvent<PackCheckJob>) => {
  const reply = await replyTo(data)
  self.postMessage(reply, [])
}

async function replyTo({ path, sha256 }: PackCheckJob): Promise<PackCheckReply> {
  try {
    await checkPackFile(path, sha256)
    return { problem: null }
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    return { problem: error.message, retryable: error.retryable }
  }
}
