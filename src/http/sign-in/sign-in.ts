import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { ownerId, type Account } from '../../auth/accounts.ts'
import { signInLinkLifetime_minutes } from '../../auth/sign-in-link.ts'
import { passwordMax_characters, passwordMin_characters } from '../../auth/users.ts'
import { ApiError } from '../../model/error.ts'
import { clientAddress, isFromThisMachine } from '../request/client-address.ts'
import { csrfField, readProtectedForm, browserSessionOf, type BrowserSession } from '../request/form.ts'
import { redirectTo, html, renderPage, type Html } from '../pages/page.ts'
import { sessionSecretOf } from '../request/guard.ts'

/** Sign-in, sign-out, and the page where an invited user sets a password. */
export const signInRoutes = (app: App) =>
  new Elysia()
    .get('/sign-in', async ({ request, query }) =>
      signInPage(await browserSessionOf(request, app), query.next ?? '/', app),
    )
    .post('/sign-in', ({ request, server }) => signIn(request, server, app))
    .get('/sign-in/:code', ({ request, server, params: { code } }) => signInByLink(request, code, server, app))
    .post('/sign-out', async ({ request }) => {
      await readProtectedForm(request, app)
      const { sessions } = app.access
      const secret = sessionSecretOf(request, app)
      if (secret !== null) await sessions.end(secret)
      return redirectTo('/sign-in', sessions.setCookieHeader(null))
    })
    .get('/invitation/:code', async ({ request, params: { code } }) =>
      invitationPage(await browserSessionOf(request, app), code, app),
    )
    .post('/invitation/:code', async ({ request, params: { code } }) => {
      const form = await readProtectedForm(request, app)
      const password = (form.get('password') ?? '').normalize('NFC')
      const length = [...password].length
      if (length < passwordMin_characters || length > passwordMax_characters)
        return invitationPage(await browserSessionOf(request, app), code, app, {
          message: `The password must have ${passwordMin_characters} to ${passwordMax_characters} characters.`,
          status: 400,
        })
      const account = await app.access.users.acceptInvitation(code, password)
      if (!account) return invitationPage(await browserSessionOf(request, app), code, app)
      return beginSession(account, '/', request, app)
    })

type HttpServer = Parameters<typeof clientAddress>[1]

async function signIn(request: Request, server: HttpServer, app: App): Promise<Response> {
  const form = await readProtectedForm(request, app)
  const next = form.get('next') ?? '/'
  try {
    const account = await app.access.users.signIn(
      (form.get('name') ?? '').trim(),
      form.get('password') ?? '',
      clientAddress(request, server, app.config.isTrustedProxy),
    )
    if (!account)
      return signInPage(await browserSessionOf(request, app), next, app, {
        message: 'Wrong name or password.',
        status: 401,
      })
    return await beginSession(account, isLocalPath(next) ? next : '/', request, app)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited')
      return signInPage(await browserSessionOf(request, app), next, app, {
        message: error.message,
        status: 429,
        retry_after_s: Number(error.context.retry_after_s),
      })
    throw error
  }
}

/** Signs the owner in with the link that `serve` printed, in a browser on the same machine. */
async function signInByLink(request: Request, code: string, server: HttpServer, app: App): Promise<Response> {
  const { signInLink } = app.access
  if (!isFromThisMachine(request, server?.requestIP(request) ?? null))
    return renderPage(
      { title: 'Not on this machine', status: 403 },
      html`<p>This link works only in a browser on the machine of the server, without a proxy.</p>
        <p><a href="/sign-in">Sign in</a> with a token or a password.</p>`,
    )
  const owner = await app.access.accounts.byId(ownerId)
  // A browser may request a link before the user opens it, and a HEAD request does not sign in.
  const isOpened = request.method === 'GET' && !/prefetch/i.test(request.headers.get('sec-purpose') ?? '')
  if (!owner || !isOpened || !(await signInLink.redeem(code)))
    return renderPage(
      { title: 'Invalid link', status: 404 },
      html`<p>
          The link was used, is older than ${String(signInLinkLifetime_minutes)} minutes, or was made by an earlier
          start of the server. To get a new link, restart the server with <code>--open</code>.
        </p>
        <p><a href="/sign-in">Sign in</a> with a token or a password.</p>`,
    )
  return beginSession(owner, '/', request, app)
}

/** Signs the browser in, and opens a path. */
async function beginSession(account: Account, path: string, request: Request, app: App): Promise<Response> {
  const { sessions } = app.access
  const secret = await sessions.begin(account, sessionSecretOf(request, app))
  return redirectTo(path, sessions.setCookieHeader(secret))
}

/** Returns the sign-in page. `next` is the path to open after sign-in. */
export function signInPage(session: BrowserSession, next: string, app: App, error?: FormError): Response {
  return renderPage(
    { title: 'Sign in', cookie: session.cookie, ...pageOptionsOf(error) },
    html` ${alertHtml(error)}
      <form method="post" action="/sign-in">
        ${csrfField(session, app)}<input type="hidden" name="next" value="${next}" />
        <div class="field">
          <label for="name">Name</label
          ><input
            id="name"
            name="name"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            maxlength="100"
            autofocus
          />
        </div>
        <div class="field">
          <label for="password">Password or token</label
          ><input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            maxlength="${String(passwordMax_characters)}"
            aria-describedby="password_hint"
          /><span class="soft" id="password_hint"
            >To sign in with an API token that has all your scopes, leave the name empty.</span
          >
        </div>
        <button class="main">Sign in</button>
      </form>
      <p class="soft">
        The owner of this server signs in with the token or the link that was printed at the first start. Everyone else
        needs an invitation.
      </p>`,
  )
}

type FormError = { message: string; status: number; retry_after_s?: number }

async function invitationPage(session: BrowserSession, code: string, app: App, error?: FormError): Promise<Response> {
  const account = await app.access.users.invitedAccount(code)
  if (!account)
    return renderPage(
      { title: 'Invalid link', status: 404 },
      html`<p>
          The link was used, is older than a week, or is not from this server. Ask the owner of this server for a new
          one.
        </p>
        <p><a href="/sign-in">Sign in</a></p>`,
    )
  return renderPage(
    { title: 'Set your password', cookie: session.cookie, ...pageOptionsOf(error) },
    html` ${alertHtml(error)}
      <p>Account: <strong>${account.name}</strong></p>
      <form method="post">
        ${csrfField(session, app)}<input
          type="hidden"
          name="username"
          autocomplete="username"
          value="${account.name}"
        />
        <div class="field">
          <label for="password">New password</label
          ><input
            id="password"
            name="password"
            type="password"
            autocomplete="new-password"
            required
            minlength="${String(passwordMin_characters)}"
            maxlength="${String(passwordMax_characters)}"
            aria-describedby="password_hint"
          /><span class="soft" id="password_hint"
            >At least ${String(passwordMin_characters)} characters. A sentence is a good choice.</span
          >
        </div>
        <button class="main">Set password and sign in</button>
      </form>
      <p class="soft">This link works once. Use your name and this password to sign in from now on.</p>`,
  )
}

function pageOptionsOf(error: FormError | undefined) {
  return error
    ? { status: error.status, ...(error.retry_after_s !== undefined && { retry_after_s: error.retry_after_s }) }
    : {}
}

function alertHtml(error: FormError | undefined): Html {
  return error ? html`<p role="alert">${error.message}</p>` : html``
}

/** Reports whether a redirect target is a local path that no browser can read as another host. */
function isLocalPath(next: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.includes('\\')
}
