import type { App } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import { ApiError } from '../model/error.ts'
import { bytesOf, mediaTypeOf } from './body.ts'
import { html, type Html } from './page.ts'
import { mustBeSameOrigin } from './origin.ts'

const formMax_bytes = 65_536

/** The parameters of a form that was sent. */
export async function formOf(request: Request): Promise<URLSearchParams> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded') throw new ApiError('unsupported_media_type', 'The body is sent as application/x-www-form-urlencoded.')
  return new URLSearchParams(Buffer.concat(await Array.fromAsync(bytesOf(request, formMax_bytes))).toString('utf8'))
}

/** Who looks at a page: the secret of their browser, which is new when it came without one, and who they are when they are signed in. */
export type Visit = { secret: string; account: Account | null; cookie: string | null }

export function visitOf({ headers }: Request, { access: { sessions } }: App): Visit {
  const known = sessions.secretIn(headers.get('cookie'))
  const secret = known ?? sessions.visitor()
  return { secret, account: sessions.accountOf(known), cookie: known ? null : sessions.cookie(secret) }
}

/** The field by which a form is known to be ours. */
export function formField({ secret }: Visit, { access: { sessions } }: App): Html {
  return html`<input type="hidden" name="form_token" value="${sessions.formToken(secret)}">`
}

/** The form that one of our own pages sent, in the browser it was shown in; a forgery is refused. */
export async function ownForm(request: Request, app: App): Promise<URLSearchParams> {
  mustBeSameOrigin(request, app.config.base_url)
  const form = await formOf(request)
  const { sessions } = app.access
  if (!sessions.isFormToken(sessions.secretIn(request.headers.get('cookie')), form.get('form_token') ?? '')) {
    throw new ApiError('origin_not_allowed', 'This form is too old, or was not made here: go back, reload the page and send it again. The browser must take cookies.')
  }
  return form
}
