import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { ApiError } from '../../model/error.ts'
import { mediaTypeOf, readBodyText } from './body.ts'
import { html, type Html } from '../pages/page.ts'
import { requireSameOrigin } from './client-address.ts'
import { sessionSecretOf } from './guard.ts'

const formMax_bytes = 65_536

/** Returns the parameters of a form body. */
export async function readFormBody(request: Request): Promise<URLSearchParams> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
    throw new ApiError('unsupported_media_type', 'Unsupported Content-Type. Send application/x-www-form-urlencoded.')
  return new URLSearchParams(await readBodyText(request, formMax_bytes))
}

/** The session of a browser. `cookie` is set when `secret` is new; `account` is null when nobody is signed in. */
export type BrowserSession = { secret: string; account: Account | null; cookie: string | null }

export async function browserSessionOf(request: Request, app: App): Promise<BrowserSession> {
  const { sessions } = app.access
  const knownSecret = sessionSecretOf(request, app)
  const secret = knownSecret ?? sessions.createSecret()
  return {
    secret,
    account: await sessions.accountOf(knownSecret),
    cookie: knownSecret ? null : sessions.setCookieHeader(secret),
  }
}

/** Returns the hidden form field with the CSRF token. */
export function csrfField({ secret }: BrowserSession, { access: { sessions } }: App): Html {
  return html`<input type="hidden" name="csrf_token" value="${sessions.csrfToken(secret)}" />`
}

/** Returns a form of one of our own pages, and rejects a forged one (CSRF). */
export async function readProtectedForm(request: Request, app: App): Promise<URLSearchParams> {
  requireSameOrigin(request, app.config.base_url)
  const form = await readFormBody(request)
  if (app.access.sessions.isCsrfToken(sessionSecretOf(request, app), form.get('csrf_token') ?? '')) return form
  throw new ApiError(
    'origin_not_allowed',
    'Form expired or invalid. Go back, reload the page and submit it again. Cookies must be enabled.',
  )
}
