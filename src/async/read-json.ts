import type { TSchema } from '@sinclair/typebox'
import type { TaskSteps } from './incremental-task.ts'
import { ValidationError } from '../model/error.ts'
import { DescribedItems, DescribedMembers, describedMemberOf, skippedList, skippedObject } from './described-json.ts'

/** The text that is parsed at once. Parsing it takes one to three milliseconds. */
const piece_characters = 32_768

const quote = 34
const comma = 44
const backslash = 92
const [openingBracket, closingBracket, openingBrace, closingBrace] = [91, 93, 123, 125]
/** The length of an escape sequence such as \\u0041. */
const escapeMax_characters = 6

/**
 * How a text is read: the maximum depth of its lists and objects; the length after which the rest of a string may be
 * dropped; whether the text must be UTF-8 (if not, invalid bytes become U+FFFD); and what is called with each chunk
 * that was read.
 */
export type JsonOptions<Chunk extends Uint8Array = Uint8Array> = {
  depthMax: number
  stringMax_characters: number
  isUtf8Required: boolean
  onRead?: (chunk: Chunk) => void
}

/**
 * Parses a JSON text in steps. A text of one piece is returned as it is. Of a longer text, only the part that the
 * schema describes is kept, so that a text of any form takes little memory. A null schema keeps everything. Takes the
 * chunks out of the list.
 * @throws {ValidationError} `json_invalid`
 */
export function* readJson<Chunk extends Uint8Array>(
  chunks: Chunk[],
  schema: TSchema | null,
  options: JsonOptions<Chunk>,
): TaskSteps<unknown> {
  if (chunks.length === 1 && chunks[0]!.length <= piece_characters) return readWholeJson(chunks.pop()!, options)
  const text = new TextWindow(chunks, options)
  text.fill()
  if (text.isComplete && text.rest.length <= piece_characters) return parsePiece(text.rest, options)
  yield* skipBlanks(text)
  const value = yield* readValue(text, { schema, isKept: true, depth: 0, loc: ['body'] })
  yield* skipBlanks(text)
  if (text.rest !== '') throw notJsonError('there is text after the end')
  return value
}

/**
 * Parses a JSON text that is one small chunk, at once.
 * @throws {ValidationError} `json_invalid`
 */
export function readWholeJson<Chunk extends Uint8Array>(chunk: Chunk, options: JsonOptions<Chunk>): unknown {
  return parsePiece(decodeWhole(chunk, options), options)
}

/** A deeply nested text would block the parser for half a second. The scan rejects it first. */
function parsePiece(rest: string, { depthMax }: Pick<JsonOptions, 'depthMax'>): unknown {
  findCut({ rest, depthMax }, 0)
  return parseText(rest)
}

const strictDecoder = new TextDecoder('utf-8', { fatal: true })
const lenientDecoder = new TextDecoder()

function decodeWhole<Chunk extends Uint8Array>(chunk: Chunk, { isUtf8Required, onRead }: JsonOptions<Chunk>): string {
  try {
    return (isUtf8Required ? strictDecoder : lenientDecoder).decode(chunk)
  } catch {
    throw jsonError('The body is not UTF-8.')
  } finally {
    onRead?.(chunk)
  }
}

type Text = Pick<TextWindow, 'rest' | 'isComplete' | 'fill' | 'drop' | 'depthMax' | 'stringMax_characters'>

/** Where a value is, what is kept of it, and the number of lists and objects around it. */
type Place = { schema: TSchema | null; isKept: boolean; depth: number; loc: (string | number)[] }

/** The decoded text that is not read yet. `fill` decodes until it has a piece, or until the end of the body. */
class TextWindow<Chunk extends Uint8Array = Uint8Array> {
  readonly #chunks: Chunk[]
  readonly #decoder: TextDecoder
  readonly #onRead: JsonOptions<Chunk>['onRead']
  readonly depthMax: number
  readonly stringMax_characters: number
  rest = ''
  isComplete = false

