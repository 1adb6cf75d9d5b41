import { Type, type Static } from '@sinclair/typebox'
import { literals, nullable, NullableTime, Time } from '../model/schema.ts'
import { allScopes } from './scope.ts'

const Text = Type.String()

/** The signed-in user. */
export const CurrentUserDocument = Type.Object({
  id: Text,
  name: Text,
  scopes: Type.Array(literals(allScopes)),
  user: Type.Object({
    uid: Type.String({ description: 'The same as id.' }),
    email: nullable('string', { description: 'Always null: this server has no addresses of people.' }),
    name: Text,
  }),
  settings: Type.Object({}, { additionalProperties: true, description: 'The settings of the account.' }),
  csrf_token: Type.Optional(
    Type.String({ description: 'Only for browser sessions: the value to send in X-CSRF-Token.' }),
  ),
})
export type CurrentUserDocument = Static<typeof CurrentUserDocument>

/** A token in the list of its account. Of the secret, only the last four characters are known. */
export const AccountToken = Type.Object({
  id: Text,
  name: Text,
  last_four: Text,
  scopes: Type.Array(literals(allScopes)),
  created_at: Time,
  expires_at: nullable('string', { format: 'date-time', description: 'Null: never.' }),
  last_used_at: NullableTime,
})
export type AccountToken = Static<typeof AccountToken>

/** A page of tokens, newest first. */
export const TokenPage = Type.Object({ items: Type.Array(AccountToken), next_cursor: nullable('string') })
export type TokenPage = Static<typeof TokenPage>

/** A new token with its secret, which is shown once. */
export const CreatedToken = Type.Object({ ...AccountToken.properties, token: Text })
export type CreatedToken = Static<typeof CreatedToken>

/** The browser sessions of an account, newest first. */
export const SessionList = Type.Object({
  items: Type.Array(
    Type.Object({
      created_at: Time,
      expires_at: Time,
      is_current: Type.Boolean({ description: 'Whether this request uses the session.' }),
    }),
  ),
  next_cursor: Type.Null(),
})
export type SessionList = Static<typeof SessionList>

/** The OAuth clients that have access to an account, newest first. */
export const LoginList = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Text,
      client_id: Text,
      client_name: Type.String({ description: 'The name that the client gave itself.' }),
      scopes: Type.Array(Text),
      resource: Type.String({ description: 'The URL that the login is for. Several are separated by spaces.' }),
      created_at: Time,
    }),
  ),
  next_cursor: Type.Null(),
})
export type LoginList = Static<typeof LoginList>

/** The scopes of a user. */
export const UserScopes = Type.Array(literals(allScopes), { minItems: 1, maxItems: 20 })

/** A user in the list of users. */
export const ListedUser = Type.Object({
  id: Text,
  name: Text,
  scopes: UserScopes,
  created_at: Time,
  has_password: Type.Boolean({ description: 'False until the user accepts the invitation.' }),
})
export type ListedUser = Static<typeof ListedUser>

/** The owner and all invited users. */
export const UserList = Type.Object({ items: Type.Array(ListedUser), next_cursor: Type.Null() })
export type UserList = Static<typeof UserList>

/** A user with a link to set a password, which is shown once. */
export const Invitation = Type.Object({
  ...ListedUser.properties,
  invitation_url: Type.String({ description: 'The page to set a password. The link works once.' }),
  invitation_expires_at: Time,
})
export type Invitation = Static<typeof Invitation>

const usageCounts = {
  requests: Type.Integer(),
  fields: Type.Integer(),
  metered_calls: Type.Integer({ description: 'Calls that the provider bills.' }),
}

/** The usage of an account by day and endpoint, newest day first, each with its sources. */
export const UsageDocument = Type.Object({
  from: Text,
  to: Text,
  items: Type.Array(
    Type.Object({
      day: Text,
      endpoint: Text,
      ...usageCounts,
      sources: Type.Array(Type.Object({ source: Text, ...usageCounts })),
    }),
  ),
  next_cursor: Type.Null(),
})
export type UsageDocument = Static<typeof UsageDocument>

/** A read-only link of an account. Its URL is shown once. */
export const ShareLink = Type.Object({
  id: Text,
  kind: literals(['run', 'report']),
  title: Text,
  run_id: nullable('string', { description: 'The shared run; null for a report.' }),
  created_at: Time,
  expires_at: Time,
})
export type ShareLink = Static<typeof ShareLink>

/** The active links of an account, newest first. */
export const ShareList = Type.Object({ items: Type.Array(ShareLink), next_cursor: Type.Null() })
export type ShareList = Static<typeof ShareList>

/** A new link with its URL. */
export const CreatedShare = Type.Object({
  ...ShareLink.properties,
  url: Type.String({ description: 'The page that the link opens. It is shown once.' }),
})
export type CreatedShare = Static<typeof CreatedShare>

/** A pin of an account. One of `place`, `preset` and `fields` is not null. */
export const PinDocument = Type.Object({
  id: Text,
  name: Text,
  place: Type.Union([Type.Object({ lat: Type.Number(), lng: Type.Number() }), Type.Null()]),
  preset: nullable('string', { description: 'The name of a preset of the catalog.' }),
  fields: Type.Union([Type.Array(Text), Type.Null()], { description: 'Names of fields, in the order of the pin.' }),
  created_at: Time,
})
export type PinDocument = Static<typeof PinDocument>

/** The pins of an account, oldest first. */
export const PinList = Type.Object({ items: Type.Array(PinDocument), next_cursor: Type.Null() })
export type PinList = Static<typeof PinList>
