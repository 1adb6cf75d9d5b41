import { UpstreamError } from '../model/error.ts'
import type { Reply } from '../net/http-client.ts'

const shownMax = 200

/** Whether a body is HTML or XML: a page of a proxy, a report of a fault. */
export function isMarkup(text: string): boolean {
  return text.trimStart().startsWith('<')
}

/** The JSON of a text that a publisher did not quite write as JSON; what breaks off is `bad_response`. */
export function jsonOf(text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UpstreamError('bad_response', `${host} answered with ${shown(text) || 'nothing'}, where JSON was expected.`, { cause })
  }
}

/** What an upstream said, fit to be shown: on one line, short, and with no address in it, which may hold a key. */
export function shown(said: unknown): string {
  const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '')
  return text.replace(/\w{1,20}:\/\/\S+/g, '…').replace(/\s+/g, ' ').trim().slice(0, shownMax)
}

/** A reply without the API key it was asked with, which some publishers repeat: so it comes into no message and is kept nowhere. */
export function withoutKey(reply: Reply, key: string | null): Reply {
  if (key === null || key === '') return reply
  const bytes = Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength)
  const forms = [key, encodeURIComponent(key)].filter((form) => bytes.includes(form))
  return forms.length === 0 ? reply : { ...reply, bytes: Buffer.from(forms.reduce((text, form) => text.replaceAll(form, '…'), bytes.toString())) }
}
