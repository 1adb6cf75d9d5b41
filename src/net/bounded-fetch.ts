import { cancelBody, tooLarge, requireIdentity } from './body.ts'

/**
 * Fetches from a server that the operator or the user configured, without compression. Reading the body beyond the
 * limit throws `too_large`. Throws `bad_response` if the response is compressed anyway, and everything that `fetch`
 * throws. /
 */
export async function fetchBounded(address: string, init: RequestInit, max_bytes: number): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('accept-encoding', 'identity')
  const response = await fetch(address, { ...init, headers, decompress: false })
  const { body } = response
  if (!body) return response
  const { host } = new URL(address)
  try {
    requireIdentity(response.headers, host)
  } catch (error) {
    cancelBody(body)
    throw error
  }
  return new Response(body.pipeThrough(limitBytes(max_bytes, host)), response)
}

function limitBytes(max_bytes: number, host: string): TransformStream<Uint8Array, Uint8Array> {
  let length = 0
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.byteLength
      if (length > max_bytes) controller.error(tooLarge(host, max_bytes))
      else controller.enqueue(chunk)
    },
  })
}
