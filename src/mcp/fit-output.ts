import { isRecord } from '../model/record.ts'

/** What an agent is given at most: more would push out of its memory what it was asked for. */
export const outputMax_bytes = 50_000

/** To how many characters texts are shortened, until it fits. */
const textLimits = [4000, 1000, 300, 80]

/** The same shape, in at most so many bytes: long texts are shortened, and `shortened` says whether any was. */
export function fitOutput(output: Record<string, unknown>): Record<string, unknown> {
  const complete = { ...output, shortened: false }
  if (jsonBytesOf(complete) <= outputMax_bytes) return complete
  for (const step of textLimits) {
    const shorter = { ...(shortenTexts(output, step) as Record<string, unknown>), shortened: true }
    if (jsonBytesOf(shorter) <= outputMax_bytes) return shorter
  }
  throw new Error('The output of a tool cannot be made to fit.')
}

/** How many bytes a value takes as JSON. */
export function jsonBytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function shortenTexts(value: unknown, maxLength: number): unknown {
  if (typeof value === 'string') return value.length > maxLength ? `${value.slice(0, maxLength - 1)}…` : value
  if (Array.isArray(value)) return value.map((it) => shortenTexts(it, maxLength))
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, it]) => [name, shortenTexts(it, maxLength)]))
    : value
}
