import { parseBuffersOf, parseHere, type ParseMessage, type ParseReply } from '../drivers/table/parse-download.ts'
import { UpstreamError } from '../model/error.ts'

declare const self: Worker

/** Parses one download for each message. */
self.onmessage = async ({ data }: MessageEvent<ParseMessage>) => {
  const reply = await replyTo(data)
  self.postMessage(reply, 'parsed' in reply ? parseBuffersOf(reply.parsed) : [])
}

async function replyTo(message: ParseMessage): Promise<ParseReply> {
  try {
    return { parsed: await parseHere(message) }
  } catch (error) {
    return error instanceof UpstreamError
      ? { code: error.code, message: error.message, missing: error.missing }
      : { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