  constructor(chunks: Chunk[], { depthMax, stringMax_characters, isUtf8Required, onRead }: JsonOptions<Chunk>) {
    this.#chunks = chunks
    this.#decoder = new TextDecoder('utf-8', { fatal: isUtf8Required })
    this.#onRead = onRead
    this.depthMax = depthMax
    this.stringMax_characters = stringMax_characters
  }

  fill(): void {
    const texts = [this.rest]
    let length = this.rest.length
    while (length <= piece_characters && !this.isComplete) {
      const chunk = this.#chunks.shift()
      const text = this.#decode(chunk)
      this.isComplete = chunk === undefined
      texts.push(text)
      length += text.length
    }
    if (texts.length > 1) this.rest = texts.join('')
  }

  drop(characters: number): void {
    this.rest = this.rest.slice(characters)
  }

  #decode(chunk: Chunk | undefined): string {
    try {
      return chunk ? this.#decoder.decode(chunk, { stream: true }) : this.#decoder.decode()
    } catch {
      throw jsonError('The body is not UTF-8.')
    } finally {
      if (chunk) this.#onRead?.(chunk)
    }
  }
}

function* readValue(text: Text, place: Place): TaskSteps<unknown> {
  text.fill()
  const [first = ''] = text.rest
  if (first === '[') return yield* readList(text, place)
  if (first === '{') return yield* readObject(text, place)
  if (first === '"') return yield* readString(text, place.isKept)
  const [token] = /^[^\s,\]}]*/.exec(text.rest)!
  if (token.length > piece_characters)
    throw jsonError(`The body has a number or a word of more than ${piece_characters} characters.`)
  text.drop(token.length)
  return parseText(token)
}

/** Reads a list: as many items at once as a piece has, or an item that is larger than a piece in steps. */
function* readList(text: Text, { schema, isKept, depth, loc }: Place): TaskSteps<unknown[]> {
  const list = new DescribedItems(schema, loc)
  const areItemsKept = isKept && list.isDescribed
  text.drop(1)
  for (let isFirst = true; ; isFirst = false) {
    yield
    yield* skipBlanks(text)
    const cut = findCut(text, depth + 1)
    if (cut === null) {
      const itemPlace = { schema: list.itemSchema, isKept: areItemsKept, depth: depth + 1, loc: [...loc, list.count] }
      const item = yield* readValue(text, itemPlace)
      if (areItemsKept) list.add([item])
      yield* skipBlanks(text)
    } else {
      const items = parseText(`[${text.rest.slice(0, cut.at)}]`) as unknown[]
      if (items.length === 0 && !(isFirst && cut.isEnd)) throw notJsonError('a list has a comma without an item')
      if (areItemsKept) list.add(items.map((item) => describedMemberOf(item, list.itemSchema)))
      text.drop(cut.at)
    }
    if (takeSeparator(text, ']')) return list.isDescribed ? list.items : skippedList
  }
}

/** Reads an object: as many members at once as a piece has, or a member that is larger than a piece in steps. */
function* readObject(text: Text, { schema, isKept, depth, loc }: Place): TaskSteps<object> {
  const object = new DescribedMembers(schema)
  text.drop(1)
  for (let isFirst = true; ; isFirst = false) {
    yield
    yield* skipBlanks(text)
    const cut = findCut(text, depth + 1)
    if (cut === null) {
      const name = yield* readName(text)
      const isMemberKept = isKept && object.describes(name)
      const place = { schema: object.schemaOf(name), isKept: isMemberKept, depth: depth + 1, loc: [...loc, name] }
      const value = yield* readValue(text, place)
      if (isMemberKept) object.add(name, value)
      yield* skipBlanks(text)
    } else {
      const members = parseText(`{${text.rest.slice(0, cut.at)}}`) as Record<string, unknown>
      const names = Object.keys(members)
      if (names.length === 0 && !(isFirst && cut.isEnd)) throw notJsonError('an object has a comma without a member')
      for (const name of isKept ? names.filter((it) => object.describes(it)) : [])
        object.add(name, describedMemberOf(members[name], object.schemaOf(name)))
      text.drop(cut.at)
    }
    if (takeSeparator(text, '}')) return object.isDescribed ? object.members : skippedObject
  }
}

