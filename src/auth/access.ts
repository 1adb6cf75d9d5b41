import type { Log } from '../log.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { Store } from '../store/store.ts'
import { createAccountManager, type AccountManager } from './accounts.ts'
import { createAuthorizationEndpoint, type AuthorizationEndpoint } from './authorization.ts'
import { createClientRegistry, unusedClientTtl_ms, type ClientRegistry } from './clients.ts'
import { createDeviceFlow, type DeviceFlow } from './device-flow.ts'
import { createGrantManager, type GrantManager } from './grants.ts'
import { createUserManager, type UserManager } from './users.ts'
import { createRateLimiter, type RateLimiter, utcMinuteOf } from './rate-limiter.ts'
import { createSignInLink, type SignInLink } from './sign-in-link.ts'
import { createSessionManager, type SessionManager } from './sessions.ts'
import { createApiTokenManager, type ApiTokenManager } from './api-tokens.ts'
import { createPinManager, type PinManager } from './pins.ts'
import { createShareManager, type ShareManager } from './shares.ts'
import { createUsageMeter, firstUsageDay, utcDayOf, type UsageMeter } from './usage-meter.ts'

/** Access control: accounts, users and their sessions, tokens, OAuth, usage and rate limits. */
export type Access = {
  accounts: AccountManager
  tokens: ApiTokenManager
  users: UserManager
  sessions: SessionManager
  signInLink: SignInLink
  clients: ClientRegistry
  authorization: AuthorizationEndpoint
  grants: GrantManager
  deviceFlow: DeviceFlow
  shares: ShareManager
  pins: PinManager
  usage: UsageMeter
  rateLimiter: RateLimiter
  /** Deletes expired records. */
  sweep(): Promise<void>
  /** Writes the counts that are in memory. A failed write is logged, and its counts stay for the next call. */
  flush(): Promise<void>
  /** Stops the regular writing of the counts. Call `flush` first. */
  close(): void
}

type Deps = {
  store: Store
  /** Fetches client documents; null if the server reads none. */
  documentClient: HttpClient | null
  config: { auth: 'on' | 'off'; base_url: string; rate_limit: number; daily_quota: number; tokens_stale_s: number }
  /** Whether other processes use the same state. */
  isShared: boolean
  now: () => Date
  randomBytes: (size: number) => Uint8Array
  log: Log
}

/** How often the counts in memory are written to the database. */
const flushInterval_ms = 10_000

/** Opens access control on one database. */
export function openAccess({ store, documentClient, config, isShared, now, randomBytes, log }: Deps): Access {
  const base_url = config.base_url.replace(/\/$/, '')
  const accounts = createAccountManager(store, {
    auth: config.auth,
    tokens_stale_s: config.tokens_stale_s,
    now,
    randomBytes,
    isShared,
  })
  const isSecure = base_url.startsWith('https:')
  const sessions = createSessionManager({ store: store.access, accounts, isSecure, now, randomBytes })
  const usage = createUsageMeter(store.limits, now)
  const rateLimiter = createRateLimiter({ ...config, isShared, store: store.limits, now })
  const clients = createClientRegistry({ store: store.grants, documentClient, now, randomBytes })
  const grants = createGrantManager({ store, accounts, base_url, now, randomBytes })
  let flushing: Promise<void> | null = null
  const flushTimer = setInterval(() => void flush(), flushInterval_ms).unref()
  return {
    accounts,
    sessions,
    signInLink: createSignInLink({ now, randomBytes }),
    usage,
    rateLimiter,
    clients,
    grants,
    shares: createShareManager({ store: store.shares, now, randomBytes }),
    pins: createPinManager({ store: store.pins, now, randomBytes }),
    tokens: createApiTokenManager({ store: store.access, accounts, now, randomBytes }),
    users: createUserManager({
      store: store.people,
      sharedLimits: isShared ? store.limits : null,
      accounts,
      now,
      randomBytes,
    }),
    authorization: createAuthorizationEndpoint({ store: store.grants, clients, base_url, now, randomBytes }),
    deviceFlow: createDeviceFlow({ store: store.grants, grants, base_url, now, randomBytes }),
    async sweep() {
      if (store.isReadOnly) return
      const time = now().getTime()
      await store.people.sweep(time)
      await store.grants.sweep(time, time - unusedClientTtl_ms)
      await store.access.sweep(time)
      await store.shares.sweep(time)
      const hourAgo = new Date(time - 3_600_000)
      await store.limits.sweep({ usage: firstUsageDay(now()), day: utcDayOf(now()), minute: utcMinuteOf(hourAgo) })
    },
    async flush() {
      // What was counted since the start of a flush needs another one.
      await flushing
      await flush()
    },
    close: () => clearInterval(flushTimer),
  }

  function flush(): Promise<void> {
    flushing ??= writeCounts().finally(() => (flushing = null))
    return flushing
  }

  async function writeCounts(): Promise<void> {
    if (store.isReadOnly) return
    const results = await Promise.allSettled([usage.flush(), rateLimiter.flush(), accounts.flush()])
    const failed = results.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') log.error('usage', { error: failed.reason })
  }
}
