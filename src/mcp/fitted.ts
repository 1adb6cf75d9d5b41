import { isRecord } from '../model/record.ts'

/** What an agent is given at most: more would push out of its memory what it was asked for. */
export const outputMax_bytes = 50_000

/** To how many characters texts are shortened, until it fits. */
const steps = [4000, 1000, 300, 80]

/** The same shape, in at most so many bytes: long texts are shortened, and `shortened` says whether any was. */
export function fitted(output: Record<string, unknown>): Record<string, unknown> {
  const whole = { ...output, shortened: false }
  if (bytesOf(whole) <= outputMax_bytes) return whole
  for (const step of steps) {
    const shorter = { ...(cut(output, step) as Record<string, unknown>), shortened: true }
    if (bytesOf(shorter) <= outputMax_bytes) return shorter
  }
  throw new Error('The output of a tool cannot be made to fit.')
}

/** How many bytes a value takes as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length > most ? `${value.slice(0, most - 1)}…` : value
  if (Array.isArray(value)) return value.map((it) => cut(it, most))
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, it]) => [name, cut(it, most)])) : value
}
