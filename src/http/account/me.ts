import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { CreatedToken, CurrentUserDocument, TokenPage, UsageDocument } from '../../auth/account-document.ts'
import { allScopes } from '../../auth/scope.ts'
import { isTokenId, formatTokenId } from '../../auth/api-tokens.ts'
import { formatTimestampOrNull } from '../../model/text.ts'
import type { ListedToken } from '../../store/accounts/access.ts'
import { createBodyReader } from '../request/json-body.ts'
import { accountOf, csrfTokenOf } from '../request/guard.ts'
import { invisibleViolations } from '../places/location.ts'
import { defineOperations } from '../request/operation.ts'
import { parsePaging } from '../request/paging.ts'
import { usageDocument, usageQuery } from './usage.ts'

const daysMax = 3650
const nameMax_characters = 100
const listMax = 100
const listDefault = 50

const TokenRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: nameMax_characters, description: 'A name to recognize the token by.' }),
  scopes: Type.Array(Type.Union(allScopes.map((scope) => Type.Literal(scope))), {
    minItems: 1,
    maxItems: 20,
    description: 'Scopes of the new token. They cannot exceed the scopes of the token that creates it.',
  }),
  expires_in_days: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: daysMax }), Type.Literal('never')], {
      description: `Lifetime in days, 1 to ${daysMax}, or never. Default 90, or less if the token of this request expires earlier.`,
    }),
  ),
})

export const meOperations = defineOperations('Account', {
  'GET /v1/users/me': {
    scope: 'any',
    limits: 'none',
    summary: 'Your account',
    description: 'Your account and the scopes of the token of this request.',
    responses: { 200: CurrentUserDocument },
  },
  'GET /v1/users/me/tokens': {
    scope: 'admin_or_session',
    limits: 'minute',
    summary: 'List API tokens',
    description: 'Your tokens that are not revoked, newest first. Only the last four characters of a token are stored.',
    query: {
      limit: `Page size, 1 to ${listMax}. Default ${listDefault}.`,
      cursor: 'The next_cursor of the previous page.',
    },
    responses: { 200: TokenPage },
  },
  'POST /v1/users/me/tokens': {
    scope: 'admin_or_session',
    writes: true,
    summary: 'Create an API token',
    description:
      'The response shows the token once. A token created with another token cannot have more scopes or expire later than that token. Revoking that token also revokes the new one.',
    body: TokenRequest,
    examples: { script: { name: 'nightly script', scopes: ['fetch', 'runs'], expires_in_days: 30 } },
    responses: { 201: CreatedToken },
  },
  'DELETE /v1/users/me/tokens/{token_id}': {
    scope: 'admin_or_session',
    limits: 'none',
    writes: true,
    summary: 'Revoke an API token',
    description:
      'Revokes the token, and all tokens, sessions and logins that were made with it, with immediate effect.',
    path: { token_id: 'The id of the token.' },
    responses: { 204: null },
    errorCodes: ['token_not_found'],
  },
  'GET /v1/users/me/usage': {
    scope: 'any',
    limits: 'none',
    summary: 'Your usage',
    description:
      'Requests, fields and billed calls by day (UTC), endpoint and source. Billed calls are stored before they are made. Requests and fields are stored every 10 seconds, so a crash can lose the last counts.',
    query: usageQuery,
    responses: { 200: UsageDocument },
  },
})

const readTokenBody = createBodyReader(TokenRequest, ({ name }) =>
  typeof name === 'string' ? invisibleViolations(name, ['body', 'name']) : [],
)

export const meRoutes = (app: App) =>
  new Elysia()
    .get('/v1/users/me', ({ request }) => {
      const { id, name, scopes } = accountOf(request)
      const csrf_token = csrfTokenOf(request)
      return {
        id,
        name,
        scopes: [...scopes],
        user: { uid: id, email: null, name },
        settings: {},
        ...(csrf_token !== null && { csrf_token }),
      }
    })
    .get('/v1/users/me/tokens', async ({ request }) => {
      const account = accountOf(request)
      const { limit, cursor } = parsePaging(new URL(request.url).searchParams, {
        limitMax: listMax,
        limitDefault: listDefault,
        isCursor: isTokenId,
      })
      const { items, next_cursor } = await app.access.tokens.list(account, cursor, limit)
      return { items: items.map(tokenItemOf), next_cursor }
    })
    .post('/v1/users/me/tokens', async ({ request, set }) => {
      const account = accountOf(request)
      const { expires_in_days: days, ...tokenRequest } = await readTokenBody(request)
      const { token, ...listed } = await app.access.tokens.create(account, {
        ...tokenRequest,
        ...(days !== undefined && { days: days === 'never' ? null : days }),
      })
      set.status = 201
      set.headers['cache-control'] = 'no-store'
      return { ...tokenItemOf(listed), token }
    })
    .delete('/v1/users/me/tokens/:token_id', async ({ request, params: { token_id } }) => {
      const account = accountOf(request)
      await app.access.tokens.revoke(account, token_id)
      return new Response(null, { status: 204 })
    })
    .get('/v1/users/me/usage', async ({ request }) =>
      usageDocument(accountOf(request), new URL(request.url).searchParams, app),
    )

function tokenItemOf({ id, name, last_four, scopes, created_at, expires_at, last_used_at }: ListedToken) {
  return {
    id: formatTokenId(id),
    name,
    last_four,
    scopes: scopes.split(' '),
    created_at: formatTimestampOrNull(created_at),
    expires_at: formatTimestampOrNull(expires_at),
    last_used_at: formatTimestampOrNull(last_used_at),
  }
}
