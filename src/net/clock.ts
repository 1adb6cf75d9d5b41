/** Spans are measured by the monotonic clock, which no correction of the time of day can move; `now` is only for what people read. */
export type Clock = { now: () => Date; monotonic_ms: () => number }

/** The time of day so many milliseconds from now, as it is written into messages. */
export function formatTimeAfter(ms: number, { now }: Clock): string {
  return new Date(Math.ceil((now().getTime() + ms) / 1000) * 1000).toISOString().replace('.000Z', '+00:00')
}
