/** The bytes of a stream as they come; who stops reading gives the rest of it up. */
export async function* streamBytes(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    // A stream that broke off has nothing left to give up.
    await reader.cancel().catch(() => {})
  }
}

/** The same as text: UTF-8. */
export async function* streamText(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of streamBytes(stream)) yield decoder.decode(bytes, { stream: true })
}
