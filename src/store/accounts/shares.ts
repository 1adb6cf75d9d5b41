import { activeWithToken } from './revocation.ts'
import type { SqlPools } from '../sql.ts'

/**
 * What a link shows: a run, or a report as it was when the link was made. The document of a report is compressed with
 * gzip.
 */
export type SharedContent = { kind: 'run'; run_id: string } | { kind: 'report'; document: Uint8Array }

/** A read-only link. Times are milliseconds since 1970. */
export type StoredShare = {
  id: string
  account_id: string
  kind: SharedContent['kind']
  /** The run; null for a report. */
  run_id: string | null
  title: string
  created_at: number
  expires_at: number
}

/** A new link. Only the hash of its secret is stored. It ends with the token that it was made with, if any. */
export type NewShare = Omit<StoredShare, 'kind' | 'run_id'> & {
  hash: Uint8Array
  token_id: number | null
  content: SharedContent
}

/** A link that was found by its secret. */
export type FoundShare = { share: StoredShare; content: SharedContent }

/** The read-only links of accounts. */
export type ShareStore = {
  /** Adds a link. Resolves with false, and adds nothing, if the account has `maximum` active links. */
  addShare(share: NewShare, maximum: number): Promise<boolean>
  /** An unexpired link with its content. The link of a revoked or expired token has ended. */
  findShare(hash: Uint8Array, now: number): Promise<FoundShare | null>
  /** The active links of an account, the newest first. */
  listShares(account_id: string, now: number): Promise<StoredShare[]>
  /** Deletes a link of an account. Resolves with false if the account has no such link. */
  removeShare(account_id: string, id: string): Promise<boolean>
  /** Deletes the expired links. */
  sweep(now: number): Promise<void>
}

type ShareRow = StoredShare & { document: Uint8Array | null }

/** Creates the share store. */
export function createShares({ quick, work }: SqlPools): ShareStore {
  return {
    addShare: ({ content, ...share }, maximum) =>
      quick.write(function* (sql) {
        const { account_id, created_at: now } = share
        // Otherwise two processes could both count before either adds a link.
        yield* sql.dialect.lockAccount(sql, '$account_id', { account_id })
        const counted = yield* sql.get<{ shares: number }>(countShares, { account_id, now })
        const hasRoom = counted!.shares < maximum
        if (hasRoom) yield* sql.run(addShare, { ...share, ...columnsOf(content) })
        return hasRoom
      }),
    async findShare(hash, now) {
      const row = await quick.get<ShareRow>(findShare, { hash, now })
      if (!row) return null
      const { document, ...share } = row
      return { share, content: contentOf(share, document) }
    },
    listShares: (account_id, now) => quick.all(listShares, { account_id, now }),
    async removeShare(account_id, id) {
      return (await quick.run('DELETE FROM shares WHERE account_id = $account_id AND id = $id', { account_id, id })) > 0
    },
    async sweep(now) {
      await work.run('DELETE FROM shares WHERE expires_at <= $now', { now })
    },
  }
}

const columns = 's.id, s.account_id, s.kind, s.run_id, s.title, s.created_at, s.expires_at'
const active = activeWithToken('shares')
const addShare = `INSERT INTO shares (id, hash, account_id, token_id, kind, run_id, title, document, created_at, expires_at)
  VALUES ($id, $hash, $account_id, $token_id, $kind, $run_id, $title, $document, $created_at, $expires_at)`
const countShares = `SELECT count(*) AS shares FROM ${active} AND s.account_id = $account_id`
const findShare = `SELECT ${columns}, s.document FROM ${active} AND s.hash = $hash`
const listShares = `SELECT ${columns} FROM ${active} AND s.account_id = $account_id ORDER BY s.created_at DESC, s.id`

function columnsOf(content: SharedContent) {
  return content.kind === 'run'
    ? { kind: 'run', run_id: content.run_id, document: null }
    : { kind: 'report', run_id: null, document: content.document }
}

function contentOf({ kind, run_id }: StoredShare, document: Uint8Array | null): SharedContent {
  return kind === 'run' ? { kind, run_id: run_id! } : { kind, document: document! }
}
