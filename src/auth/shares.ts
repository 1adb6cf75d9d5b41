import { ApiError } from '../model/error.ts'
import type { FoundShare, ShareStore, SharedContent, StoredShare } from '../store/accounts/shares.ts'
import type { Account } from './accounts.ts'
import { tokenHash } from './token.ts'

const day_ms = 86_400_000
const secret_bytes = 24
/** The links that an account can have at the same time. */
export const sharesMax = 200
/** The longest and the usual lifetime of a link. */
export const [shareLifetimeMax_days, shareLifetimeDefault_days] = [365, 30] as const

/** What is shared. `latestExpiry` is when the content itself expires, in milliseconds since 1970. */
export type ShareRequest = { title: string; content: SharedContent; days: number; latestExpiry?: number }

/** Creates, lists and revokes the read-only links of an account. Whoever has the secret of a link reads its content. */
export type ShareManager = {
  /** @throws {ApiError} `share_limit_reached` */
  create(account: Account, request: ShareRequest): Promise<{ share: StoredShare; secret: string }>
  list(account: Account): Promise<StoredShare[]>
  /** Ends a link with immediate effect. @throws {ApiError} `share_not_found`, also for links of other accounts. */
  revoke(account: Account, id: string): Promise<void>
  /** Finds an active link. @throws {ApiError} `share_not_found` */
  find(secret: string): Promise<FoundShare>
}

type Deps = { store: ShareStore; now: () => Date; randomBytes: (size: number) => Uint8Array }

/** Creates the manager of links. It stores only the hash of the secret of a link. */
export function createShareManager({ store, now, randomBytes }: Deps): ShareManager {
  return {
    async create(account, { title, content, days, latestExpiry = Infinity }) {
      const secret = randomBytes(secret_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      const created_at = now().getTime()
      const share = {
        id: `share_${randomBytes(10).toHex()}`,
        account_id: account.id,
        title,
        created_at,
        expires_at: Math.min(created_at + days * day_ms, latestExpiry),
      }
      const token_id = account.token?.id ?? null
      if (!(await store.addShare({ ...share, hash: tokenHash(secret), token_id, content }, sharesMax)))
        throw new ApiError(
          'share_limit_reached',
          `You have ${sharesMax} active links. Revoke one of them, or wait until one expires.`,
          { limit: sharesMax },
        )
      const run_id = content.kind === 'run' ? content.run_id : null
      return { share: { ...share, kind: content.kind, run_id }, secret }
    },
    list: (account) => store.listShares(account.id, now().getTime()),
    async revoke(account, id) {
      if (!(await store.removeShare(account.id, id)))
        throw new ApiError('share_not_found', 'Link not found. It is unknown, revoked, or belongs to another account.')
    },
    async find(secret) {
      const found = await store.findShare(tokenHash(secret), now().getTime())
      if (!found) throw new ApiError('share_not_found', 'This link has expired, was revoked, or was never valid.')
      return found
    },
  }
}
