import type { ReceivedCall } from './stand-in.ts'

/** Returns the length of the longest chain of calls in which each began after the previous one ended. */
export function longestChain(calls: ReceivedCall[]): number {
  const byEnd = calls.toSorted((a, b) => a.ended_ms - b.ended_ms)
  const lengths: number[] = []
  for (const [i, { begun_ms }] of byEnd.entries()) {
    const before = byEnd.slice(0, i).flatMap((call, k) => (call.ended_ms <= begun_ms ? [lengths[k]!] : []))
    lengths.push(1 + Math.max(0, ...before))
  }
  return Math.max(0, ...lengths)
}
