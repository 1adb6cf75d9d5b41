import type { Database } from 'bun:sqlite'
import type { Log } from '../log.ts'
import type { HttpClient } from '../net/http-client.ts'
import { createAccountStore } from '../store/sqlite/accounts.ts'
import { createDeviceStore } from '../store/sqlite/devices.ts'
import { isSqliteBusy } from '../store/sqlite/sqlite-errors.ts'
import { createOAuthStore } from '../store/sqlite/oauth.ts'
import { isReadOnlyDatabase } from '../store/sqlite/read-only.ts'
import { getOrCreateSecret } from '../store/sqlite/secrets.ts'
import { createSessionStore } from '../store/sqlite/sessions.ts'
import { createQuotaStore } from '../store/sqlite/quota.ts'
import { createUsageStore } from '../store/sqlite/usage.ts'
import { createAccountManager, type AccountManager } from './accounts.ts'
import { createAuthorizationEndpoint, type AuthorizationEndpoint } from './authorization.ts'
import { createClientRegistry, unusedClientTtl_ms, type ClientRegistry } from './clients.ts'
import { createDeviceFlow, type DeviceFlow } from './device-flow.ts'
import { createGrantManager, type GrantManager } from './grants.ts'
import { createUserManager, type UserManager } from './users.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'
import { createSignInLink, type SignInLink } from './sign-in-link.ts'
import { createSessionManager, type SessionManager } from './sessions.ts'
import { createApiTokenManager, type ApiTokenManager } from './api-tokens.ts'
import { createUsageMeter, type UsageMeter } from './usage-meter.ts'

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
  usage: UsageMeter
  rateLimiter: RateLimiter
  /** Deletes expired records. */
  sweep(): void
  close(): void
}

type Deps = {
  db: Database
  /** Fetches client documents; null if the server reads none. */
  documentClient: HttpClient | null
  config: { auth: 'on' | 'off'; base_url: string; rate_limit: number; daily_quota: number }
  now: () => Date
  randomBytes: (size: number) => Uint8Array
  log: Log
}

/** How often the counts in memory are written to the database. */
const flushInterval_ms = 10_000

/** Opens access control on one database. */
export function openAccess({ db, documentClient, config, now, randomBytes, log }: Deps): Access {
  const base_url = config.base_url.replace(/\/$/, '')
  const isDbReadOnly = isReadOnlyDatabase(db)
  const store = createAccountStore(db)
  const oauthStore = createOAuthStore(db)
  const sessionStore = createSessionStore(db)
  const accounts = createAccountManager(store, { auth: config.auth, now, randomBytes })
  const isSecure = base_url.startsWith('https:')
  const sessions = createSessionManager({ store: sessionStore, accounts, isSecure, now, randomBytes })
  const usage = createUsageMeter(createUsageStore(db), now)
  const rateLimiter = createRateLimiter({ ...config, store: createQuotaStore(db), now })
  const clients = createClientRegistry({ store: oauthStore, documentClient, now, randomBytes })
  const grants = createGrantManager({
    store: oauthStore,
    accountStore: store,
    accounts,
    key: getOrCreateSecret(db, 'oauth_successors', randomBytes),
    base_url,
    now,
    randomBytes,
  })
  const flushTimer = setInterval(() => flush((error) => !isSqliteBusy(error)), flushInterval_ms).unref()
  return {
    accounts,
    sessions,
    signInLink: createSignInLink({ now, randomBytes }),
    usage,
    rateLimiter,
    clients,
    grants,
    tokens: createApiTokenManager({ store, accounts, now, randomBytes }),
    users: createUserManager({ store, sessions: sessionStore, accounts, now, randomBytes }),
    authorization: createAuthorizationEndpoint({ store: oauthStore, clients, base_url, now, randomBytes }),
    deviceFlow: createDeviceFlow({
      store: createDeviceStore(db),
      accounts,
      clients,
      grants,
      base_url,
      now,
      randomBytes,
    }),
    sweep() {
      if (isDbReadOnly) return
      const time = now().getTime()
      sessionStore.sweep(time)
      oauthStore.sweep(time, time - unusedClientTtl_ms)
      store.sweep(time)
      usage.sweep()
      rateLimiter.sweep()
    },
    close() {
      clearInterval(flushTimer)
      flush(() => true)
    },
  }

  /** Writes the counts. A failed write keeps them in memory for the next flush. `shouldLog` skips a busy database. */
  function flush(shouldLog: (error: unknown) => boolean): void {
    if (isDbReadOnly) return
    try {
      usage.flush()
      rateLimiter.flush()
      accounts.flush()
    } catch (error) {
      if (shouldLog(error)) log.error('usage', { error })
    }
  }
}
