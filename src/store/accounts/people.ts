import { activeWithToken, raiseAccessEpoch } from './revocation.ts'
import type { SqlPools, Statements } from '../sql.ts'

/** An account. `scopes` are the most it may use, null for all; `password_hash` is null until a password is set. */
export type StoredAccount = {
  id: string
  name: string
  created_at: number
  scopes: string | null
  password_hash: string | null
}

/** A new account. Times are milliseconds since 1970. */
type NewAccount = Pick<StoredAccount, 'id' | 'name' | 'created_at' | 'scopes'>

/** An invitation to set a password. It ends with the token that it was made with, if any. */
export type NewInvitation = { hash: Uint8Array; expires_at: number; token_id: number | null }

/** The accounts, their passwords and invitations. Only hashes of secrets are stored. */
export type PeopleStore = {
  /** Adds an account. Resolves with false if its id or name exists already. */
  addAccount(account: NewAccount): Promise<boolean>
  /** Adds an account with an invitation. Resolves with false, and adds nothing, if its id or name exists already. */
  invite(account: NewAccount, invitation: NewInvitation): Promise<boolean>
  addInvitation(account_id: string, invitation: NewInvitation): Promise<void>
  findAccount(id: string): Promise<StoredAccount | null>
  findAccountByName(name: string): Promise<StoredAccount | null>
  /** The account of an unexpired invitation. The invitation of a revoked or expired token has ended. */
  findInvitedAccount(hash: Uint8Array, now: number): Promise<StoredAccount | null>
  /** Every account, the oldest first. */
  listAccounts(limit: number): Promise<StoredAccount[]>
  /**
   * Uses up an invitation: sets the password of its account, and ends the account's invitations and sessions. Resolves
   * with the account, or with null if the invitation has ended.
   */
  acceptInvitation(hash: Uint8Array, passwordHash: string, now: number): Promise<StoredAccount | null>
  /**
   * Removes the account with its credentials and its usage. Its runs stay until they expire. Resolves with false if the
   * account does not exist.
   */
  removeAccount(id: string): Promise<boolean>
  /** Deletes the expired invitations. */
  sweep(now: number): Promise<void>
}

/** Creates the people store. */
export function createPeople({ quick, work }: SqlPools): PeopleStore {
  return {
    addAccount: (account) => quick.write((sql) => addAccount(sql, account)),
    invite: (account, invitation) =>
      quick.write(function* (sql) {
        const isAdded = yield* addAccount(sql, account)
        if (isAdded) yield* sql.run(addInvitation, { ...invitation, account_id: account.id })
        return isAdded
      }),
    async addInvitation(account_id, invitation) {
      await quick.run(addInvitation, { ...invitation, account_id })
    },
    findAccount: (id) => quick.get(findAccount, { id }),
    findAccountByName: (name) => quick.get(`SELECT ${accountColumns} FROM accounts a WHERE name = $name`, { name }),
    findInvitedAccount: (hash, now) => quick.get(findInvited, { hash, now }),
    listAccounts: (limit) =>
      quick.all(`SELECT ${accountColumns} FROM accounts a ORDER BY created_at, id LIMIT $limit`, { limit }),
    acceptInvitation: (hash, password_hash, now) =>
      quick.write(function* (sql) {
        const invited = '(SELECT account_id FROM invitations WHERE hash = $hash)'
        yield* sql.dialect.lockAccount(sql, invited, { hash })
        const account = yield* sql.get<StoredAccount>(findInvited, { hash, now })
        if (!account) return null
        const { id } = account
        yield* sql.run('UPDATE accounts SET password_hash = $password_hash WHERE id = $id', { password_hash, id })
        for (const table of ['invitations', 'sessions']) yield* sql.run(deleteRowsOf(table), { id })
        return { ...account, password_hash }
      }),
    removeAccount: (id) =>
      quick.write(function* (sql) {
        const found = yield* sql.get(`SELECT id FROM accounts WHERE id = $id ${sql.dialect.forUpdate}`, { id })
        yield* sql.run(deleteRefreshTokens, { id })
        for (const table of tablesOfAccount) yield* sql.run(deleteRowsOf(table), { id })
        yield* sql.run('DELETE FROM accounts WHERE id = $id', { id })
        if (found) yield* sql.run(raiseAccessEpoch)
        return found !== null
      }),
    async sweep(now) {
      await work.run('DELETE FROM invitations WHERE expires_at <= $now', { now })
    },
  }
}

/** The columns of a `StoredAccount` that is selected as `a`. */
export const accountColumns = 'a.id, a.name, a.created_at, a.scopes, a.password_hash'
/** Finds the account `$id`. */
export const findAccount = `SELECT ${accountColumns} FROM accounts a WHERE a.id = $id`
const findInvited = `SELECT ${accountColumns} FROM ${activeWithToken('invitations')} AND s.hash = $hash`
const addInvitation =
  'INSERT INTO invitations (hash, account_id, expires_at, token_id) VALUES ($hash, $account_id, $expires_at, $token_id)'

function* addAccount(sql: Statements, account: NewAccount) {
  const taken = yield* sql.get('SELECT 1 AS taken FROM accounts WHERE id = $id OR name = $name', account)
  if (taken) return false
  const added = yield* sql.run(
    `INSERT INTO accounts (id, name, created_at, scopes) VALUES ($id, $name, $created_at, $scopes)
     ON CONFLICT DO NOTHING`,
    account,
  )
  return added > 0
}

/** The tables with rows of accounts. The access tokens and codes of a grant come before the grant. */
const tablesOfAccount = [
  'sessions',
  'invitations',
  'shares',
  'pins',
  'tokens',
  'oauth_codes',
  'oauth_devices',
  'oauth_grants',
  'usage',
  'quota_usage',
]
const deleteRowsOf = (table: string) => `DELETE FROM ${table} WHERE account_id = $id`
const deleteRefreshTokens =
  'DELETE FROM oauth_refresh_tokens WHERE grant_id IN (SELECT id FROM oauth_grants WHERE account_id = $id)'
