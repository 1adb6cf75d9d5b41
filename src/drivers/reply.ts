import { UpstreamError } from '../model/error.ts'
import type { Reply } from '../net/http-client.ts'

const excerptMax_characters = 200

/** Whether a body is HTML or XML: a page of a proxy, a report of a fault. */
export function isMarkup(text: string): boolean {
  return text.trimStart().startsWith('<')
}

/** The JSON of a text that a publisher did not quite write as JSON; what breaks off is `bad_response`. */
export function parseJsonText(text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UpstreamError(
      'bad_response',
      `${host} answered with ${excerptOf(text) || 'nothing'}, where JSON was expected.`,
      { cause },
    )
  }
}

/** What an upstream said, fit to be shown: on one line, short, and with no address in it, which may hold a key. */
export function excerptOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text
    .replace(/\w{1,20}:\/\/\S+/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptMax_characters)
}

/** A reply without the API key it was asked with, which some publishers repeat: so it comes into no message and is kept nowhere. */
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
