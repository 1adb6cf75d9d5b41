import type { FairTurns } from '../async/fair-turns.ts'
import type { JsonPiece } from '../runs/run-document.ts'

/** The usual size of a piece of a response. */
export const piece_bytes = 32_768
/** The server closes the connection of a client that reads nothing of a response for this long. */
export const stalledReader_s = 60

const encoder = new TextEncoder()

/** Joins short pieces of JSON, and yields bytes. */
export function* jsonBytes(json: Iterable<JsonPiece>): Generator<Uint8Array<ArrayBuffer>, void> {
  let text = ''
  for (const piece of json) {
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
  pieces: Generator<Uint8Array, void>,
  turns: FairTurns,
): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const { value, done } = await turns(() => pieces.next())
    if (done) return
    yield value
  }
}

/**
 * Streams the pieces as fast as the client reads. A piece is made when the client has read the one before, so a stalled
 * client holds one piece here and one in the socket. An error ends the response without its end mark, so that a part
 * never looks complete.
 */
export function pacedStream(pieces: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Returns JSON as a response. It is streamed when it is longer than one piece. */
export async function pacedJsonResponse(
  json: Iterable<JsonPiece>,
  turns: FairTurns,
  headers: Record<string, string> = {},
): Promise<Response> {
  const init = { headers: { 'content-type': 'application/json', 'cache-control': 'private, no-store', ...headers } }
  const pieces = jsonBytes(json)
  const { start, isWhole } = await turns(() => readStart(pieces))
  return new Response(isWhole ? new Blob(start) : pacedStream(pacedPieces(startingWith(start, pieces), turns)), init)
}

/** Reads pieces until there is enough for one, or no more. */
function readStart(pieces: Generator<Uint8Array<ArrayBuffer>, void>) {
  const start: Uint8Array<ArrayBuffer>[] = []
  for (let bytes = 0; bytes < piece_bytes;) {
    const { value, done } = pieces.next()
    if (done) return { start, isWhole: true }
    start.push(value)
    bytes += value.length
  }
  return { start, isWhole: false }
}

function* startingWith(start: Uint8Array[], rest: Generator<Uint8Array, void>): Generator<Uint8Array, void> {
  yield* start
  yield* rest
}
