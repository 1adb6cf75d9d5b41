import type { NewShare, SharedContent, ShareStore, StoredShare } from '../shares.ts'
import { lockAccount } from './locks.ts'
import { activeWithToken } from './postgres-access.ts'
import { type PostgresPools, type PostgresQuery, withIntegers } from './postgres-pool.ts'

const columns = 's.id, s.account_id, s.kind, s.run_id, s.title, s.created_at, s.expires_at'

/** Creates the share store on PostgreSQL. */
export function createPostgresShares({ quick: { query, transaction }, work }: PostgresPools): ShareStore {
  return {
    addShare: (share, maximum) =>
      transaction(async (send) => {
        // Otherwise two processes could both count before either adds a link.
        await lockAccount(send, '$1', share.account_id)
        const [counted] = await send<{ shares: string }>(
          `SELECT count(*) AS shares FROM ${activeWithToken('shares', '$2')} AND s.account_id = $1`,
          share.account_id,
          share.created_at,
        )
        const hasRoom = Number(counted!.shares) < maximum
        if (hasRoom) await insertShare(send, share)
        return hasRoom
      }),
    async findShare(hash, now) {
      const [row] = await query<StoredShare & { document: Uint8Array | null }>(
        `SELECT ${columns}, s.document FROM ${activeWithToken('shares', '$2')} AND s.hash = $1`,
        hash,
        now,
      )
      if (!row) return null
      const { document, ...share } = row
      const content: SharedContent =
        share.kind === 'run'
          ? { kind: 'run', run_id: share.run_id! }
          : { kind: 'report', document: new Uint8Array(document!) }
      return { share: withIntegers(share, 'created_at', 'expires_at'), content }
    },
    async listShares(account_id, now) {
      const shares = await query<StoredShare>(
        `SELECT ${columns} FROM ${activeWithToken('shares', '$2')} AND s.account_id = $1 ORDER BY s.created_at DESC, s.id`,
        account_id,
        now,
      )
      return shares.map((share) => withIntegers(share, 'created_at', 'expires_at'))
    },
    async removeShare(account_id, id) {
      const removed = await query('DELETE FROM shares WHERE account_id = $1 AND id = $2 RETURNING id', account_id, id)
      return removed.length > 0
    },
    async sweep(now) {
      await work.query('DELETE FROM shares WHERE expires_at <= $1', now)
    },
  }
}

async function insertShare(query: PostgresQuery, { content, ...share }: NewShare): Promise<void> {
  await query(
    `INSERT INTO shares (id, hash, account_id, token_id, kind, run_id, title, document, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    share.id,
    share.hash,
    share.account_id,
    share.token_id,
    content.kind,
    content.kind === 'run' ? content.run_id : null,
    share.title,
    content.kind === 'run' ? null : content.document,
    share.created_at,
    share.expires_at,
  )
}
