import type { NewAccount, NewInvitation, PeopleStore, StoredAccount } from '../people.ts'
import { activeWithTokenIn, raiseAccessEpoch } from './access.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the people store. All statements are prepared once. */
export function createPeopleStore({ db, read, write }: SqliteTransactions): PeopleStore {
  const columns = 'id, name, created_at, scopes, password_hash'
  const addAccount = db.query<unknown, [NewAccount]>(
    `INSERT INTO accounts (id, name, created_at, scopes) SELECT $id, $name, $created_at, $scopes
     WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = $id OR name = $name)`,
  )
  const addInvitation = db.query<unknown, [NewInvitation & { account_id: string }]>(
    'INSERT INTO invitations (hash, account_id, expires_at, token_id) VALUES ($hash, $account_id, $expires_at, $token_id)',
  )
  const findAccount = db.query<StoredAccount, [string]>(`SELECT ${columns} FROM accounts WHERE id = ?`)
  const findAccountByName = db.query<StoredAccount, [string]>(`SELECT ${columns} FROM accounts WHERE name = ?`)
  const listAccounts = db.query<StoredAccount, [number]>(
    `SELECT ${columns} FROM accounts ORDER BY created_at, id LIMIT ?`,
  )
  const findInvited = db.query<StoredAccount, [{ hash: Uint8Array; now: number }]>(
    `SELECT ${columns} FROM accounts WHERE id = (SELECT s.account_id FROM ${activeWithTokenIn('invitations')} AND s.hash = $hash)`,
  )
  const setPassword = db.query('UPDATE accounts SET password_hash = ? WHERE id = ?')
  const endings = ['invitations', 'sessions'].map((table) => db.query(`DELETE FROM ${table} WHERE account_id = ?`))
  const removals = removalStatements.map((statement) => db.query(statement))
  const raiseEpoch = db.query(raiseAccessEpoch)
  const sweep = db.query('DELETE FROM invitations WHERE expires_at <= ?')
  return {
    addAccount: (account) => write(() => addAccount.run(account).changes > 0),
    invite: (account, invitation) =>
      write(() => {
        const isAdded = addAccount.run(account).changes > 0
        if (isAdded) addInvitation.run({ ...invitation, account_id: account.id })
        return isAdded
      }),
    addInvitation: (account_id, invitation) => write(() => void addInvitation.run({ ...invitation, account_id })),
    findAccount: (id) => read(() => findAccount.get(id)),
    findAccountByName: (name) => read(() => findAccountByName.get(name)),
    findInvitedAccount: (hash, now) => read(() => findInvited.get({ hash, now })),
    listAccounts: (limit) => read(() => listAccounts.all(limit)),
    acceptInvitation: (hash, passwordHash, now) =>
      write(() => {
        const account = findInvited.get({ hash, now })
        if (!account) return null
        setPassword.run(passwordHash, account.id)
        for (const ending of endings) ending.run(account.id)
        return { ...account, password_hash: passwordHash }
      }),
    removeAccount: (id) =>
      write(() => {
        const isFound = findAccount.get(id) !== null
        for (const removal of removals) removal.run(id)
        if (isFound) raiseEpoch.run()
        return isFound
      }),
    sweep: (now) => write(() => void sweep.run(now)),
  }
}

const removalStatements = [
  'DELETE FROM sessions WHERE account_id = ?',
  'DELETE FROM invitations WHERE account_id = ?',
  'DELETE FROM shares WHERE account_id = ?',
  'DELETE FROM pins WHERE account_id = ?',
  'DELETE FROM tokens WHERE account_id = ?',
  'DELETE FROM oauth_codes WHERE account_id = ?',
  'DELETE FROM oauth_devices WHERE account_id = ?',
  'DELETE FROM oauth_refresh_tokens WHERE grant_id IN (SELECT id FROM oauth_grants WHERE account_id = ?)',
  'DELETE FROM oauth_grants WHERE account_id = ?',
  'DELETE FROM usage WHERE account_id = ?',
  'DELETE FROM quota_usage WHERE account_id = ?',
  'DELETE FROM accounts WHERE id = ?',
]
