import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { SessionList } from '../../auth/account-document.ts'
import { formatTimestamp } from '../../model/text.ts'
import { accountOf, sessionSecretOf } from '../request/guard.ts'
import { defineOperations } from '../request/operation.ts'

export const sessionOperations = defineOperations('Account', {
  'GET /v1/users/me/sessions': {
    scope: 'admin_or_session',
    limits: 'minute',
    summary: 'List browser sessions',
    description: 'Your browser sessions, newest first.',
    responses: { 200: SessionList },
  },
  'DELETE /v1/users/me/sessions': {
    scope: 'admin_or_session',
    limits: 'none',
    writes: true,
    summary: 'Sign out other sessions',
    description: 'Ends all your browser sessions except the one of this request. Tokens and logins are not affected.',
    responses: { 204: null },
  },
})

export const sessionRoutes = (app: App) =>
  new Elysia()
    .get('/v1/users/me/sessions', async ({ request }) => {
      const account = accountOf(request)
      const sessions = await app.access.sessions.list(account, sessionSecretOf(request, app))
      const items = sessions.map(({ createdAt, expiresAt, isCurrent }) => ({
        created_at: formatTimestamp(createdAt),
        expires_at: formatTimestamp(expiresAt),
        is_current: isCurrent,
      }))
      return { items, next_cursor: null }
    })
    .delete('/v1/users/me/sessions', async ({ request }) => {
      const account = accountOf(request)
      await app.access.sessions.endOthers(account, sessionSecretOf(request, app))
      return new Response(null, { status: 204 })
    })
