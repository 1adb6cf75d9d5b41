import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import { allowedTo, type Asked } from '../auth/authorization.ts'
import { OAuthError, type Back } from '../auth/oauth-error.ts'
import { resourceUrl } from '../auth/parameters.ts'
import { formField, ownForm, visitOf, type Visit } from './form.ts'
import { goTo, html, page } from './page.ts'
import { scopeList } from './scope-words.ts'
import { signInPage } from './sign-in.ts'

const queryMax_characters = 8000

/** The page at which a person lets a client in. */
export const consentRoutes = (app: App) =>
  new Elysia()
    .get('/oauth/authorize', ({ request }) => {
      const { search, searchParams } = new URL(request.url)
      const visit = visitOf(request, app)
      return judged(searchParams, app, (asked) => (visit.account ? consentPage(visit, visit.account, asked, search, app) : signInPage(visit, `/oauth/authorize${search}`, app)), visit)
    })
    .post('/oauth/authorize', async ({ request }) => {
      const form = await ownForm(request, app)
      const visit = visitOf(request, app)
      const { account } = visit
      const search = form.get('query') ?? ''
      if (!account) return signInPage(visit, `/oauth/authorize${search}`, app)
      return judged(new URLSearchParams(search), app, async (asked) => goTo(form.get('decision') === 'yes' ? await app.writeQueue(() => app.access.authorization.granted(asked, account)) : deniedAt(asked, app)), visit)
    }, { parse: 'none' })

/** What can be told to the client is; whoever may not be sent anywhere is told here. Nobody who is not signed in has a document fetched. */
async function judged(parameters: URLSearchParams, app: App, then: (asked: Asked) => Response | Promise<Response>, visit: Visit): Promise<Response> {
  const { authorization } = app.access
  if (parameters.toString().length > queryMax_characters) return refusedPage('The request is too long.')
  if (!visit.account && (parameters.get('client_id') ?? '').startsWith('https://')) return signInPage(visit, `/oauth/authorize?${parameters.toString()}`, app)
  try {
    return await then(await authorization.asked(parameters, visit.account?.id ?? 'nobody'))
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return isTellable(error) ? goTo(authorization.refused(error)) : refusedPage(error.message)
  }
}

function isTellable(error: OAuthError): error is OAuthError & { back: Back } {
  return error.back !== null
}

function refusedPage(words: string): Response {
  return page({ title: 'This cannot be asked', status: 400 }, html`<p role="alert">${words}</p><p>The program that sent you here made a mistake. Nothing was allowed.</p><p><a href="/">To the start page</a></p>`)
}

function deniedAt({ redirect_uri, state }: Asked, { access: { authorization } }: App): string {
  return authorization.refused(Object.assign(new OAuthError('access_denied', 'The person said no.'), { back: { redirect_uri, state } }))
}

function consentPage(visit: Visit, account: Account, { client, redirect_uri, scopes, resource }: Asked, search: string, app: App): Response {
  const { origin, host } = new URL(redirect_uri)
  // A policy cannot name an address of IPv6.
  const formTo = host.startsWith('[') ? 'http:' : origin
  return page({ title: 'Let a program in?', cookie: visit.cookie, formTo }, html`
<p><strong>${client.name}</strong>${client.shownAs === null ? ' (it says so itself)' : ` of ${client.shownAs}`} asks to use this server as <strong>${account.name}</strong>. It will be allowed to:</p>
${scopeList(allowedTo(account, scopes))}
<dl><dt>It is answered at</dt><dd>${host}</dd><dt>For</dt><dd>${resourceUrl(app.config.base_url, resource)}</dd></dl>
${client.shownAs === null ? html`<p class="notice">Nobody vouches for the name: any program can call itself so. Let it in only if you have just begun this yourself.</p>` : html``}
<form method="post" action="/oauth/authorize">${formField(visit, app)}<input type="hidden" name="query" value="${search}">
<div class="buttons"><button class="main" name="decision" value="yes">Let it in</button><button name="decision" value="no">No</button></div></form>
<p class="soft">You can turn it out again at any time, under Account.</p>`)
}
