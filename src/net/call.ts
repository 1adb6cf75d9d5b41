/** A call to an upstream server. `url` is the publisher's address; the transport applies the mirror. */
export type Call = {
  url: string
  method?: 'GET' | 'POST'
  body?: string
  headers?: Record<string, string>
  /** The maximum size of the decompressed body. A larger body is `too_large`. Default: 16 MiB. Maximum: 64 MiB. */
  cap_bytes?: number
  /** Statuses outside 2xx that the caller handles (404 for a missing tile). All others throw. */
  acceptedStatuses?: readonly number[]
  /** Every call is billed, so it is never retried or hedged. */
  metered?: boolean
  /** Whether the publisher asks for the mail address of the operator, in the header From. */
  withContact?: boolean
  /** Whether an identical second call may be sent if the first is slower than most. */
  hedge?: boolean
  /**
   * Whether identical concurrent calls share one request, because several datasets make the same call. Never set for
   * billed calls.
   */
  deduplicate?: boolean
}

/** A POST request with a form, for parameters that are too long for a URL. */
export function formCall(url: string, form: Record<string, string>): Call {
  return {
    url,
    method: 'POST',
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}

/** A response with its complete, decompressed body. */
export type Reply = { status: number; headers: Headers; bytes: Uint8Array }

/** The recent health of a host. */
export type HostHealth = {
  host: string
  circuit: 'closed' | 'open' | 'half_open'
  last_success: Date | null
  latency_ms: number | null
  failure: HostFailure | null
}

/** The error of the last call to a host, the first one without a success since, and when a suspended host is tried. */
export type HostFailure = { error: string; since: Date; next_try: Date | null }

/** Receives an event when the circuit of a host opens or closes. */
export type HttpClientLog = { info(event: string, details?: Record<string, unknown>): void }

/**
 * Durations use the monotonic clock, which clock corrections do not affect. `now` is only for times that people read.
 */
export type Clock = { now: () => Date; monotonic_ms: () => number }

/** Formats the time `ms` milliseconds from now for messages, rounded up to a second. */
export function formatTimeAfter(ms: number, { now }: Clock): string {
  return new Date(Math.ceil((now().getTime() + ms) / 1000) * 1000).toISOString().replace('.000Z', '+00:00')
}

/** The program, the public URL of its server, and the mail address of its operator, if it is known. */
type Caller = { version: string; base_url: string; contact: string | null }

/** Returns the User-Agent of requests to publishers, who can find the operator by it. */
export function userAgentOf({ version, base_url, contact }: Caller): string {
  return `Fieldstone/${version} (+${base_url}${contact === null ? '' : `; ${contact}`})`
}
