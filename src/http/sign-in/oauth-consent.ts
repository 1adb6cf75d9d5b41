import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { grantableScopes, type AuthorizationRequest } from '../../auth/authorization.ts'
import { OAuthError, type RedirectTarget } from '../../auth/oauth-error.ts'
import { resourceUrl } from '../../auth/oauth-parameters.ts'
import type { Scope } from '../../auth/scope.ts'
import { scopeDescriptions } from '../../web/account/scope-descriptions.ts'
import { csrfField, readProtectedForm, browserSessionOf, type BrowserSession } from '../request/form.ts'
import { html, redirectTo, renderPage, type Html } from '../pages/page.ts'
import { signInPage } from './sign-in.ts'

const queryMax_characters = 8000

/** The page where a user approves an OAuth client. */
export const consentRoutes = (app: App) =>
  new Elysia()
    .get('/oauth/authorize', async ({ request }) => {
      const { search, searchParams } = new URL(request.url)
      const session = await browserSessionOf(request, app)
      const { account } = session
      return withAuthorizationRequest(
        searchParams,
        app,
        (authorizationRequest) =>
          account
            ? consentPage({ session, account, authorizationRequest, search }, app)
            : signInPage(session, `/oauth/authorize${search}`, app),
        session,
      )
    })
    .post('/oauth/authorize', async ({ request }) => {
      const form = await readProtectedForm(request, app)
      const session = await browserSessionOf(request, app)
      const { account } = session
      const search = form.get('query') ?? ''
      if (!account) return signInPage(session, `/oauth/authorize${search}`, app)
      return withAuthorizationRequest(
        new URLSearchParams(search),
        app,
        async (authorizationRequest) =>
          redirectTo(
            form.get('decision') === 'yes'
              ? await app.access.authorization.approve(authorizationRequest, account)
              : denialUrl(authorizationRequest, app),
          ),
        session,
      )
    })

/**
 * Parses the request and reports errors: to the client if its redirect_uri is validated, else on a page. A client
 * document is fetched for signed-in users only.
 */
async function withAuthorizationRequest(
  parameters: URLSearchParams,
  app: App,
  respond: (authorizationRequest: AuthorizationRequest) => Response | Promise<Response>,
  session: BrowserSession,
): Promise<Response> {
  const { authorization } = app.access
  if (parameters.toString().length > queryMax_characters)
    return invalidRequestPage('The authorization request is too long.')
  if (!session.account && (parameters.get('client_id') ?? '').startsWith('https://'))
    return signInPage(session, `/oauth/authorize?${parameters.toString()}`, app)
  try {
    return await respond(await authorization.parse(parameters, session.account?.id ?? 'nobody'))
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return hasRedirectTarget(error) ? redirectTo(authorization.errorRedirect(error)) : invalidRequestPage(error.message)
  }
}

function hasRedirectTarget(error: OAuthError): error is OAuthError & { redirectTarget: RedirectTarget } {
  return error.redirectTarget !== null
}

function invalidRequestPage(message: string): Response {
  return renderPage(
    { title: 'Invalid authorization request', status: 400 },
    html`<p role="alert">${message}</p>
      <p>The app that sent you here made an invalid request. It has no access.</p>
      <p><a href="/">Go to the start page</a></p>`,
  )
}

function denialUrl({ redirect_uri, state }: AuthorizationRequest, { access: { authorization } }: App): string {
  return authorization.errorRedirect(
    Object.assign(new OAuthError('access_denied', 'The user denied the request.'), {
      redirectTarget: { redirect_uri, state },
    }),
  )
}

type Consent = { session: BrowserSession; account: Account; authorizationRequest: AuthorizationRequest; search: string }

function consentPage({ session, account, authorizationRequest, search }: Consent, app: App): Response {
  const { client, redirect_uri, scopes, resource } = authorizationRequest
  const { origin, host } = new URL(redirect_uri)
  // A content security policy cannot name an IPv6 address.
  const formTarget = host.startsWith('[') ? 'http:' : origin
  return renderPage(
    { title: 'Allow access?', cookie: session.cookie, formTarget },
    html` <p>
        ${html`<strong>${client.name}</strong>`} (${client.verifiedHost ?? 'unverified name'}) wants to use this server
        as
        <strong>${account.name}</strong>. It will be able to:
      </p>
      ${scopeList(grantableScopes(account, scopes))}
      <dl>
        <dt>Redirects to</dt>
        <dd>${host}</dd>
        <dt>Resource</dt>
        <dd>${resourceUrl(app.config.base_url, resource)}</dd>
      </dl>
      ${client.verifiedHost === null ? html`<p class="notice">The name is not verified: any app can use it. Allow access only if you started this login yourself.</p>` : html``}
      <form method="post" action="/oauth/authorize">
        ${csrfField(session, app)}<input type="hidden" name="query" value="${search}" />
        <div class="buttons">
          <button class="main" name="decision" value="yes">Allow</button
          ><button name="decision" value="no">Deny</button>
        </div>
      </form>
      <p class="soft">You can revoke access at any time on the Account page.</p>`,
  )
}

/** Returns the scopes as a list, in the words of the dashboard. */
export function scopeList(scopes: readonly Scope[]): Html {
  return html`<ul>
    ${scopes.map((scope) => html`<li>${descriptions[scope]}</li>`)}
  </ul>`
}

/** The type requires a text for every scope. */
const descriptions: Record<Scope, string> = scopeDescriptions
