import { UpstreamError } from '../model/error.ts'
import { decodeChunk } from '../raster/decode.ts'
import type { DecodeJob, DecodeReply } from '../raster/decoder.ts'

declare const self: Worker

/** Decodes one tile per message. Errors that the tile did not cause are rethrown and end the worker. */
self.onmessage = ({ data }: MessageEvent<DecodeJob>) => {
  const reply = replyTo(data)
  self.postMessage(reply, 'cells' in reply ? [reply.cells.buffer] : [])
}

function replyTo({ id, bytes, format }: DecodeJob): DecodeReply {
  try {
    return { id, cells: decodeChunk(bytes, format) }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { id, code: error.code, message: error.message }
  }
}
