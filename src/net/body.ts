import { createYieldToEventLoop } from '../async/incremental-task.ts'
import { UpstreamError } from '../model/error.ts'
import { toUpstreamError, invalidGzip } from './upstream-errors.ts'
import { abortableForHost } from './host-abort.ts'

const defaultCap_bytes = 16 * 1024 * 1024
/** The maximum size of any body, whatever cap the call sets. The largest cap of a driver is equal. */
export const maxBody_bytes = 64 * 1024 * 1024
/** After this time, others have their turn. Reading chunks that are already here would not wait for anything. */
const slice_ms = 5

type Reader = { read(): Promise<{ value?: Uint8Array | undefined }>; cancel(): Promise<void> }

/**
 * Returns the complete, decompressed body. Throws `too_large` if the received or the decompressed body exceeds the cap.
 * Default cap: 16 MiB. Maximum: `maxBody_bytes`.
 */
export async function readResponseBody(
  response: Response,
  cap_bytes: number | undefined,
  host: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const cap = Math.min(cap_bytes ?? defaultCap_bytes, maxBody_bytes)
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

/** Cancels a body that will not be read. Ignores errors. */
export function cancelBody(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => {})
}

/** Decompresses in chunks and stops at the cap: the decoder decompresses only what is read from it. */
async function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  cap: number,
  host: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    return await readAll(reader, cap, host, signal)
  } catch (error) {
    cancelBody(reader)
    if (error instanceof UpstreamError || signal.aborted) throw error
    throw new UpstreamError('bad_response', `${host} returned a body that is not valid gzip.`, {
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
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    await yieldToEventLoop()
    const { value } = await abortableForHost(reader.read(), signal, host)
    if (!value) break
    length += value.byteLength
    if (length > cap) throw tooLarge(host, cap)
    chunks.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    await yieldToEventLoop()
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The error for a body that exceeds its cap. */
export function tooLarge(host: string, cap: number): UpstreamError {
  return new UpstreamError('too_large', `${host} returned more than ${cap} bytes, the limit for this request.`)
}

/** The supported encodings. */
type ContentEncoding = 'gzip' | 'identity'

/**
 * Returns the Accept-Encoding of a call. Gzip is the only supported compression because its decoder needs 32 kB of
 * memory. A br decoder needs up to 16 MB and a zstd decoder up to 128 MB per response. Range requests use identity:
 * part of a gzip file cannot be decompressed. /
 */
export function acceptEncodingFor(headers: Record<string, string>): ContentEncoding {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'range') ? 'identity' : 'gzip'
}

/**
 * Returns the encoding of a body. Throws `bad_response` for an unsupported encoding, and for several encodings on one
 * body.
 */
function contentEncodingOf(headers: Headers, host: string): ContentEncoding {
  const value = headers.get('content-encoding') ?? ''
  const names = value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length === 0) return 'identity'
  if (names.length === 1 && (names[0] === 'gzip' || names[0] === 'x-gzip')) return 'gzip'
  throw encodingError(value, host)
}

/** Throws `bad_response` if the body has any encoding. For calls that request identity. */
export function requireIdentity(headers: Headers, host: string): void {
  if (contentEncodingOf(headers, host) !== 'identity') throw encodingError('gzip', host)
}

function encodingError(encoding: string, host: string): UpstreamError {
  return new UpstreamError(
    'bad_response',
    `${host} returned the content encoding ${JSON.stringify(encoding.slice(0, 100))}, which was not requested.`,
  )
}
