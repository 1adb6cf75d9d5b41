import type { App } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import { ApiError } from '../model/error.ts'
import { bodyChunks, mediaTypeOf } from './body.ts'
import { html, type Html } from './page.ts'
import { requireSameOrigin } from './origin.ts'

const formMax_bytes = 65_536

/** The parameters of a form that was sent. */
export async function readFormBody(request: Request): Promise<URLSearchParams> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
    throw new ApiError('unsupported_media_type', 'The body is sent as application/x-www-form-urlencoded.')
  return new URLSearchParams(Buffer.concat(await Array.fromAsync(bodyChunks(request, formMax_bytes))).toString('utf8'))
}

/** Who looks at a page: the secret of their browser, which is new when it came without one, and who they are when they are signed in. */
export type BrowserSession = { secret: string; account: Account | null; cookie: string | null }

export function browserSessionOf({ headers }: Request, { access: { sessions } }: App): BrowserSession {
  const knownSecret = sessions.secretFromCookie(headers.get('cookie'))
  const secret = knownSecret ?? sessions.createSecret()
  return {
    secret,
    account: sessions.accountOf(knownSecret),
    cookie: knownSecret ? null : sessions.setCookieHeader(secret),
  }
}

/** The field by which a form is known to be ours. */
export function csrfField({ secret }: BrowserSession, { access: { sessions } }: App): Html {
  return html`<input type="hidden" name="csrf_token" value="${sessions.csrfToken(secret)}" />`
}

/** The form that one of our own pages sent, in the browser it was shown in; a forgery is refused. */
export async function readProtectedForm(request: Request, app: App): Promise<URLSearchParams> {
  requireSameOrigin(request, app.config.base_url)
  const form = await readFormBody(request)
  const { sessions } = app.access
  if (!sessions.isCsrfToken(sessions.secretFromCookie(request.headers.get('cookie')), form.get('csrf_token') ?? '')) {
    throw new ApiError(
      'origin_not_allowed',
      'This form is too old, or was not made here: go back, reload the page and send it again. The browser must take cookies.',
    )
  }
  return form
}
