import type { NewShare, SharedContent, ShareStore, StoredShare } from '../shares.ts'
import { activeWithTokenIn } from './access.ts'
import type { SqliteTransactions } from './transactions.ts'

type ShareRow = StoredShare & { document: Uint8Array | null }
type NewRow = Omit<NewShare, 'content'> & Pick<ShareRow, 'kind' | 'run_id' | 'document'>

/** Creates the share store. All statements are prepared once. */
export function createShareStore({ db, read, write }: SqliteTransactions): ShareStore {
  const columns = 's.id, s.account_id, s.kind, s.run_id, s.title, s.created_at, s.expires_at'
  const active = activeWithTokenIn('shares')
  const add = db.query<unknown, [NewRow]>(
    `INSERT INTO shares (id, hash, account_id, token_id, kind, run_id, title, document, created_at, expires_at)
     VALUES ($id, $hash, $account_id, $token_id, $kind, $run_id, $title, $document, $created_at, $expires_at)`,
  )
  const count = db.query<{ shares: number }, [{ account_id: string; now: number }]>(
    `SELECT count(*) AS shares FROM ${active} AND s.account_id = $account_id`,
  )
  const find = db.query<ShareRow, [{ hash: Uint8Array; now: number }]>(
    `SELECT ${columns}, s.document FROM ${active} AND s.hash = $hash`,
  )
  const list = db.query<StoredShare, [{ account_id: string; now: number }]>(
    `SELECT ${columns} FROM ${active} AND s.account_id = $account_id ORDER BY s.created_at DESC, s.id`,
  )
  const remove = db.query('DELETE FROM shares WHERE account_id = ? AND id = ?')
  const sweep = db.query('DELETE FROM shares WHERE expires_at <= ?')
  return {
    addShare: (share, maximum) =>
      write(() => {
        const { account_id, created_at: now } = share
        const hasRoom = count.get({ account_id, now })!.shares < maximum
        if (hasRoom) add.run(rowOf(share))
        return hasRoom
      }),
    findShare: (hash, now) =>
      read(() => {
        const row = find.get({ hash, now })
        if (!row) return null
        const { document, ...share } = row
        return { share, content: contentOf(share, document) }
      }),
    listShares: (account_id, now) => read(() => list.all({ account_id, now })),
    removeShare: (account_id, id) => write(() => remove.run(account_id, id).changes > 0),
    sweep: (now) => write(() => void sweep.run(now)),
  }
}

function rowOf({ content, ...share }: NewShare): NewRow {
  return content.kind === 'run'
    ? { ...share, kind: 'run', run_id: content.run_id, document: null }
    : { ...share, kind: 'report', run_id: null, document: content.document }
}

function contentOf({ kind, run_id }: StoredShare, document: Uint8Array | null): SharedContent {
  return kind === 'run' ? { kind, run_id: run_id! } : { kind, document: document! }
}
