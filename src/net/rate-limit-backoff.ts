import { UpstreamError } from '../model/error.ts'
import { formatTimeAfter, type Clock } from './clock.ts'
import { createHostMap } from './host-map.ts'

const maxBackoff_s = 3600
const defaultBackoff_s = 30

/** Holds back calls to hosts that returned a rate limit. */
export type RateLimitBackoff = {
  /** Throws `rate_limited` during the backoff of the host. */
  throwIfLimited(host: string): void
  /** Records a response. A 429, and a 503 with Retry-After, start a backoff. */
  recordResponse(host: string, status: number, headers: Headers): void
}

/** Creates a backoff of at most one hour; 30 seconds if a 429 has no valid Retry-After. */
export function createRateLimitBackoff(clock: Clock): RateLimitBackoff {
  const backoffs = createHostMap(() => ({ until_ms: -Infinity }))
  return {
    throwIfLimited(host) {
      const remaining_ms = (backoffs.find(host)?.until_ms ?? -Infinity) - clock.monotonic_ms()
      if (remaining_ms > 0)
        throw new UpstreamError(
          'rate_limited',
          `${host} limits requests. The next attempt is at ${formatTimeAfter(remaining_ms, clock)}.`,
        )
    },
    recordResponse(host, status, headers) {
      if (status !== 429 && status !== 503) return
      const backoff_s = parseRetryAfter_s(headers, clock.now()) ?? (status === 429 ? defaultBackoff_s : 0)
      const backoff = backoffs.getOrCreate(host)
      backoff.until_ms = Math.max(backoff.until_ms, clock.monotonic_ms() + 1000 * Math.min(maxBackoff_s, backoff_s))
    },
  }
}

/** The seconds of a Retry-After header in either form (delay or date). `null` if it is missing or invalid. */
function parseRetryAfter_s(headers: Headers, now: Date): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text)
  const date_ms = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date_ms) ? null : Math.max(0, (date_ms - now.getTime()) / 1000)
}
