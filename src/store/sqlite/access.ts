import type { Database } from 'bun:sqlite'
import type { AccessStore, ListedToken, NewSession, NewToken, StoredToken } from '../access.ts'
import type { StoredAccount } from '../people.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the access store. All statements are prepared once. */
export function createAccessStore(transactions: SqliteTransactions): AccessStore {
  const { db, read, write } = transactions
  const readEpoch = db.query<{ epoch: number }, []>('SELECT epoch FROM access_epoch')
  const sweepSessions = db.query('DELETE FROM sessions WHERE expires_at <= ?')
  const sweepTokens = db.query("DELETE FROM tokens WHERE kind = 'oat' AND expires_at < ?")
  return {
    ...createTokens(transactions),
    ...createSessions(transactions),
    secret: createSecrets(transactions),
    epoch: () => read(() => readEpoch.get()!.epoch),
    sweep: (now) =>
      write(() => {
        sweepSessions.run(now)
        sweepTokens.run(now)
      }),
  }
}

type Tokens = Pick<AccessStore, 'addToken' | 'findToken' | 'listTokens' | 'revokeToken' | 'recordTokenUse'>

function createTokens({ db, read, write }: SqliteTransactions): Tokens {
  const add = db.query<unknown, [NewToken]>(
    `INSERT INTO tokens (account_id, hash, last_four, name, scopes, created_at, expires_at, parent_id)
     SELECT $account_id, $hash, $last_four, $name, $scopes, $created_at, $expires_at, $parent_id
     WHERE $parent_id IS NULL OR EXISTS (SELECT 1 FROM tokens WHERE id = $parent_id AND ${isActiveAt('$created_at')})
     ON CONFLICT DO NOTHING`,
  )
  const findId = db.query<{ id: number }, [Uint8Array]>('SELECT id FROM tokens WHERE hash = ?')
  const find = db.query<StoredToken, [Uint8Array]>(
    `SELECT t.id, t.account_id, a.name AS account_name, t.kind, t.resource, t.scopes, t.expires_at, t.revoked_at
     FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE t.hash = ?`,
  )
  const list = db.query<ListedToken, [string, number, number]>(
    `SELECT id, name, last_four, scopes, created_at, expires_at, last_used_at FROM tokens
     WHERE account_id = ? AND id < ? AND kind = 'pat' AND revoked_at IS NULL ORDER BY id DESC LIMIT ?`,
  )
  const revoke = prepareRevocation(db, "account_id = $account_id AND id = $id AND kind = 'pat' AND revoked_at IS NULL")
  const recordUse = db.query('UPDATE tokens SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?')
  return {
    addToken: (token) =>
      write(() => {
        add.run(token)
        return findId.get(token.hash)?.id ?? null
      }),
    findToken: (hash) => read(() => find.get(hash)),
    listTokens: (account_id, below, limit) => read(() => list.all(account_id, below, limit)),
    revokeToken: (account_id, id, at) => write(() => revoke({ account_id, id, at })),
    recordTokenUse: (times) =>
      write(() => {
        for (const [id, at] of times) recordUse.run(at, id)
      }),
  }
}

type Sessions = Pick<AccessStore, 'beginSession' | 'findSession' | 'endSession' | 'listSessions' | 'endOtherSessions'>

