import { UpstreamError } from '../model/error.ts'
import { timeIn, type Clock } from './clock.ts'
import { perHost } from './per-host.ts'

const pauseMax_s = 3600
const pauseOf429_s = 30

/** Hosts that have asked to be left alone for a time. */
export type Pauses = {
  /** Throws `rate_limited` while the host's pause lasts. */
  check(host: string): void
  /** Takes note of an answer: 429, and 503 that names a time, begin a pause. */
  heed(host: string, status: number, headers: Headers): void
}

/** A pause is an hour at most, and half a minute where a host names none. */
export function openPauses(clock: Clock): Pauses {
  const pauses = perHost(() => ({ until_ms: -Infinity }))
  return {
    check(host) {
      const left_ms = (pauses.known(host)?.until_ms ?? -Infinity) - clock.monotonic_ms()
      if (left_ms > 0) throw new UpstreamError('rate_limited', `${host} has asked to be left alone until ${timeIn(left_ms, clock)}.`)
    },
    heed(host, status, headers) {
      if (status !== 429 && status !== 503) return
      const pause_s = retryAfter_s(headers, clock.now()) ?? (status === 429 ? pauseOf429_s : 0)
      const pause = pauses.of(host)
      pause.until_ms = Math.max(pause.until_ms, clock.monotonic_ms() + 1000 * Math.min(pauseMax_s, pause_s))
    },
  }
}

/** The seconds until the time of a Retry-After header, in either of its two forms; `null` where it says nothing that can be read. */
function retryAfter_s(headers: Headers, now: Date): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text)
  const date_ms = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date_ms) ? null : Math.max(0, (date_ms - now.getTime()) / 1000)
}
