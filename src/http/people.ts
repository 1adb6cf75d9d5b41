import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { ownerId, scopes, type Account, type Scope } from '../auth/accounts.ts'
import { invitation_ms, personName, usualScopes, type Person } from '../auth/people.ts'
import { ApiError } from '../model/error.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import { bodyOf } from './body.ts'
import { allowing } from './guard.ts'
import { operation, type Operations } from './operation.ts'
import { violation } from './violations.ts'

const runsMax = 1000

const Time = Type.String({ format: 'date-time' })
const Scopes = Type.Array(Type.Union(scopes.map((scope) => Type.Literal(scope))), { minItems: 1, maxItems: 20 })
const person = { id: Type.String(), name: Type.String(), scopes: Scopes, created_at: Time, has_password: Type.Boolean({ description: 'False while the invitation is open.' }) }
const link = { invitation_url: Type.String({ description: 'The page at which a password is set: good once.' }), invitation_expires_at: Time }

const PersonRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64, description: 'Letters, digits and . _ @ + -' }),
  scopes: Type.Optional(Scopes),
})

const tag = 'People'
const path = { user_id: 'The id of the person.' }
export const peopleOperations: Operations = {
  'GET /v1/users': operation({
    tag, scope: 'admin', summary: 'Who has an account', description: 'The owner, and everybody who was invited.',
    answers: { 200: Type.Object({ items: Type.Array(Type.Object(person)), next_cursor: Type.Null() }) },
  }),
  'POST /v1/users': operation({
    tag, scope: 'admin', summary: 'Invite a person', description: `The link is shown in this answer and never again. Without scopes they may do ${usualScopes.join(', ')}; nobody gives more than they have.`,
    body: PersonRequest, examples: { colleague: { name: 'ada', scopes: ['fetch', 'runs'] } },
    answers: { 201: Type.Object({ ...person, ...link }) }, refusals: ['user_exists'],
  }),
  'POST /v1/users/{user_id}/link': operation({
    tag, scope: 'admin', summary: 'A link for a new password', description: 'For whom the first was lost, or who forgot the password. That of the owner is made by the owner alone.', path,
    answers: { 200: Type.Object({ ...person, ...link }) }, refusals: ['user_not_found'],
  }),
  'DELETE /v1/users/{user_id}': operation({
    tag, scope: 'admin', summary: 'Remove a person', description: 'Their sessions, tokens and logins are refused from the next request on, their runs are stopped. The owner stays.', path,
    answers: { 204: null }, refusals: ['user_not_found'],
  }),
}

const personBody = bodyOf(PersonRequest, ({ name }) => (typeof name !== 'string' || name === '' || personName.test(name) ? [] : [violation('value_error', ['body', 'name'], 'Value error, a name is of up to 64 letters, digits and . _ @ + -', name)]))

export const peopleRoutes = (app: App) =>
  new Elysia()
    .get('/v1/users', ({ request }) => {
      allowing(request, 'admin', app.accounts)
      return { items: app.access.people.list().map(shown), next_cursor: null }
    })
    .post('/v1/users', async ({ request, set }) => {
      const account = allowing(request, 'admin', app.accounts)
      const { name, scopes: wanted = usualScopes.filter((scope) => account.scopes.has(scope)) } = await personBody(request)
      mustHave(account, wanted)
      const code = await app.writeQueue(() => app.access.people.invite(name, [...new Set(wanted)]))
      if (code === null) throw new ApiError('user_exists', `There is an account ${JSON.stringify(name)} already.`)
      set.status = 201
      set.headers['cache-control'] = 'no-store'
      return invitationOf(code, app)
    }, { parse: 'none' })
    .post('/v1/users/:user_id/link', async ({ request, params: { user_id }, set }) => {
      const account = allowing(request, 'admin', app.accounts)
      const found = app.access.people.person(user_id)
      if (!found || (user_id === ownerId && account.id !== ownerId)) throw new ApiError('user_not_found', 'There is no such account that you could make a link for.')
      mustHave(account, found.scopes)
      const code = await app.writeQueue(() => app.access.people.link(found.name))
      set.headers['cache-control'] = 'no-store'
      return invitationOf(code!, app)
    }, { parse: 'none' })
    .delete('/v1/users/:user_id', async ({ request, params: { user_id } }) => {
      allowing(request, 'admin', app.accounts)
      await app.writeQueue(() => app.access.people.remove(user_id))
      const unfinished = app.runs.reads.list(user_id, '~', app.now().getTime(), runsMax).filter(({ finished_at, cancelled_at }) => finished_at === null && cancelled_at === null)
      for (const { id } of unfinished) await app.runs.cancel({ id: user_id, name: '', scopes: new Set() }, id).catch(unlessEnded)
      return new Response(null, { status: 204 })
    }, { parse: 'none' })

/** Nobody gives more than they have: not to another, and not by a link to the account of one who has more. */
function mustHave({ scopes: granted }: Account, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !granted.has(scope))
  if (lacking.length > 0) throw new ApiError('insufficient_scope', `This token does not allow ${lacking.join(', ')}, and so it gives nobody else that.`, { required: lacking, granted: [...granted] })
}

/** A run that ends while its person is removed needs no cancelling, and holds up none of the others. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'run_not_cancellable')) throw error
}

function shown({ id, name, scopes, created_at, hasPassword }: Person) {
  return { id, name, scopes, created_at: formatTimestamp(created_at), has_password: hasPassword }
}

function invitationOf(code: string, { access: { people }, config, now }: App) {
  const { id } = people.invited(code)!
  return { ...shown(people.person(id)!), invitation_url: `${config.base_url.replace(/\/$/, '')}/invitation/${code}`, invitation_expires_at: formatTimestamp(new Date(now().getTime() + invitation_ms)) }
}
