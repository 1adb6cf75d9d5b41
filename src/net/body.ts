import { UpstreamError } from '../model/error.ts'
import { faultOf } from './fault.ts'
import { untilGivenUp } from './given-up.ts'

const capOtherwise_bytes = 16 * 1024 * 1024

/** The whole body, unpacked, but never more than the cap: what is longer is left where it is. */
export async function bytesOf(response: Response, cap_bytes: number | undefined, host: string, signal: AbortSignal): Promise<Uint8Array> {
  const cap = cap_bytes ?? capOtherwise_bytes
  const reader = response.body?.getReader()
  if (!reader) return new Uint8Array()
  const chunks: Uint8Array[] = []
  try {
    if (Number(response.headers.get('content-length')) > cap) throw tooLarge(host, cap)
    for (let length = 0; ; ) {
      const { done, value } = await untilGivenUp(reader.read(), signal, host)
      if (done) return Bun.concatArrayBuffers(chunks, Infinity, true)
      length += value.byteLength
      if (length > cap) throw tooLarge(host, cap)
      chunks.push(value)
    }
  } catch (error) {
    letGo(reader)
    throw faultOf(error, host, signal)
  }
}

/** Ends a body nobody will read. What it says to that is of no interest. */
export function letGo(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => {})
}

function tooLarge(host: string, cap: number): UpstreamError {
  return new UpstreamError('too_large', `${host} answered with more than the ${cap} bytes that are read.`)
}
