import { createGarbageCollector } from '../../async/collect-garbage.ts'
import type { MaybePromise } from '../../async/maybe-promise.ts'
import {
  createIncrementalTask,
  createYieldToEventLoop,
  runToEnd,
  type TaskSteps,
} from '../../async/incremental-task.ts'
import { AdmissionQueue } from '../../fetch/admission.ts'
import type { JsonOptions } from '../../async/read-json.ts'
import { createSharedDeadline } from '../../async/deadline.ts'
import { ApiError } from '../../model/error.ts'

export const bodyMax_bytes = 1_048_576
/** The limit of a run submission, JSON or CSV. */
export const runBodyMax_bytes = 33_554_432
/** Bodies up to this size are received at once. A larger one waits for its turn, and is not read before. */
export const smallBodyMax_bytes = 65_536
/** A body up to this size is parsed and checked at once, in less than a millisecond. */
export const tinyBodyMax_bytes = 4096
const retryAfter_s = 1

/**
 * How slowly a body may arrive: after the grace period it must have arrived at the least rate on average, and all of it
 * before the deadline. A slow sender would otherwise keep its place forever.
 */
export type BodyPace = { grace_ms: number; least_bytes_per_s: number; deadline_ms: number; check_ms: number }

/** The slowest pace of every body. */
export const bodyPace: BodyPace = { grace_ms: 10_000, least_bytes_per_s: 65_536, deadline_ms: 300_000, check_ms: 1000 }

const smallBodies = createSharedDeadline(slowBodyError)

/** A received piece of a body. Nothing else uses its buffer. */
export type BodyPiece = Uint8Array<ArrayBuffer>

/** Rejects a body by its Content-Length, and a request with two lengths. */
export function requireSmallBody({ headers }: Request, max_bytes: number): void {
  const length = headers.get('content-length') ?? '0'
  // Bun accepts two equal lengths, but a proxy in front may have read them differently (request smuggling).
  if (length.includes(',')) throw new ApiError('bad_request', 'The request has more than one Content-Length header.')
  if (Number(length) > max_bytes) throw bodyTooLarge(max_bytes)
}

/** Returns the declared size of a body; Infinity if it comes in chunks. */
export function declaredSize_bytes({ headers }: Request): number {
  return Number(headers.get('content-length') ?? Infinity)
}

/**
 * Receives a body in pieces, up to the limit.
 * @throws {ApiError} `body_too_large`, or `request_timeout` if the body arrives too slowly.
 */
export function receiveBody(request: Request, max_bytes: number, pace = bodyPace): Promise<BodyPiece[]> {
  return declaredSize_bytes(request) <= smallBodyMax_bytes
    ? receiveSmallBody(request, pace).then((body) => [body])
    : Array.fromAsync(bodyChunks(request, max_bytes, pace))
}

/**
 * Receives a small body, which usually arrives with the headers.
 * @throws {ApiError} `request_timeout` if it arrives too slowly.
 */
export function receiveSmallBody(
  request: Request,
  { grace_ms, least_bytes_per_s }: BodyPace = bodyPace,
): Promise<BodyPiece> {
  const limit_ms = grace_ms + (smallBodyMax_bytes / least_bytes_per_s) * 1000
  return smallBodies.within(limit_ms, request.bytes() as Promise<BodyPiece>)
}

/** Returns a body as text. */
export async function readBodyText(request: Request, max_bytes: number): Promise<string> {
  return Buffer.concat(await Array.fromAsync(bodyChunks(request, max_bytes))).toString('utf8')
}

/**
 * Yields the bytes of a body up to the limit. Small chunks are joined, so that a sender of single bytes costs no more
 * memory or time than others.
 */
export async function* bodyChunks({ body }: Request, max_bytes: number, pace = bodyPace): AsyncGenerator<BodyPiece> {
  if (!body) return
  const joined = new Uint8Array(smallBodyMax_bytes)
  let used = 0
  for await (const chunk of chunksInTime(body, max_bytes, pace)) {
    if (used > 0 && used + chunk.length > joined.length) {
      yield joined.slice(0, used)
      used = 0
    }
    if (chunk.length > joined.length) yield chunk.slice()
    else {
      joined.set(chunk, used)
      used += chunk.length
    }
  }
  if (used > 0) yield joined.slice(0, used)
}

/**
 * Yields the chunks of a stream as they arrive, and frees each one after it. Cancels the stream when it is too slow or
 * too large.
 */
async function* chunksInTime(
  body: ReadableStream<Uint8Array>,
  max_bytes: number,
  pace: BodyPace,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const began_ms = performance.now()
  let received_bytes = 0
  let isSlow = false
  const timer = setInterval(() => {
    isSlow = isBehind(pace, performance.now() - began_ms, received_bytes)
    if (!isSlow) return
    clearInterval(timer)
    // Ends the pending read.
    reader.cancel().catch(() => {})
  }, pace.check_ms)
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (isSlow) throw slowBodyError()
      if (done) return
      received_bytes += value.length
      if (received_bytes > max_bytes) throw bodyTooLarge(max_bytes)
      yield value
      // The caller has copied the chunk.
      if (value.buffer instanceof ArrayBuffer && value.buffer.byteLength === value.length) value.buffer.transfer(0)
    }
  } finally {
    clearInterval(timer)
    reader.releaseLock()
  }
}

