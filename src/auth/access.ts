import type { Database } from 'bun:sqlite'
import type { Log } from '../log.ts'
import type { HttpClient } from '../net/http-client.ts'
import { openAccountStore } from '../store/accounts.ts'
import { openDeviceStore } from '../store/devices.ts'
import { isBusy } from '../store/disk.ts'
import { openOAuthStore } from '../store/oauth.ts'
import { isReadOnly } from '../store/read-only.ts'
import { secretOf } from '../store/secrets.ts'
import { openSessionStore } from '../store/sessions.ts'
import { openUsageStore } from '../store/usage.ts'
import { openAccounts, type Accounts } from './accounts.ts'
import { openAuthorization, type Authorization } from './authorization.ts'
import { openClients, unusedFor_ms, type Clients } from './clients.ts'
import { openDevices, type Devices } from './devices.ts'
import { openGrants, type Grants } from './grants.ts'
import { openPeople, type People } from './people.ts'
import { openRate, type Rate } from './rate.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { openTokens, type Tokens } from './tokens.ts'
import { openUsage, type Usage } from './usage.ts'

/** All that decides who may do what: accounts, people and their sessions, tokens, OAuth, and how much was asked for. */
export type Access = {
  accounts: Accounts
  tokens: Tokens
  people: People
  sessions: Sessions
  clients: Clients
  authorization: Authorization
  grants: Grants
  devices: Devices
  usage: Usage
  rate: Rate
  /** Forgets what is past its time. */
  sweep(): void
  close(): void
}

type Means = {
  db: Database
  net: HttpClient | null
  config: { auth: 'on' | 'off'; base_url: string; rate_limit: number; daily_quota: number }
  now: () => Date
  randomBytes: (size: number) => Uint8Array
  log: Log
}

/** What is counted in memory is written down this often. */
const flushEvery_ms = 10_000

/** Puts together all that decides who may do what, on one database. */
export function openAccess({ db, net, config, now, randomBytes, log }: Means): Access {
  const base_url = config.base_url.replace(/\/$/, '')
  const nothingIsWritten = isReadOnly(db)
  const store = openAccountStore(db)
  const oauth = openOAuthStore(db)
  const sessionStore = openSessionStore(db)
  const accounts = openAccounts(store, { auth: config.auth, now, randomBytes })
  const sessions = openSessions({ store: sessionStore, accounts, isSecure: base_url.startsWith('https:'), now, randomBytes })
  const usage = openUsage(openUsageStore(db), now)
  const clients = openClients({ store: oauth, net, now, randomBytes })
  const grants = openGrants({ store: oauth, accountStore: store, accounts, key: secretOf(db, 'oauth_successors', randomBytes), base_url, now, randomBytes })
  const flushing = setInterval(() => flush((error) => !isBusy(error)), flushEvery_ms).unref()
  return {
    accounts, sessions, usage, clients, grants,
    tokens: openTokens({ store, accounts, now, randomBytes }),
    people: openPeople({ store, sessions: sessionStore, accounts, now, randomBytes }),
    authorization: openAuthorization({ store: oauth, clients, base_url, now, randomBytes }),
    devices: openDevices({ store: openDeviceStore(db), accounts, clients, grants, base_url, now, randomBytes }),
    rate: openRate({ per_minute: config.rate_limit, per_day: config.daily_quota, usage, now }),
    sweep() {
      if (nothingIsWritten) return
      const time = now().getTime()
      sessionStore.sweep(time)
      oauth.sweep(time, time - unusedFor_ms)
      store.sweep(time)
      usage.sweep()
    },
    close() {
      clearInterval(flushing)
      flush(() => true)
    },
  }

  /** What cannot be written down now is counted on, and written the next time: that another connection has its turn is nothing to tell, until the end. */
  function flush(isTold: (error: unknown) => boolean): void {
    if (nothingIsWritten) return
    try {
      usage.flush()
      accounts.flush()
    } catch (error) {
      if (isTold(error)) log.error('usage', { error })
    }
  }
}
