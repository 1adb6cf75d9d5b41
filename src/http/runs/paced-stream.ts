import type { RoundRobin } from '../../async/round-robin.ts'
import type { JsonPiece } from '../../runs/report/run-document.ts'

/** The usual size of a piece of a response. */
export const piece_bytes = 32_768
/** The client that reads a response: the turns in which its pieces are made, and the slot that it needs meanwhile. */
export type PacedReader = { turns: RoundRobin; takeSlot(): () => void }

/** The server closes the connection of a client that reads nothing of a response for this long. */
export const stalledReader_s = 60

const encoder = new TextEncoder()

/** Joins short pieces of JSON, and yields bytes. */
export async function* jsonBytes(
  json: Iterable<JsonPiece> | AsyncIterable<JsonPiece>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let text = ''
  for await (const piece of json) {
    if (typeof piece === 'string') text += piece
    else {
      if (text !== '') yield encoder.encode(text)
      yield piece
      text = ''
    }
  }
  if (text !== '') yield encoder.encode(text)
}

/** Yields the pieces, each made in its turn, so that no response holds up the others. */
export async function* pacedPieces(
  pieces: AsyncGenerator<Uint8Array, void>,
  turns: RoundRobin,
): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { value, done } = await turns(() => pieces.next())
    if (done) return
    yield value
  }
}

/**
 * Streams the pieces as fast as the client reads. A piece is made when the client has read the one before, so a stalled
 * client holds one piece here, and what the buffers of the operating system take. An error ends the response without
 * its end mark, so that a part never looks complete.
 * @throws {ApiError} `rate_limited` if the reader has no free slot.
 */
export function pacedStream(
  pieces: AsyncGenerator<Uint8Array, void>,
  { turns, takeSlot }: PacedReader,
): ReadableStream<Uint8Array> {
  const freeSlot = takeSlot()
  const paced = pacedPieces(pieces, turns)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await paced.next()
          if (!done) return controller.enqueue(value)
          freeSlot()
          controller.close()
        } catch (error) {
          freeSlot()
          throw error
        }
      },
      async cancel() {
        freeSlot()
        await paced.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Returns the JSON that a function makes as a response. It is streamed when it is longer than one piece, and is then
 * made twice: first only to find damaged data, because an error in the middle can only cut the response.
 * @throws {ApiError} `rate_limited` if it is streamed and the reader has no free slot.
 */
export async function pacedJsonResponse(
  json: () => Iterable<JsonPiece> | AsyncIterable<JsonPiece>,
  { turns, takeSlot }: PacedReader,
  headers: Record<string, string> = {},
): Promise<Response> {
  const init = { headers: { 'content-type': 'application/json', 'cache-control': 'private, no-store', ...headers } }
  const checked = jsonBytes(json())
  const { start, isWhole } = await turns(() => readStart(checked))
  if (isWhole) return new Response(new Blob(start), init)
  const freeSlot = takeSlot()
  try {
    for await (const _ of pacedPieces(checked, turns));
  } catch (error) {
    freeSlot()
    throw error
  }
  return new Response(pacedStream(jsonBytes(json()), { turns, takeSlot: () => freeSlot }), init)
}

/** Reads pieces until there is enough for one, or no more. */
async function readStart(pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>) {
  const start: Uint8Array<ArrayBuffer>[] = []
  for (let bytes = 0; bytes < piece_bytes;) {
    const { value, done } = await pieces.next()
    if (done) return { start, isWhole: true }
    start.push(value)
    bytes += value.length
  }
  return { start, isWhole: false }
}