/** Reads the name of a member and the colon after it. */
function* readName(text: Text): TaskSteps<string> {
  if (text.rest[0] !== '"') throw notJsonError('an object has a member without a name')
  const name = yield* readString(text, true)
  yield* skipBlanks(text)
  if (!text.rest.startsWith(':')) throw notJsonError('a name has no colon after it')
  text.drop(1)
  yield* skipBlanks(text)
  return name
}

function* readString(text: Text, isKept: boolean): TaskSteps<string> {
  const parts: string[] = []
  let read_characters = 0
  text.drop(1)
  for (;;) {
    yield
    text.fill()
    const end = endOfString(text.rest)
    const part = parseText(`"${text.rest.slice(0, end)}"`) as string
    if (isKept && read_characters < text.stringMax_characters) parts.push(part)
    read_characters += part.length
    const isEnd = text.rest.charCodeAt(end) === quote
    if (!isEnd && end >= text.rest.length) throw notJsonError('a string has no closing quote')
    text.drop(isEnd ? end + 1 : end)
    if (isEnd) return parts.join('')
  }
}

function* skipBlanks(text: Text): TaskSteps<void> {
  for (;;) {
    text.fill()
    const [blanks] = /^[ \t\n\r]*/.exec(text.rest)!
    text.drop(blanks.length)
    if (text.rest !== '' || text.isComplete) return
    yield
  }
}

/**
 * Returns the end of the list or object, or else the last comma between its items in this piece; null if the first item
 * is larger than the piece.
 */
function findCut(
  { rest, depthMax }: Pick<Text, 'rest' | 'depthMax'>,
  depth: number,
): { at: number; isEnd: boolean } | null {
  let level = 0
  let isInString = false
  let lastComma = -1
  const length = Math.min(rest.length, piece_characters)
  for (let i = 0; i < length; i++) {
    const code = rest.charCodeAt(i)
    if (isInString) {
      if (code === backslash) i++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === openingBracket || code === openingBrace) requireDepth(depth + ++level, depthMax)
    else if (code === closingBracket || code === closingBrace) {
      if (level-- === 0) return { at: i, isEnd: true }
    } else if (code === comma && level === 0) lastComma = i
  }
  return lastComma < 0 ? null : { at: lastComma, isEnd: false }
}

/** Returns the index of the closing quote, or else the end of a part that does not end within an escape sequence. */
function endOfString(text: string): number {
  let i = 0
  while (i < text.length && i < piece_characters - escapeMax_characters) {
    const code = text.charCodeAt(i)
    if (code === quote) return i
    if (code !== backslash) i++
    else i += text[i + 1] === 'u' ? escapeMax_characters : 2
  }
  return Math.min(i, text.length)
}

/** Takes a comma and returns false, or takes the closing bracket and returns true. */
function takeSeparator(text: Text, closing: string): boolean {
  const [found] = text.rest
  if (found !== ',' && found !== closing) throw notJsonError(`a comma or ${closing} is missing`)
  text.drop(1)
  return found === closing
}

function requireDepth(depth: number, depthMax: number): void {
  if (depth > depthMax) throw jsonError(`The JSON is nested more than ${depthMax} levels deep.`)
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJsonError((error as Error).message)
  }
}

function notJsonError(reason: string): ValidationError {
  return jsonError(`The body is not valid JSON: ${reason}.`)
}

function jsonError(msg: string): ValidationError {
  return new ValidationError([{ type: 'json_invalid', loc: ['body'], msg, input: null }])
}
