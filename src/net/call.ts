/** One question to another server. The URL is the publisher's own; a mirror is put in front of it further down. */
export type Call = {
  url: string
  method?: 'GET' | 'POST'
  body?: string
  headers?: Record<string, string>
  /** The most bytes that are read of the answer; more is `too_large`. */
  cap_bytes?: number
  /** Statuses beyond 2xx that the caller reads itself (404 for a tile that is not there); all others are thrown. */
  acceptedStatuses?: readonly number[]
  /** Every call is billed: never asked a second time. */
  metered?: boolean
  /** A second, equal call may be sent when the first is slower than most. */
  hedge?: boolean
  /** Other datasets make this very call too: those under way at one time are one. Never for what is billed. */
  deduplicate?: boolean
}

/** What came back: `bytes` is the whole body. */
export type Reply = { status: number; headers: Headers; bytes: Uint8Array }

/** How a host has done of late. */
export type HostHealth = {
  host: string
  circuit: 'closed' | 'open' | 'half_open'
  last_success: Date | null
  latency_ms: number | null
}

/** What is told of hosts that come and go. */
export type HttpClientLog = { info(event: string, details?: Record<string, unknown>): void }
