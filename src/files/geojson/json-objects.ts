import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { FileError } from '../file-error.ts'

/**
 * An object of a JSON file as text. `progress` is the share of the file read so far, 0 to 1. With `isTail`, the text
 * holds the members after the list of features.
 */
export type JsonObject = { text: string; progress: number; isTail?: true }

const chunk_bytes = 1024 * 1024
/** A feature with a million vertices. Parsing takes several times this memory. */
const largestObject_bytes = 32 * 1024 * 1024
/** No file is nested this deep. A parser takes memory for each level. */
const maxDepth = 256
const [quote, backslash, open, close, openList, closeList] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]
/** What may be between the objects of a list, other than blanks. */
const [space, betweenObjects] = [0x20, [0x2c, open, close, closeList]]
const outsideObjects = [...betweenObjects, openList]
const byteOrderMark_bytes = 3

/**
 * Yields the objects of a file: the members of `list`, the members of an outermost list, or a sequence of objects with or
 * without separators. Memory use depends only on the largest object.
 * @throws FileError if the file ends within an object, or has one that is too large or nested too deep.
 */
export function* readJsonObjects(path: string, name: string, list: string): Generator<JsonObject> {
  const file = openSync(path, 'r')
  try {
    yield* new ObjectScanner(file, name, list).scan()
  } finally {
    closeSync(file)
  }
}

/** Scans a file for objects at one depth. The buffer always holds the object that is being read. */
class ObjectScanner {
  readonly #file: number
  readonly #size: number
  readonly #name: string
  /** The key of the list, with its quotes. */
  readonly #listKey: Buffer
  #buffer = Buffer.alloc(0)
  /** The offset of the end of the buffer in the file. */
  #offset = 0
  /** The position in the buffer. */
  #at = 0
  #depth = 0
  /** The depth of the objects to yield; -1 after the list of features. */
  #targetDepth = 0
  /** The start of the object being read, or -1. */
  #start = -1
  #isListKey = false
  #isTail = false

  constructor(file: number, name: string, list: string) {
    this.#file = file
    this.#listKey = Buffer.from(JSON.stringify(list))
    this.#size = fstatSync(file).size
    this.#name = name
  }

  *scan(): Generator<JsonObject> {
    do {
      for (let object = this.#next(); object; object = this.#next()) {
        yield object
        if (object.isTail) return
      }
    } while (this.#fill())
    if (this.#depth > 0 || this.#start >= 0)
      throw new FileError(`${this.#name} is truncated: it ends within an object.`)
  }

  /** The next object that ends in the buffer. */
  #next(): JsonObject | null {
    for (; this.#at < this.#buffer.length; this.#at++) {
      const byte = this.#buffer[this.#at]!
      if (this.#isOtherMember(byte))
        throw new FileError(
          this.#depth > 0
            ? `${this.#name} has a member of its list that is not an object.`
            : `${this.#name} has text that is not a JSON object: ${JSON.stringify(this.#buffer.toString('utf8', this.#at, this.#at + 20))}.`,
        )
      if (byte === quote) {
        const end = endOfString(this.#buffer, this.#at)
        if (end < 0) return null
        this.#readKey(end)
        this.#at = end - 1
      } else if (byte === open || byte === openList) this.#open(byte)
      else if (byte === close || byte === closeList) {
        const object = this.#close(byte)
        if (object) {
          this.#at++
          return object
        }
      }
    }
    return null
  }

  /** Whether a value other than an object begins in the list of objects, or outside of all objects. */
  #isOtherMember(byte: number): boolean {
    if (this.#depth === 0 && byte > space && !outsideObjects.includes(byte) && !this.#isByteOrderMark()) return true
    return this.#depth > 0 && this.#depth === this.#targetDepth && byte > space && !betweenObjects.includes(byte)
  }

  #isByteOrderMark(): boolean {
    return this.#offset - this.#buffer.length + this.#at < byteOrderMark_bytes && this.#buffer[this.#at]! >= 0x80
  }

  /** Checks whether a string that ends at `end` is the key of the list in the outermost object. */
  #readKey(end: number): void {
    if (this.#depth !== 1 || this.#targetDepth !== 0) return
    this.#isListKey =
      end - this.#at === this.#listKey.length &&
      this.#buffer.compare(this.#listKey, 0, this.#listKey.length, this.#at, end) === 0
  }

  #open(byte: number): void {
    const isList = byte === openList
    const isOutermost = this.#depth === 0 || (this.#depth === 1 && this.#isListKey)
    if (isList && this.#targetDepth === 0 && isOutermost) {
      this.#targetDepth = this.#depth + 1
      this.#start = -1
    } else if (!isList && this.#depth === this.#targetDepth && this.#start < 0) this.#start = this.#at
    this.#depth++
    if (this.#depth > maxDepth) throw new FileError(`${this.#name} is nested more than ${maxDepth} levels deep.`)
  }

  #close(byte: number): JsonObject | null {
    this.#depth--
    if (this.#depth === this.#targetDepth && this.#start >= 0) {
      this.#requireSize(this.#at - this.#start)
      const text = this.#buffer.toString('utf8', this.#start, this.#at + 1)
      this.#start = -1
      return { text, progress: (this.#offset - this.#buffer.length + this.#at) / this.#size }
    }
    if (this.#targetDepth === 2 && this.#depth === 1 && byte === closeList) {
      this.#targetDepth = -1
      this.#start = this.#at + 1
      this.#isTail = true
    } else if (this.#isTail && this.#depth === 0) {
      const text = `{"":0${this.#buffer.toString('utf8', this.#start, this.#at + 1)}`
      return { text, progress: 1, isTail: true }
    }
    return null
  }

  #requireSize(bytes: number): void {
    if (bytes > largestObject_bytes)
      throw new FileError(
        `${this.#name} contains an object of more than ${largestObject_bytes} bytes. Split this feature.`,
      )
  }

  /** Reads more of the file, keeping the object being read. Returns false at the end. */
  #fill(): boolean {
    const from = this.#start >= 0 ? this.#start : this.#at
    const unread_bytes = this.#buffer.length - from
    this.#requireSize(unread_bytes)
    const next = Buffer.allocUnsafe(unread_bytes + Math.max(chunk_bytes, unread_bytes))
    this.#buffer.copy(next, 0, from)
    const read = readSync(this.#file, next, unread_bytes, next.length - unread_bytes, this.#offset)
    if (read === 0) return false
    this.#buffer = next.subarray(0, unread_bytes + read)
    this.#offset += read
    this.#at -= from
    if (this.#start >= 0) this.#start = 0
    return true
  }
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
