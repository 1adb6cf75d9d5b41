import { checkPackFile } from '../packs/check/pack-check.ts'
import type { PackCheckJob, PackCheckReply } from '../packs/check/pack-checker.ts'
import type { BuiltIndexes } from '../packs/pack.ts'
import { FileError } from '../files/file-error.ts'

declare const self: Worker

/** Checks one file. Errors that the file did not cause are rethrown and end the worker. */
self.onmessage = async ({ data }: MessageEvent<PackCheckJob>) => {
  const reply = await replyTo(data)
  self.postMessage(reply, 'indexes' in reply ? buffersIn(reply.indexes) : [])
}

async function replyTo({ path, sha256 }: PackCheckJob): Promise<PackCheckReply> {
  try {
    return { indexes: await checkPackFile(path, sha256) }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { problem: error.message, retryable: error.retryable }
  }
}

/** The buffers of the box trees, which move to the receiver without a copy. */
function buffersIn(indexes: BuiltIndexes): ArrayBuffer[] {
  return [...indexes.values()].flatMap(({ tree: { starts, ids, boxes } }) =>
    [starts, ids, boxes].map(({ buffer }) => buffer as ArrayBuffer),
  )
}
