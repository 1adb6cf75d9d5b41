/**
 * Durations use the monotonic clock, which clock corrections do not affect. `now` is only for times that people read.
 */
export type Clock = { now: () => Date; monotonic_ms: () => number }

/** Formats the time `ms` milliseconds from now for messages, rounded up to a second. */
export function formatTimeAfter(ms: number, { now }: Clock): string {
  return new Date(Math.ceil((now().getTime() + ms) / 1000) * 1000).toISOString().replace('.000Z', '+00:00')
}
