import { UpstreamError } from '../model/error.ts'
import { contentEncodingOf } from './content-encoding.ts'
import { toUpstreamError, invalidGzip } from './upstream-errors.ts'
import { abortableForHost } from './host-abort.ts'

const defaultCap_bytes = 16 * 1024 * 1024
/** Decompressed in one turn of the event loop, which takes 5 ms. More turns cost more: in each, Bun may collect garbage. */
const turn_bytes = 2 * 1024 * 1024

type Reader = { read(): Promise<{ value?: Uint8Array | undefined }>; cancel(): Promise<void> }

/** The whole body, decompressed. Throws `too_large` when what is received, or what it decompresses to, is longer than the cap. */
export async function readResponseBody(
  response: Response,
  cap_bytes: number | undefined,
  host: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const cap = cap_bytes ?? defaultCap_bytes
  const reader = response.body?.getReader()
  if (!reader) return new Uint8Array()
  try {
    const encoding = contentEncodingOf(response.headers, host)
    if (Number(response.headers.get('content-length')) > cap) throw tooLarge(host, cap)
    const bytes = await readAll(reader, cap, host, signal)
    return encoding === 'gzip' && bytes.length > 0 ? await gunzip(bytes, cap, host, signal) : bytes
  } catch (error) {
    cancelBody(reader)
    throw toUpstreamError(error, host, signal)
  }
}

/** Ends a body nobody will read. What it says to that is of no interest. */
export function cancelBody(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => {})
}

/** The decoder decompresses only what is read from it, so nothing beyond the cap is decompressed. */
async function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  cap: number,
  host: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = yieldToEventLoop(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader())
  try {
    return await readAll(reader, cap, host, signal)
  } catch (error) {
    cancelBody(reader)
    if (error instanceof UpstreamError || signal.aborted) throw error
    throw new UpstreamError('bad_response', `${host} answered with a body that is not valid gzip.`, {
      cause: invalidGzip,
    })
  }
}

async function readAll(
  reader: Reader,
  cap: number,
  host: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for (let length = 0; ;) {
    const { value } = await abortableForHost(reader.read(), signal, host)
    if (!value) return Bun.concatArrayBuffers(chunks, Infinity, true)
    length += value.byteLength
    if (length > cap) throw tooLarge(host, cap)
    chunks.push(value)
  }
}

/** A decoder never waits for the network: without this, nothing else runs until it is done. */
function yieldToEventLoop(reader: Reader): Reader {
  let decoded_bytes = 0
  return {
    async read() {
      if (decoded_bytes >= turn_bytes) {
        await new Promise((resolve) => setImmediate(resolve))
        decoded_bytes = 0
      }
      const piece = await reader.read()
      decoded_bytes += piece.value?.byteLength ?? 0
      return piece
    },
    cancel: () => reader.cancel(),
  }
}

/** The error for a body that is longer than its cap. */
export function tooLarge(host: string, cap: number): UpstreamError {
  return new UpstreamError('too_large', `${host} answered with more than the ${cap} bytes that are read.`)
}
