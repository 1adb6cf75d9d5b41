import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { ownerId, allScopes, type Account, type Scope } from '../auth/accounts.ts'
import { invitationLifetime_ms, userNamePattern, defaultUserScopes, type User } from '../auth/users.ts'
import { ApiError } from '../model/error.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import { createBodyReader } from './body.ts'
import { requireScope } from './guard.ts'
import { defineOperation, type Operations } from './operation.ts'
import { createViolation } from './violations.ts'

const runsMax = 1000

const Time = Type.String({ format: 'date-time' })
const Scopes = Type.Array(Type.Union(allScopes.map((scope) => Type.Literal(scope))), { minItems: 1, maxItems: 20 })
const userProperties = {
  id: Type.String(),
  name: Type.String(),
  scopes: Scopes,
  created_at: Time,
  has_password: Type.Boolean({ description: 'False while the invitation is open.' }),
}
const linkProperties = {
  invitation_url: Type.String({ description: 'The page at which a password is set: good once.' }),
  invitation_expires_at: Time,
}

const UserRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64, description: 'Letters, digits and . _ @ + -' }),
  scopes: Type.Optional(Scopes),
})

const tag = 'People'
const path = { user_id: 'The id of the person.' }
export const userAdminOperations: Operations = {
  'GET /v1/users': defineOperation({
    tag,
    scope: 'admin',
    summary: 'Who has an account',
    description: 'The owner, and everybody who was invited.',
    responses: { 200: Type.Object({ items: Type.Array(Type.Object(userProperties)), next_cursor: Type.Null() }) },
  }),
  'POST /v1/users': defineOperation({
    tag,
    scope: 'admin',
    summary: 'Invite a person',
    description: `The link is shown in this answer and never again. Without scopes they may do ${defaultUserScopes.join(', ')}; nobody gives more than they have.`,
    body: UserRequest,
    examples: { colleague: { name: 'ada', scopes: ['fetch', 'runs'] } },
    responses: { 201: Type.Object({ ...userProperties, ...linkProperties }) },
    errorCodes: ['user_exists'],
  }),
  'POST /v1/users/{user_id}/link': defineOperation({
    tag,
    scope: 'admin',
    summary: 'A link for a new password',
    description:
      'For whom the first was lost, or who forgot the password. That of the owner is made by the owner alone.',
    path,
    responses: { 200: Type.Object({ ...userProperties, ...linkProperties }) },
    errorCodes: ['user_not_found'],
  }),
  'DELETE /v1/users/{user_id}': defineOperation({
    tag,
    scope: 'admin',
    summary: 'Remove a person',
    description:
      'Their sessions, tokens and logins are refused from the next request on, their runs are stopped. The owner stays.',
    path,
    responses: { 204: null },
    errorCodes: ['user_not_found'],
  }),
}

const readUserBody = createBodyReader(UserRequest, ({ name }) =>
  typeof name !== 'string' || name === '' || userNamePattern.test(name)
    ? []
    : [
        createViolation(
          'value_error',
          ['body', 'name'],
          'Value error, a name is of up to 64 letters, digits and . _ @ + -',
          name,
        ),
      ],
)

export const userAdminRoutes = (app: App) =>
  new Elysia()
    .get('/v1/users', ({ request }) => {
      requireScope(request, 'admin', app.accounts)
      return { items: app.access.users.list().map(userItemOf), next_cursor: null }
    })
    .post(
      '/v1/users',
      async ({ request, set }) => {
        const account = requireScope(request, 'admin', app.accounts)
        const { name, scopes: requestedScopes = defaultUserScopes.filter((scope) => account.scopes.has(scope)) } =
          await readUserBody(request)
        requireGrantable(account, requestedScopes)
        const code = await app.writeQueue(() => app.access.users.invite(name, [...new Set(requestedScopes)]))
        if (code === null) throw new ApiError('user_exists', `There is an account ${JSON.stringify(name)} already.`)
        set.status = 201
        set.headers['cache-control'] = 'no-store'
        return invitationItemOf(code, app)
      },
      { parse: 'none' },
    )
    .post(
      '/v1/users/:user_id/link',
      async ({ request, params: { user_id }, set }) => {
        const account = requireScope(request, 'admin', app.accounts)
        const user = app.access.users.find(user_id)
        if (!user || (user_id === ownerId && account.id !== ownerId))
          throw new ApiError('user_not_found', 'There is no such account that you could make a link for.')
        requireGrantable(account, user.scopes)
        const code = await app.writeQueue(() => app.access.users.createResetCode(user.name))
        set.headers['cache-control'] = 'no-store'
        return invitationItemOf(code!, app)
      },
      { parse: 'none' },
    )
    .delete(
      '/v1/users/:user_id',
      async ({ request, params: { user_id } }) => {
        requireScope(request, 'admin', app.accounts)
        await app.writeQueue(() => app.access.users.remove(user_id))
        const unfinishedRuns = app.runs.reader
          .list(user_id, '~', app.now().getTime(), runsMax)
          .filter(({ finished_at, cancelled_at }) => finished_at === null && cancelled_at === null)
        for (const { id } of unfinishedRuns)
          await app.runs.cancel({ id: user_id, name: '', scopes: new Set() }, id).catch(ignoreEndedRun)
        return new Response(null, { status: 204 })
      },
      { parse: 'none' },
    )

/** Nobody gives more than they have: not to another, and not by a link to the account of one who has more. */
function requireGrantable({ scopes: granted }: Account, requested: readonly Scope[]): void {
  const missing = requested.filter((scope) => !granted.has(scope))
  if (missing.length > 0)
    throw new ApiError(
      'insufficient_scope',
      `This token does not allow ${missing.join(', ')}, and so it gives nobody else that.`,
      { required: missing, granted: [...granted] },
    )
}

/** A run that ends while its person is removed needs no cancelling, and holds up none of the others. */
function ignoreEndedRun(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'run_not_cancellable')) throw error
}

function userItemOf({ id, name, scopes, created_at, hasPassword }: User) {
  return { id, name, scopes, created_at: formatTimestamp(created_at), has_password: hasPassword }
}

function invitationItemOf(code: string, { access: { users }, config, now }: App) {
  const { id } = users.invitedAccount(code)!
  return {
    ...userItemOf(users.find(id)!),
    invitation_url: `${config.base_url.replace(/\/$/, '')}/invitation/${code}`,
    invitation_expires_at: formatTimestamp(new Date(now().getTime() + invitationLifetime_ms)),
  }
}
