import { ApiError } from '../model/error.ts'

/** Refuses a browser page of another name: a page may point its own name at this machine. Who sends no Origin is no page. */
export function requireAllowedOrigin({ headers }: Request, hosts: ReadonlySet<string>): void {
  const origin = headers.get('origin')
  if (origin !== null && !hosts.has(URL.parse(origin)?.hostname ?? '')) throw originNotAllowed()
}

/** Refuses what was not sent from a page of this very server, to the port. */
export function requireSameOrigin({ headers }: Request, base_url: string): void {
  const origin = URL.parse(headers.get('origin') ?? '')
  const isSame =
    origin !== null &&
    (origin.origin === new URL(base_url).origin || origin.host === headers.get('host')?.toLowerCase())
  if (!isSame) throw originNotAllowed()
}

function originNotAllowed(): ApiError {
  return new ApiError('origin_not_allowed', 'The request comes from a page of another server.')
}