/** Whether a body is too slow after this time. */
export function isBehind(pace: BodyPace, elapsed_ms: number, received_bytes: number): boolean {
  const expected_bytes = ((elapsed_ms - pace.grace_ms) / 1000) * pace.least_bytes_per_s
  return elapsed_ms > pace.deadline_ms || received_bytes < expected_bytes
}

/**
 * Frees the memory of a piece that has been read. It is garbage of the old generation, which only a full collection
 * would remove.
 */
export function freePiece({ buffer }: BodyPiece): void {
  buffer.transfer(0)
}

/** How the JSON of a tiny body is read. No valid string is longer. Freeing it would cost more than it occupies. */
export const tinyBodyJson: JsonOptions<BodyPiece> = {
  depthMax: 32,
  stringMax_characters: 131_072,
  isUtf8Required: true,
}

/** How the JSON of other bodies is read. Frees the pieces that were read. */
export const bodyJson: JsonOptions<BodyPiece> = { ...tinyBodyJson, onRead: freePiece }

/** Returns the media type of a body in lower case, without parameters; '' when there is none. */
export function mediaTypeOf({ headers }: Request): string {
  const type = headers.get('content-type')
  return type === 'application/json' ? type : (type?.split(';')[0]!.trim().toLowerCase() ?? '')
}

/** Rejects a compressed body. */
export function requireUncompressedBody({ headers }: Request): void {
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity')
    throw new ApiError(
      'unsupported_media_type',
      `Unsupported Content-Encoding ${JSON.stringify(encoding)}. Send the body uncompressed.`,
    )
}

/** Rejects a body that is not JSON or is compressed. */
export function requireJsonBody(request: Request): void {
  const type = mediaTypeOf(request)
  if (type !== 'application/json' && !/^application\/[a-z0-9.+-]{1,64}\+json$/.test(type)) {
    throw new ApiError(
      'unsupported_media_type',
      `${type === '' ? 'Missing Content-Type' : `Unsupported Content-Type ${JSON.stringify(type)}`}. Send Content-Type: application/json.`,
    )
  }
  requireUncompressedBody(request)
}

function bodyTooLarge(max_bytes: number): ApiError {
  return new ApiError('body_too_large', `The body is larger than ${max_bytes} bytes.`, { max_bytes })
}

function slowBodyError(): ApiError {
  const { least_bytes_per_s, grace_ms, deadline_ms } = bodyPace
  return new ApiError(
    'request_timeout',
    `The body arrived too slowly. After the first ${grace_ms / 1000} seconds, it must average at least ${least_bytes_per_s} bytes per second, and it must be complete within ${deadline_ms / 1000} seconds. Send the request again over a faster connection, or split it.`,
    { retry_after_s: retryAfter_s },
  )
}

/** The number of bodies above the small size that are in memory at the same time. */
export const largeBodiesMax = 32
/** The maximum for one account, so that the bodies of others are received too. */
export const largeBodiesPerAccount = 24
const queueMax = 256
const maxWait_ms = 30_000
/** Small bodies are parsed and checked for this time in one turn of the event loop. */
const slice_ms = 5
/** The same for larger bodies. A request waits for a slice in each turn, until the body is read. */
const largeSlice_ms = 1
const slicesBetweenCollections = 25
/** A body of 10,000 locations leaves garbage of 2 to 4 MB. A full collection takes 15 ms when the service is idle. */
const garbageMax_bytes = 6 * 1_048_576

/** Limits the memory and the time of the bodies of all requests except large run submissions. */
export class BodyQueue {
  readonly #queue = new AdmissionQueue(largeBodiesMax, queueMax, undefined, largeBodiesMax - largeBodiesPerAccount)
  readonly #yieldToEventLoop = createYieldToEventLoop(slice_ms)
  // Parsing creates garbage of several times its text. Collecting all of it at once would take 200 ms.
  readonly #yieldAndCollect = createYieldToEventLoop(
    largeSlice_ms,
    createGarbageCollector(slicesBetweenCollections, Infinity),
  )
  // A body that outlives one of these collections is freed only by a full one, so several submissions would add up.
  readonly #collectLargeBodies = createGarbageCollector(1, garbageMax_bytes)

  /**
   * Runs the work, which receives a body. A small body is received at once. A larger one waits for a place and is not
   * read before, so waiting takes no memory.
   * @throws {ApiError} `fetch_busy` if the queue is full or the wait is too long.
   */
  run<T>(request: Request, account: string, work: () => Promise<T>): Promise<T> {
    if (declaredSize_bytes(request) <= smallBodyMax_bytes) return work()
    const budget = { signal: request.signal, until_ms: performance.now() + maxWait_ms }
    return this.#queue.forAccount(account).run(work, budget)
  }

  /** Runs the steps of parsing and checking a body of this size, and yields to the event loop between them. */
  runSteps<T>(steps: () => TaskSteps<T>, size_bytes: number): MaybePromise<T> {
    if (size_bytes <= tinyBodyMax_bytes) return runToEnd(steps())
    if (size_bytes <= smallBodyMax_bytes) return createIncrementalTask(steps, this.#yieldToEventLoop).run()
    return createIncrementalTask(steps, this.#yieldAndCollect).run().finally(this.#collectLargeBodies)
  }
}
