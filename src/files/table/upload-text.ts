import { findHeaderLine } from './header-line.ts'

const headMax_characters = 65_536

/**
 * A decoded upload, from its header on. `firstLine` is the number of the line that the texts begin with; 0 if the
 * header was added. `encoding` is known after the last text.
 */
export type DecodedUpload = {
  texts: AsyncIterable<string>
  delimiter: string
  firstLine: number
  encoding(): string
}

/** What the user says about a text. */
type TextFormat = {
  encoding?: string | undefined
  delimiter?: string | undefined
  header_row?: number | undefined
  /** The header is answered before more lines arrive: it is the first line. */
  isLive?: boolean | undefined
}

/**
 * Decodes an upload as it arrives, and finds its delimiter and its header. Without `encoding`, the text is UTF-8 or
 * UTF-16, or Windows-1252 if its first character that is not ASCII is not UTF-8. A first line such as `sep=;` names the
 * delimiter.
 */
export async function decodeUpload(bytes: AsyncIterable<Uint8Array>, format: TextFormat = {}): Promise<DecodedUpload> {
  const decoding = new TextDecoding(format.encoding)
  return { ...(await startAtHeader(decoding.texts(bytes), format)), encoding: () => decoding.encoding }
}

/** Finds the header of a text and its delimiter. */
export async function startAtHeader(
  pieces: AsyncIterable<string>,
  format: Omit<TextFormat, 'encoding'>,
): Promise<Omit<DecodedUpload, 'encoding'>> {
  const texts = pieces[Symbol.asyncIterator]()
  const head = await readHead(texts, format.isLive === true)
  const separator = /^sep=(.)(\r\n|\n|\r)/i.exec(head)
  const rest = separator ? head.slice(separator[0].length) : head
  const linesBefore = separator ? 1 : 0
  const header = findHeaderLine(rest.slice(0, headMax_characters), {
    delimiter: format.delimiter ?? separator?.[1],
    header_row: format.header_row && format.header_row - linesBefore,
  })
  const named = format.header_row === 0 ? numberedHeader(rest, header.delimiter) : ''
  const text = `${named}${rest.slice(header.at)}`
  return {
    texts: prependHead(withoutFormatLine(text), texts),
    delimiter: header.delimiter,
    firstLine: header.line + linesBefore - (named === '' ? 0 : 1),
  }
}

/** Removes the line below the header of an RDB file of USGS, with widths and types such as `5s` and `20d`. */
function withoutFormatLine(text: string): string {
  const header = /^[^\r\n]*(?:\r\n|\n|\r)/.exec(text)?.[0] ?? ''
  if (!header.includes('\t')) return text
  return header + text.slice(header.length).replace(/^\d{1,3}[sdn](?:\t\d{1,3}[sdn])+(?=[\r\n])/, '')
}

/** A header for a text without one: `column_1` and so on. */
function numberedHeader(text: string, delimiter: string): string {
  const cells = /^[^\r\n]*/.exec(text)![0].split(delimiter)
  return `${cells.map((_, i) => `column_${i + 1}`).join(delimiter)}\n`
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

/** Reads the beginning of a text, up to a limit. `isLive`: at least the first line. */
async function readHead(texts: AsyncIterator<string>, isLive: boolean): Promise<string> {
  let head = ''
  while (head.length < headMax_characters) {
    const { value, done } = await texts.next()
    if (done) break
    head += value
    // After `sep=;`, a line break may be in two pieces.
    if (isLive && /[\r\n]/.test(head) && !/^sep=.\r?$/i.test(head)) break
  }
  return head
}

async function* prependHead(head: string, texts: AsyncIterator<string>): AsyncGenerator<string> {
  yield head
  for (let next = await texts.next(); !next.done; next = await texts.next()) yield next.value
}

/** Decodes bytes. Without an encoding, it is detected. */
export class TextDecoding {
  #decoder: TextDecoder | null

  constructor(encoding: string | undefined) {
    this.#decoder = encoding === undefined ? null : decoderOf(encoding)
  }

  /** The encoding of the text so far. */
  get encoding(): string {
    return this.#decoder?.encoding ?? 'utf-8'
  }

  async *texts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
    /** The bytes of a character, or of the beginning, whose end has not arrived. */
    let pending: Uint8Array = new Uint8Array()
    let isStart = true
    for await (const chunk of bytes) {
      const piece: Uint8Array = pending.length === 0 ? chunk : joinBytes(pending, chunk)
      pending = new Uint8Array()
      if (isStart && piece.length < 4) {
        pending = Uint8Array.from(piece)
        continue
      }
      if (isStart) this.#decoder ??= utf16DecoderOf(piece)
      const first = this.#decoder ? -1 : firstOtherThanAscii(piece)
      if (first >= 0 && piece.length - first < 4) {
        pending = Uint8Array.from(piece)
        continue
      }
      if (first >= 0) this.#decoder = detectedDecoderOf(piece, first, isStart)
      isStart = false
      yield this.#decoder ? this.#decoder.decode(piece, { stream: true }) : asciiDecoder.decode(piece)
    }
    if (isStart) this.#decoder ??= utf16DecoderOf(pending)
    const first = firstOtherThanAscii(pending)
    this.#decoder ??= detectedDecoderOf(pending, first, isStart)
    yield this.#decoder.decode(pending)
  }
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

/** UTF-16 by its byte order mark, or by the zero bytes of its first two characters; null for other encodings. */
export function utf16EncodingOf([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && third !== 0 && fourth === 0))
    return 'utf-16le'
  const isBigEndian =
    (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && third === 0 && fourth !== 0)
  return isBigEndian ? 'utf-16be' : null
}

function utf16DecoderOf(bytes: Uint8Array): TextDecoder | null {
  const encoding = utf16EncodingOf(bytes)
  return encoding && new TextDecoder(encoding)
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
