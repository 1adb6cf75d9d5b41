import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { LoginList } from '../../auth/account-document.ts'
import { resourceUrls } from '../../auth/oauth-parameters.ts'
import { formatTimestamp } from '../../model/text.ts'
import { accountOf } from '../request/guard.ts'
import { defineOperations } from '../request/operation.ts'

export const loginOperations = defineOperations('Account', {
  'GET /v1/users/me/logins': {
    scope: 'admin_or_session',
    limits: 'minute',
    summary: 'List OAuth logins',
    description:
      'The OAuth clients that have access to your account, newest first: agents, and the command line on other machines.',
    responses: { 200: LoginList },
  },
  'DELETE /v1/users/me/logins/{login_id}': {
    scope: 'admin_or_session',
    limits: 'none',
    writes: true,
    summary: 'End an OAuth login',
    description: 'Revokes all tokens of the login with immediate effect.',
    path: { login_id: 'The id of the login.' },
    responses: { 204: null },
    errorCodes: ['token_not_found'],
  },
})

export const loginRoutes = (app: App) =>
  new Elysia()
    .get('/v1/users/me/logins', async ({ request }) => {
      const logins = await app.access.grants.list(accountOf(request))
      return {
        items: logins.map(({ id, client_id, client_name, scopes, resource, created_at }) => ({
          id: `login_${id}`,
          client_id,
          client_name,
          scopes: scopes.split(' '),
          resource: resourceUrls(app.config.base_url, resource),
          created_at: formatTimestamp(created_at),
        })),
        next_cursor: null,
      }
    })
    .delete('/v1/users/me/logins/:login_id', async ({ request, params: { login_id } }) => {
      const account = accountOf(request)
      await app.access.grants.endLogin(account, login_id)
      return new Response(null, { status: 204 })
    })
