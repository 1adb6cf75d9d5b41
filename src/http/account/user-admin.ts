import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { Invitation, UserList, UserScopes } from '../../auth/account-document.ts'
import { ownerId, type Account } from '../../auth/accounts.ts'
import type { Scope } from '../../auth/scope.ts'
import { invitationLifetime_ms, userNamePattern, defaultUserScopes, type User } from '../../auth/users.ts'
import { ApiError } from '../../model/error.ts'
import { formatTimestamp } from '../../model/text.ts'
import { createBodyReader } from '../request/json-body.ts'
import { accountOf } from '../request/guard.ts'
import { defineOperations } from '../request/operation.ts'
import { createViolation } from '../request/violations.ts'

const runsMax = 1000

const UserRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64, description: '1 to 64 letters, digits and . _ @ + -' }),
  scopes: Type.Optional(UserScopes),
})

const path = { user_id: 'Id of the user.' }
export const userAdminOperations = defineOperations('Users', {
  'GET /v1/users': {
    scope: 'admin',
    limits: 'minute',
    summary: 'List users',
    description: 'The owner and all invited users.',
    responses: { 200: UserList },
  },
  'POST /v1/users': {
    scope: 'admin',
    writes: true,
    summary: 'Invite a user',
    description: `The response shows the invitation link once. A link that is created with a token ends when the token expires or is revoked. By default the user gets these scopes, if you have them: ${defaultUserScopes.join(', ')}. You cannot grant scopes that you do not have. To grant \`admin\`, sign in with your password.`,
    body: UserRequest,
    examples: { colleague: { name: 'ada', scopes: ['fetch', 'runs'] } },
    responses: { 201: Invitation },
    errorCodes: ['user_exists'],
  },
  'POST /v1/users/{user_id}/link': {
    scope: 'admin',
    writes: true,
    summary: 'Create a password link',
    description:
      'For a user who lost the invitation or forgot the password. Only the owner can create a link for the owner. A link that is created with a token ends when the token expires or is revoked. For your own account or an administrator, sign in with your password.',
    path,
    responses: { 200: Invitation },
    errorCodes: ['user_not_found'],
  },
  'DELETE /v1/users/{user_id}': {
    scope: 'admin',
    limits: 'none',
    writes: true,
    summary: 'Remove a user',
    description:
      'Ends their sessions, tokens and logins with immediate effect and cancels their runs. The owner cannot be removed.',
    path,
    responses: { 204: null },
    errorCodes: ['user_not_found'],
  },
})

const readUserBody = createBodyReader(UserRequest, ({ name }) =>
  typeof name !== 'string' || name === '' || userNamePattern.test(name)
    ? []
    : [
        createViolation(
          'value_error',
          ['body', 'name'],
          'Value error, a name has up to 64 letters, digits and . _ @ + -',
          name,
        ),
      ],
)

export const userAdminRoutes = (app: App) =>
  new Elysia()
    .get('/v1/users', async () => ({ items: (await app.access.users.list()).map(userItemOf), next_cursor: null }))
    .post('/v1/users', async ({ request, set }) => {
      const account = accountOf(request)
      const { name, scopes: requestedScopes = defaultUserScopes.filter((scope) => account.scopes.has(scope)) } =
        await readUserBody(request)
      requireGrantable(account, requestedScopes)
      if (requestedScopes.includes('admin')) requirePassword(account)
      const code = await app.access.users.invite(name, [...new Set(requestedScopes)], account.token)
      if (code === null)
        throw new ApiError('user_exists', `The user ${JSON.stringify(name)} already exists. Choose another name.`)
      set.status = 201
      set.headers['cache-control'] = 'no-store'
      return invitationItemOf(code, app)
    })
    .post('/v1/users/:user_id/link', async ({ request, params: { user_id }, set }) => {
      const account = accountOf(request)
      const user = await app.access.users.find(user_id)
      if (!user || (user_id === ownerId && account.id !== ownerId))
        throw new ApiError('user_not_found', 'User not found, or you cannot create a link for this user.')
      requireGrantable(account, user.scopes)
      if (user_id === account.id || user.scopes.includes('admin')) requirePassword(account)
      const code = await app.access.users.createResetCode(user.name, account.token)
      set.headers['cache-control'] = 'no-store'
      return invitationItemOf(code!, app)
    })
    .delete('/v1/users/:user_id', async ({ params: { user_id } }) => {
      await app.access.users.remove(user_id)
      const userRuns = await app.runs.reader.list(user_id, '~', app.now().getTime(), runsMax)
      const unfinishedRuns = userRuns.filter(
        ({ finished_at, cancelled_at }) => finished_at === null && cancelled_at === null,
      )
      for (const { id } of unfinishedRuns)
        await app.runs.cancel({ id: user_id, name: '', scopes: new Set() }, id).catch(ignoreEndedRun)
      return new Response(null, { status: 204 })
    })

/** Users cannot grant scopes that they do not have, also not through a link to an account with more scopes. */
function requireGrantable({ scopes: granted }: Account, requested: readonly Scope[]): void {
  const missing = requested.filter((scope) => !granted.has(scope))
  if (missing.length > 0)
    throw new ApiError('insufficient_scope', `You cannot grant scopes that you do not have: ${missing.join(', ')}.`, {
      required: missing,
      granted: [...granted],
    })
}

/**
 * Rejects a token, and a session that was started with one. A stolen token could otherwise set the password of an
 * administrator, which the revocation of the token does not end.
 */
function requirePassword({ via, token, scopes }: Account): void {
  if (via === undefined || (via === 'session' && !token)) return
  throw new ApiError(
    'insufficient_scope',
    'A token cannot create a link for its own account or for an administrator. Sign in with your password, or run fieldstone user link on the server.',
    { required: ['admin'], granted: [...scopes] },
  )
}

/** Ignores a run that ended before it was cancelled. */
function ignoreEndedRun(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'run_not_cancellable')) throw error
}

function userItemOf({ id, name, scopes, created_at, hasPassword }: User) {
  return { id, name, scopes, created_at: formatTimestamp(created_at), has_password: hasPassword }
}

async function invitationItemOf(code: string, { access: { users }, config, now }: App) {
  const { id } = (await users.invitedAccount(code))!
  return {
    ...userItemOf((await users.find(id))!),
    invitation_url: `${config.base_url.replace(/\/$/, '')}/invitation/${code}`,
    invitation_expires_at: formatTimestamp(now().getTime() + invitationLifetime_ms),
  }
}
