import { detectDelimiter } from './upload-columns.ts'

const headerMax_characters = 65_536

/** A decoded upload. `firstLine` is the number of the line that the texts begin with. */
export type DecodedUpload = { texts: AsyncIterable<string>; delimiter: string; firstLine: number }

/**
 * Decodes an upload as it arrives, and detects its delimiter. Without `encoding`, the text is UTF-8 or UTF-16, or
 * Windows-1252 if its first character that is not ASCII is not UTF-8. A first line such as `sep=;` names the delimiter.
 */
export async function decodeUpload(bytes: AsyncIterable<Uint8Array>, encoding?: string): Promise<DecodedUpload> {
  const texts = decodeTexts(bytes, encoding)[Symbol.asyncIterator]()
  const head = await readHead(texts)
  const separator = /^sep=(.)(\r\n|\n|\r)/i.exec(head)
  const rest = separator ? head.slice(separator[0].length) : head
  return {
    texts: prependHead(rest, texts),
    delimiter: separator ? separator[1]! : detectDelimiter(/^[^\r\n]*/.exec(head)![0]),
    firstLine: separator ? 2 : 1,
  }
}

/** Whether the platform can decode an encoding. */
export function isKnownEncoding(encoding: string): boolean {
  try {
    decoderOf(encoding)
    return true
  } catch {
    return false
  }
}

/** Reads at least the first line, up to a limit. */
async function readHead(texts: AsyncIterator<string>): Promise<string> {
  let head = ''
  while (head.length < headerMax_characters) {
    const { value, done } = await texts.next()
    if (done) break
    head += value
    // After `sep=;`, a line break may be in two pieces.
    if (/[\r\n]/.test(head) && !/^sep=.\r?$/i.test(head)) break
  }
  return head
}

async function* prependHead(head: string, texts: AsyncIterator<string>): AsyncGenerator<string> {
  yield head
  for (let next = await texts.next(); !next.done; next = await texts.next()) yield next.value
}

async function* decodeTexts(bytes: AsyncIterable<Uint8Array>, encoding?: string): AsyncGenerator<string> {
  let decoder: TextDecoder | null = encoding === undefined ? null : decoderOf(encoding)
  /** The bytes of a character whose end has not arrived. */
  let pending: Uint8Array = new Uint8Array()
  let isStart = true
  for await (const chunk of bytes) {
    const piece: Uint8Array = pending.length === 0 ? chunk : joinBytes(pending, chunk)
    pending = new Uint8Array()
    if (isStart) decoder ??= utf16DecoderOf(piece)
    const first = decoder ? -1 : firstOtherThanAscii(piece)
    if (first >= 0 && piece.length - first < 4) {
      pending = Uint8Array.from(piece)
      continue
    }
    if (first >= 0) decoder = detectedDecoderOf(piece, first, isStart)
    isStart = false
    yield decoder ? decoder.decode(piece, { stream: true }) : asciiDecoder.decode(piece)
  }
  const first = firstOtherThanAscii(pending)
  decoder ??= detectedDecoderOf(pending, first, isStart)
  yield decoder.decode(pending)
}

/** Returns the index of the first byte that is not ASCII, or -1. Much faster than `findIndex`. */
function firstOtherThanAscii(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return i
  return -1
}

/** @throws {RangeError} if the platform does not know the encoding. */
function decoderOf(encoding: string): TextDecoder {
  return new TextDecoder(encoding as ConstructorParameters<typeof TextDecoder>[0])
}

function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

/** The decoder for the first character that is not ASCII. Only at the start is a byte order mark not a character. */
function detectedDecoderOf(piece: Uint8Array, first: number, isStart: boolean): TextDecoder {
  const isUtf8 = first < 0 || isUtf8At(piece, first)
  return new TextDecoder(isUtf8 ? 'utf-8' : 'windows-1252', { ignoreBOM: !isStart })
}

const asciiDecoder = new TextDecoder('utf-8')

function utf16DecoderOf([first, second]: Uint8Array): TextDecoder | null {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  return first === 0xfe && second === 0xff ? new TextDecoder('utf-16be') : null
}

/** Whether the bytes from an index on begin with one whole UTF-8 character. */
function isUtf8At(bytes: Uint8Array, index: number): boolean {
  const length = utf8Length(bytes[index]!)
  if (length === 0 || index + length > bytes.length) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(index, index + length))
    return true
  } catch {
    return false
  }
}

/** The length of a UTF-8 character by its first byte; 0 if no character of several bytes begins with it. */
function utf8Length(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 2
  if (byte >= 0xe0 && byte <= 0xef) return 3
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0
}
