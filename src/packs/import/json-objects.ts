import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { PackError } from '../pack-error.ts'

/**
 * An object of a JSON file as text. `progress` is the share of the file read so far, 0 to 1. With `isTail`, the text holds
 * the members after the list of features.
 */
export type JsonObject = { text: string; progress: number; isTail?: true }

const chunk_bytes = 1024 * 1024
const maxObject_bytes = 512 * 1024 * 1024
const [quote, backslash, open, close, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]
const features = Buffer.from('"features"')

/**
 * Yields the objects of a file: the members of `features`, the members of a list, or a sequence of objects with or
 * without separators. Memory use depends only on the largest object.
 * @throws PackError if the file ends within an object.
 */
export function* readJsonObjects(path: string, name: string): Generator<JsonObject> {
  const file = openSync(path, 'r')
  try {
    yield* scanObjects(file, fstatSync(file).size, name)
  } finally {
    closeSync(file)
  }
}

function* scanObjects(file: number, size: number, name: string): Generator<JsonObject> {
  let [buffer, offset, i] = [Buffer.alloc(0), 0, 0]
  // `targetDepth` is the depth of the objects to yield. `start` is the offset of the object being read, or -1.
  let [depth, targetDepth, start] = [0, 0, -1]
  let isFeaturesKey = false
  let isTail = false
  while (true) {
    while (i < buffer.length) {
      const byte = buffer[i]!
      if (byte === quote) {
        const end = endOfString(buffer, i)
        if (end < 0) break
        if (depth === 1 && targetDepth === 0)
          isFeaturesKey = end - i === features.length && buffer.compare(features, 0, features.length, i, end) === 0
        i = end
        continue
      }
      if (byte === open || byte === openList) {
        if (
          byte === openList &&
          ((depth === 0 && targetDepth === 0) || (depth === 1 && targetDepth === 0 && isFeaturesKey))
        ) {
          targetDepth = depth + 1
          start = -1
        } else if (byte === open && depth === targetDepth && start < 0) start = i
        depth++
      } else if (byte === close || byte === closeList) {
        depth--
        if (depth === targetDepth && start >= 0) {
          yield { text: buffer.toString('utf8', start, i + 1), progress: (offset - buffer.length + i) / size }
          start = -1
        } else if (targetDepth === 2 && depth === 1 && byte === closeList) {
          ;[targetDepth, start, isTail] = [-1, i + 1, true]
        } else if (isTail && depth === 0) {
          yield { text: `{"":0${buffer.toString('utf8', start, i + 1)}`, progress: 1, isTail: true }
          return
        }
      }
      i++
    }
    const from = start >= 0 ? start : i
    if (buffer.length - from > maxObject_bytes)
      throw new PackError(`${name} contains an object of more than ${maxObject_bytes} bytes.`)
    const next = Buffer.allocUnsafe(buffer.length - from + Math.max(chunk_bytes, buffer.length - from))
    buffer.copy(next, 0, from)
    const read = readSync(file, next, buffer.length - from, next.length - (buffer.length - from), offset)
    if (read === 0) break
    buffer = next.subarray(0, buffer.length - from + read)
    offset += read
    i -= from
    if (start >= 0) start = 0
  }
  if (depth > 0 || start >= 0) throw new PackError(`${name} is truncated: it ends within an object.`)
}

/** The offset after the closing quote of the string that starts at `from`; -1 if it is not in the buffer. */
function endOfString(buffer: Buffer, from: number): number {
  for (let end = buffer.indexOf(quote, from + 1); end >= 0; end = buffer.indexOf(quote, end + 1)) {
    let escapes = 0
    while (buffer[end - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return end + 1
  }
  return -1
}
