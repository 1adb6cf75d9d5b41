import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import { allowedTo } from '../auth/authorization.ts'
import type { Waiting } from '../auth/devices.ts'
import { resourceUrl } from '../auth/parameters.ts'
import { clientAddress } from './client-address.ts'
import { formField, ownForm, visitOf, type Visit } from './form.ts'
import { html, page } from './page.ts'
import { scopeList } from './scope-words.ts'
import { signInPage } from './sign-in.ts'

/** The page at which a person lets a device in: the code first, then who asks and for what. A code in the address is only filled in. */
export const deviceRoutes = (app: App) =>
  new Elysia()
    .get('/device', ({ request, query }) => {
      const visit = visitOf(request, app)
      const typed = (query.user_code ?? '').slice(0, 20)
      return visit.account ? codePage(visit, typed, app) : signInPage(visit, `/device${typed === '' ? '' : `?user_code=${encodeURIComponent(typed)}`}`, app)
    })
    .post('/device', async ({ request, server }) => {
      const form = await ownForm(request, app)
      const visit = visitOf(request, app)
      const { account } = visit
      if (!account) return signInPage(visit, '/device', app)
      const found = app.access.devices.find(form.get('user_code') ?? '', [`session ${account.id}`, `from ${clientAddress(request, server, app.config.isTrustedProxy)}`])
      if (found === 'locked') return codePage(visit, '', app, { words: 'Too many wrong codes: wait a quarter of an hour.', status: 429 })
      if (found === 'unknown') return codePage(visit, '', app, { words: 'No device shows this code, or not any more.', status: 400 })
      const decision = form.get('decision')
      if (decision !== 'yes' && decision !== 'no') return askPage(visit, account, found, app)
      await app.writeQueue(() => app.access.devices.decide(found.user_code, account, decision))
      return donePage(decision)
    }, { parse: 'none' })

function codePage(visit: Visit, typed: string, app: App, fault?: { words: string; status: number }): Response {
  return page({ title: 'Let a device in', cookie: visit.cookie, ...(fault && { status: fault.status }) }, html`
${fault ? html`<p role="alert">${fault.words}</p>` : html``}<form method="post" action="/device">${formField(visit, app)}
<div class="field"><label for="user_code">The code that your device shows</label><input id="user_code" name="user_code" value="${typed}" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="20"></div>
<button class="main">Go on</button></form>
<p class="notice">Only type a code that you see on a device of your own, at this moment. Nobody who asks you for help needs you to type one.</p>`)
}

function askPage(visit: Visit, account: Account, { user_code, client_name, scopes, resource }: Waiting, app: App): Response {
  const shown = `${user_code.slice(0, 4)}-${user_code.slice(4)}`
  return page({ title: 'Is this your device?', cookie: visit.cookie }, html`
<p><strong>${client_name}</strong> asks to use this server as <strong>${account.name}</strong>. It shows this code:</p>
<p class="code">${shown}</p>
<p>It will be allowed to:</p>
${scopeList(allowedTo(account, scopes))}
<dl><dt>For</dt><dd>${resourceUrl(app.config.base_url, resource)}</dd></dl>
<p class="notice">If somebody sent you this code, say no: it would let them in as you.</p>
<form method="post" action="/device">${formField(visit, app)}<input type="hidden" name="user_code" value="${user_code}">
<div class="buttons"><button class="main" name="decision" value="yes">Let it in</button><button name="decision" value="no">No</button></div></form>`)
}

function donePage(decision: 'yes' | 'no'): Response {
  return decision === 'yes'
    ? page({ title: 'The device is in' }, html`<p>It goes on by itself. You can close this page.</p>`)
    : page({ title: 'The device was turned away' }, html`<p>Nothing was allowed. You can close this page.</p>`)
}
