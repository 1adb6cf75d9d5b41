/** Yields the bytes of a stream as they arrive. Leaving the loop early cancels the stream. */
export async function* streamBytes(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // A broken stream cannot be cancelled.
    await reader.cancel().catch(() => {})
  }
}
