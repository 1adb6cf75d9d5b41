import type { NewAccount, NewInvitation, PeopleStore, StoredAccount } from '../people.ts'
import { lockAccount } from './locks.ts'
import { activeWithToken } from './postgres-access.ts'
import { type PostgresPools, type PostgresQuery, withIntegers } from './postgres-pool.ts'
import { raiseEpoch } from './revocation.ts'

const columns = 'a.id, a.name, a.created_at, a.scopes, a.password_hash'

/** Creates the people store on PostgreSQL. */
export function createPostgresPeople({ quick, work }: PostgresPools): PeopleStore {
  const { query, transaction } = quick
  return {
    addAccount: (account) => addAccount(query, account),
    invite: (account, invitation) =>
      transaction(async (send) => {
        const isAdded = await addAccount(send, account)
        if (isAdded) await addInvitation(send, account.id, invitation)
        return isAdded
      }),
    addInvitation: (account_id, invitation) => addInvitation(query, account_id, invitation),
    findAccount: (id) => findAccount(query, 'accounts a WHERE a.id = $1', id),
    findAccountByName: (name) => findAccount(query, 'accounts a WHERE a.name = $1', name),
    findInvitedAccount: (hash, now) => findInvited(query, hash, now),
    async listAccounts(limit) {
      const accounts = await query<StoredAccount>(
        `SELECT ${columns} FROM accounts a ORDER BY created_at, id LIMIT $1`,
        limit,
      )
      return accounts.map((account) => withIntegers(account, 'created_at'))
    },
    acceptInvitation: (hash, passwordHash, now) =>
      transaction(async (send) => {
        await lockAccount(send, '(SELECT account_id FROM invitations WHERE hash = $1)', hash)
        const account = await findInvited(send, hash, now)
        if (!account) return null
        await send('UPDATE accounts SET password_hash = $1 WHERE id = $2', passwordHash, account.id)
        await send('DELETE FROM invitations WHERE account_id = $1', account.id)
        await send('DELETE FROM sessions WHERE account_id = $1', account.id)
        return { ...account, password_hash: passwordHash }
      }),
    removeAccount: (id) =>
      transaction(async (send) => {
        const found = await send('SELECT id FROM accounts WHERE id = $1 FOR UPDATE', id)
        for (const removal of removals) await send(removal, id)
        if (found.length > 0) await raiseEpoch(send)
        return found.length > 0
      }),
    async sweep(now) {
      await work.query('DELETE FROM invitations WHERE expires_at <= $1', now)
    },
  }
}

const removals = [
  'DELETE FROM sessions WHERE account_id = $1',
  'DELETE FROM invitations WHERE account_id = $1',
  'DELETE FROM shares WHERE account_id = $1',
  'DELETE FROM pins WHERE account_id = $1',
  'DELETE FROM tokens WHERE account_id = $1',
  'DELETE FROM oauth_codes WHERE account_id = $1',
  'DELETE FROM oauth_devices WHERE account_id = $1',
  'DELETE FROM oauth_refresh_tokens WHERE grant_id IN (SELECT id FROM oauth_grants WHERE account_id = $1)',
  'DELETE FROM oauth_grants WHERE account_id = $1',
  'DELETE FROM usage WHERE account_id = $1',
  'DELETE FROM quota_usage WHERE account_id = $1',
  'DELETE FROM accounts WHERE id = $1',
]

async function addAccount(query: PostgresQuery, { id, name, created_at, scopes }: NewAccount): Promise<boolean> {
  const added = await query(
    'INSERT INTO accounts (id, name, created_at, scopes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING id',
    id,
    name,
    created_at,
    scopes,
  )
  return added.length > 0
}

async function addInvitation(query: PostgresQuery, account_id: string, invitation: NewInvitation): Promise<void> {
  await query(
    'INSERT INTO invitations (hash, account_id, expires_at, token_id) VALUES ($1, $2, $3, $4)',
    invitation.hash,
    account_id,
    invitation.expires_at,
    invitation.token_id,
  )
}

function findInvited(query: PostgresQuery, hash: Uint8Array, now: number): Promise<StoredAccount | null> {
  return findAccount(query, `${activeWithToken('invitations', '$2')} AND s.hash = $1`, hash, now)
}

/** Finds the account of an expression that selects one as `a`. */
export async function findAccount(
  query: PostgresQuery,
  from: string,
  ...values: (string | number | Uint8Array)[]
): Promise<StoredAccount | null> {
  const [account] = await query<StoredAccount>(`SELECT ${columns} FROM ${from}`, ...values)
  return account ? withIntegers(account, 'created_at') : null
}
