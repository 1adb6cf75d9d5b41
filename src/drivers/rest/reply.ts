import type { Reply } from '../../net/http-client.ts'

const excerptMax_characters = 200

/** Whether a body is HTML or XML, such as a proxy's page or an error report. */
export function isMarkup(text: string): boolean {
  return text.trimStart().startsWith('<')
}

/**
 * An excerpt of an upstream's text for an error message: one line, short, and without URLs, which may contain a key.
 */
export function excerptOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text
    .replace(/\w{1,20}:\/\/\S+/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptMax_characters)
}

/** A reply without its API key, which some publishers repeat. It keeps the key out of messages and caches. */
export function redactKey(reply: Reply, key: string | null): Reply {
  if (key === null || key === '') return reply
  const bytes = Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength)
  const spellings = [key, encodeURIComponent(key)].filter((spelling) => bytes.includes(spelling))
  return spellings.length === 0
    ? reply
    : {
        ...reply,
        bytes: Buffer.from(spellings.reduce((text, spelling) => text.replaceAll(spelling, '…'), bytes.toString())),
      }
}
