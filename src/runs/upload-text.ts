import { detectDelimiter } from './upload-columns.ts'

const headerMax_characters = 65_536

/** Decodes an upload (UTF-8, or UTF-16 with a byte order mark) as it arrives, and detects its delimiter. */
export async function decodeUpload(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ texts: AsyncIterable<string>; delimiter: string }> {
  const texts = decodeTexts(bytes)[Symbol.asyncIterator]()
  const head = await readHead(texts)
  return { texts: prependHead(head, texts), delimiter: detectDelimiter(/^[^\r\n]*/.exec(head)![0]) }
}

/** Reads at least the first line, up to a limit. */
async function readHead(texts: AsyncIterator<string>): Promise<string> {
  let head = ''
  while (head.length < headerMax_characters) {
    const { value, done } = await texts.next()
    if (done) break
    head += value
    if (/[\r\n]/.test(value)) break
  }
  return head
}

async function* prependHead(head: string, texts: AsyncIterator<string>): AsyncGenerator<string> {
  yield head
  for (let next = await texts.next(); !next.done; next = await texts.next()) yield next.value
}

async function* decodeTexts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? 'utf-16le' : 'utf-8')
    yield decoder.decode(chunk, { stream: true })
  }
  if (decoder) yield decoder.decode()
}
