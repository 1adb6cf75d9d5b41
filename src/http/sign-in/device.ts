import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { grantableScopes } from '../../auth/authorization.ts'
import type { PendingDevice } from '../../auth/device-flow.ts'
import { resourceUrls } from '../../auth/oauth-parameters.ts'
import { clientAddress } from '../request/client-address.ts'
import { csrfField, readProtectedForm, browserSessionOf, type BrowserSession } from '../request/form.ts'
import { scopeList } from './oauth-consent.ts'
import { html, renderPage } from '../pages/page.ts'
import { signInPage } from './sign-in.ts'

/**
 * The page where a user approves a device: first the code, then the client and its scopes. A code in the URL only
 * fills in the form.
 */
export const deviceRoutes = (app: App) =>
  new Elysia()
    .get('/device', async ({ request, query }) => {
      const session = await browserSessionOf(request, app)
      const userCode = (query.user_code ?? '').slice(0, 20)
      return session.account
        ? codePage(session, userCode, app)
        : signInPage(session, `/device${userCode === '' ? '' : `?user_code=${encodeURIComponent(userCode)}`}`, app)
    })
    .post('/device', async ({ request, server }) => {
      const form = await readProtectedForm(request, app)
      const session = await browserSessionOf(request, app)
      const { account } = session
      if (!account) return signInPage(session, '/device', app)
      const device = await app.access.deviceFlow.findPending(form.get('user_code') ?? '', [
        `session ${account.id}`,
        clientAddress(request, server, app.config.isTrustedProxy),
      ])
      if (device === 'locked')
        return codePage(session, '', app, {
          message: 'Too many wrong codes. Try again in 15 minutes.',
          status: 429,
        })
      if (device === 'unknown') return codePage(session, '', app, { message: 'Unknown or expired code.', status: 400 })
      const decision = form.get('decision')
      if (decision !== 'yes' && decision !== 'no') return approvalPage(session, account, device, app)
      await app.access.deviceFlow.decide(device.user_code, account, decision)
      return donePage(decision)
    })

function codePage(
  session: BrowserSession,
  userCode: string,
  app: App,
  error?: { message: string; status: number },
): Response {
  return renderPage(
    { title: 'Connect a device', cookie: session.cookie, ...(error && { status: error.status }) },
    html` ${error ? html`<p role="alert">${error.message}</p>` : html``}
      <form method="post" action="/device">
        ${csrfField(session, app)}
        <div class="field">
          <label for="user_code">Code shown on your device</label
          ><input
            id="user_code"
            name="user_code"
            value="${userCode}"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            required
            maxlength="20"
          />
        </div>
        <button class="main">Continue</button>
      </form>
      <p class="notice">
        Only enter a code that your own device shows right now. Never enter a code that somebody sends you.
      </p>`,
  )
}

function approvalPage(
  session: BrowserSession,
  account: Account,
  { user_code, client_name, scopes, resource }: PendingDevice,
  app: App,
): Response {
  const displayCode = `${user_code.slice(0, 4)}-${user_code.slice(4)}`
  return renderPage(
    { title: 'Is this your device?', cookie: session.cookie },
    html` <p>
        <strong>${client_name}</strong> wants to use this server as <strong>${account.name}</strong>. Your device should
        show this code:
      </p>
      <p class="code">${displayCode}</p>
      <p><strong>${client_name}</strong> will be able to:</p>
      ${scopeList(grantableScopes(account, scopes))}
      <dl>
        <dt>Resource</dt>
        <dd>${resourceUrls(app.config.base_url, resource)}</dd>
      </dl>
      <p class="notice">If somebody sent you this code, choose Deny. Otherwise they can use this server as you.</p>
      <form method="post" action="/device">
        ${csrfField(session, app)}<input type="hidden" name="user_code" value="${user_code}" />
        <div class="buttons">
          <button class="main" name="decision" value="yes">Allow</button
          ><button name="decision" value="no">Deny</button>
        </div>
      </form>`,
  )
}

function donePage(decision: 'yes' | 'no'): Response {
  return decision === 'yes'
    ? renderPage({ title: 'Device connected' }, html`<p>The device continues by itself. You can close this page.</p>`)
    : renderPage({ title: 'Device denied' }, html`<p>The device has no access. You can close this page.</p>`)
}
