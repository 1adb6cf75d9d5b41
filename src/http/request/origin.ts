import { ApiError } from '../../model/error.ts'

/** The hosts of this server, and the origins of FIELDSTONE_CORS_ORIGINS. */
export type AllowedPages = { hosts: ReadonlySet<string>; origins: readonly string[] }

/**
 * Rejects requests from pages of other hosts. This stops DNS rebinding, where a page points its own name at this
 * machine. Requests without an Origin do not come from a page.
 */
export function requireAllowedOrigin({ headers }: Request, { hosts, origins }: AllowedPages): void {
  const origin = headers.get('origin')
  if (origin === null || origins.includes('*') || origins.includes(origin)) return
  if (!hosts.has(URL.parse(origin)?.hostname ?? ''))
    throw new ApiError(
      'origin_not_allowed',
      `The origin ${JSON.stringify(origin.slice(0, 100))} is not allowed. To allow its pages, add it to FIELDSTONE_CORS_ORIGINS.`,
    )
}

/** Rejects requests that do not come from a page of this server, including its port. */
export function requireSameOrigin({ headers }: Request, base_url: string): void {
  const origin = URL.parse(headers.get('origin') ?? '')
  const isSame =
    origin !== null &&
    (origin.origin === new URL(base_url).origin || origin.host === headers.get('host')?.toLowerCase())
  if (!isSame)
    throw new ApiError(
      'origin_not_allowed',
      'The Origin header is missing or names another server. Send the request from a page of this server.',
    )
}