function createSessions({ db, read, write }: SqliteTransactions): Sessions {
  const activeSessions = activeWithTokenIn('sessions')
  const add = db.query<unknown, [NewSession]>(
    'INSERT INTO sessions (hash, account_id, expires_at, token_id) VALUES ($hash, $account_id, $expires_at, $token_id)',
  )
  const find = db.query<
    StoredAccount & { token_id: number | null; token_expires_at: number | null },
    [{ hash: Uint8Array; now: number }]
  >(
    `SELECT a.id, a.name, a.created_at, a.scopes, a.password_hash, f.token_id, f.token_expires_at FROM accounts a
     JOIN (SELECT s.account_id, s.token_id, t.expires_at AS token_expires_at FROM ${activeSessions} AND s.hash = $hash) f
     ON f.account_id = a.id`,
  )
  const list = db.query<
    { expires_at: number; is_current: number },
    [{ currentHash: Uint8Array; account_id: string; now: number }]
  >(
    `SELECT s.expires_at, s.hash = $currentHash AS is_current FROM ${activeSessions} AND s.account_id = $account_id
     ORDER BY s.expires_at DESC LIMIT 100`,
  )
  const end = db.query<unknown, [Uint8Array]>('DELETE FROM sessions WHERE hash = ?')
  const endOthers = db.query('DELETE FROM sessions WHERE account_id = ? AND hash <> ?')
  return {
    beginSession: (session, previousHash) =>
      write(() => {
        if (previousHash) end.run(previousHash)
        add.run(session)
      }),
    findSession: (hash, now) =>
      read(() => {
        const found = find.get({ hash, now })
        if (!found) return null
        const { token_id: id, token_expires_at: expires_at, ...account } = found
        return { account, token: id === null ? null : { id, expires_at } }
      }),
    endSession: (hash) => write(() => void end.run(hash)),
    listSessions: (account_id, currentHash, now) =>
      read(() =>
        list
          .all({ currentHash, account_id, now })
          .map(({ expires_at, is_current }) => ({ expires_at, isCurrent: is_current === 1 })),
      ),
    endOtherSessions: (account_id, currentHash) => write(() => void endOthers.run(account_id, currentHash)),
  }
}

function createSecrets({ db, read, write }: SqliteTransactions): AccessStore['secret'] {
  const find = db.query<{ value: Uint8Array }, [string]>('SELECT value FROM secrets WHERE name = ?')
  const add = db.query('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING')
  return async (name, candidate) => {
    const found = await read(() => find.get(name))
    if (found) return found.value
    try {
      return await write(() => {
        add.run(name, candidate)
        return find.get(name)!.value
      })
    } catch (error) {
      if (storageErrorOf(error)?.reason === 'read_only') return candidate
      throw error
    }
  }
}

/** The condition that a token is neither revoked nor expired at a time. */
export function isActiveAt(time: string): string {
  return `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${time})`
}

/** The rows of a table at $now, each with the token that it was made with and ends with. */
export function activeWithTokenIn(table: 'sessions' | 'invitations' | 'shares'): string {
  return `${table} s LEFT JOIN tokens t ON t.id = s.token_id WHERE s.expires_at > $now
    AND (s.token_id IS NULL OR (t.id IS NOT NULL AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $now)))`
}

/**
 * Prepares the revocation of the tokens of a condition, of the tokens that these made, and of the logins that were
 * allowed with any of them. It returns whether a token was revoked.
 */
export function prepareRevocation(
  db: Database,
  condition: string,
): (values: Record<string, string | number | Uint8Array>) => boolean {
  const family = `WITH RECURSIVE family (id) AS (
    SELECT id FROM tokens WHERE ${condition} UNION SELECT t.id FROM tokens t JOIN family f ON t.parent_id = f.id)`
  const revokeGrants = db.query(
    `${family} UPDATE oauth_grants SET revoked_at = $at WHERE token_id IN family AND revoked_at IS NULL`,
  )
  const revokeTokens = db.query(
    `${family} UPDATE tokens SET revoked_at = $at WHERE id IN family AND revoked_at IS NULL`,
  )
  const raiseEpoch = db.query(raiseAccessEpoch)
  return (values) => {
    revokeGrants.run(values)
    const isRevoked = revokeTokens.run(values).changes > 0
    if (isRevoked) raiseEpoch.run()
    return isRevoked
  }
}

/** The statement that a transaction executes when it ends tokens. */
export const raiseAccessEpoch = 'UPDATE access_epoch SET epoch = epoch + 1'
