import { ApiError } from '../model/error.ts'
import type { AccountStore, StoredAccount } from '../store/accounts.ts'
import { retryWhileBusy } from '../store/retry-while-busy.ts'
import type { SessionStore } from '../store/sessions.ts'
import { accountFromStored, ownerId, allScopes, type Account, type AccountManager, type Scope } from './accounts.ts'
import { createThrottle } from './throttle.ts'
import { isToken, tokenHash } from './token.ts'

/** People: invited by the owner, known by a name and a password. */
export type UserManager = {
  /** A code for setting a password, once, of a new account; null when the name is taken. */
  invite(name: string, scopes: Scope[]): string | null
  /** A code for setting a new password of an account that is there; null when it is not. */
  createResetCode(name: string): string | null
  /** Everybody who has an account, the first first. */
  list(): User[]
  find(id: string): User | null
  /** Shuts a person out at once and for good: sessions, tokens, logins and invitations are gone. The owner stays. */
  remove(id: string): void
  /** Whose invitation a code is, while it is good. */
  invitedAccount(code: string): Account | null
  /** Sets the password that belongs to a code; the code is spent. */
  acceptInvitation(code: string, password: string): Promise<Account | null>
  /** Who has this name and password, or this name and a token that allows all the account may do. Throws `rate_limited` after too many failures. */
  signIn(name: string, password: string, address: string): Promise<Account | null>
}

/** Somebody as the owner sees them. `hasPassword`: false while an invitation is still open. */
export type User = { id: string; name: string; scopes: Scope[]; created_at: Date; hasPassword: boolean }

type Deps = {
  store: AccountStore
  sessions: SessionStore
  accounts: Pick<AccountManager, 'authenticate' | 'byId' | 'clearCache' | 'ensureOwner'>
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

export const userNamePattern = /^[\p{L}\p{N}._@+-]{1,64}$/u
/** What an invited person may do when nothing is said: all but what is billed and what rules the house. */
export const defaultUserScopes = allScopes.filter((scope) => scope !== 'admin' && scope !== 'parcel')
export const passwordMin_characters = 12
export const passwordMax_characters = 256
export const invitationLifetime_ms = 7 * 86_400_000
const listedMax = 1000
const failuresMax = 10
const failuresWindow_ms = 15 * 60_000
const code_bytes = 32
/** Hashing takes a processor and 64 MiB: more than this at once and sign-in would be a way to bring the service down. */
const concurrentHashesMax = 2
const hashOptions = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const

export function createUserManager({ store, sessions, accounts, now, randomBytes }: Deps): UserManager {
  const failureThrottle = createThrottle({ limit: failuresMax, window_ms: failuresWindow_ms, now })
  let runningHashes = 0
  let decoyHash: Promise<string> | null = null
  return {
    invite,
    createResetCode,
    list: () => store.listAccounts(listedMax).map(userOf),
    find,
    remove,
    invitedAccount,
    acceptInvitation,
    signIn,
  }

  function invite(name: string, scopes: Scope[]): string | null {
    const id = `acc_${randomBytes(10).toHex()}`
    return store.addAccount(id, name, now().getTime(), scopes.join(' ')) ? createInvitation(id) : null
  }

  function createResetCode(name: string): string | null {
    if (name === 'owner') store.addAccount(ownerId, 'owner', now().getTime())
    const account = store.findAccountByName(name)
    return account && createInvitation(account.id)
  }

  function find(id: string): User | null {
    const stored = store.findAccount(id)
    return stored && userOf(stored)
  }

  function remove(id: string): void {
    if (id === ownerId)
      throw new ApiError('bad_request', 'The owner of the server stays: nobody can remove this account.')
    if (!store.findAccount(id)) throw new ApiError('user_not_found', 'There is no such account.')
    store.removeAccount(id)
    accounts.clearCache()
  }

  function createInvitation(account_id: string): string {
    const code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
    sessions.addInvitation(tokenHash(code), account_id, now().getTime() + invitationLifetime_ms)
    return code
  }

  function invitedAccount(code: string): Account | null {
    const id = sessions.findInvitedAccount(tokenHash(code), now().getTime())
    return id === null ? null : accounts.byId(id)
  }

  async function acceptInvitation(code: string, password: string): Promise<Account | null> {
    if (!invitedAccount(code)) return null
    const hash = await withHashSlot(() => Bun.password.hash(password, hashOptions))
    // Asked again: another may have spent it while this was hashed.
    const account = invitedAccount(code)
    if (account) await retryWhileBusy(() => sessions.setPassword(account.id, hash))
    return account
  }

  async function signIn(name: string, password: string, address: string): Promise<Account | null> {
    const stored = store.findAccountByName(name)
    const account = accountFromStored(stored)
    // Nobody guesses a token: with one, a person gets in although others have tried passwords under the name.
    if (isToken(password)) return isFullTokenOf(account, password) ? account : null
    const throttleKeys = [`name ${name}`, `from ${address}`]
    const blockedKey = throttleKeys.find((it) => !failureThrottle.allows(it))
    if (blockedKey)
      throw new ApiError('rate_limited', 'Too many attempts have failed: wait a while.', {
        retry_after_s: failureThrottle.retryAfter_s(blockedKey),
      })
    const isCorrect = await isPassword(stored?.password ?? null, password)
    if (isCorrect) failureThrottle.reset(throttleKeys[0]!)
    else for (const it of throttleKeys) failureThrottle.record(it)
    return isCorrect ? account : null
  }

  /** A hash that nobody knows the password of stands in where there is none: to find out who has an account takes as long as a wrong password. */
  async function isPassword(hash: string | null, password: string): Promise<boolean> {
    decoyHash ??= Bun.password.hash(randomBytes(code_bytes).toHex(), hashOptions)
    const expectedHash = hash ?? (await decoyHash)
    return (await withHashSlot(() => Bun.password.verify(password, expectedHash))) && hash !== null
  }

  function isFullTokenOf(account: Account | null, token: string): boolean {
    try {
      const tokenAccount = accounts.authenticate(`Bearer ${token}`)
      return (
        account !== null &&
        tokenAccount.id === account.id &&
        tokenAccount.via === 'pat' &&
        tokenAccount.scopes.size === account.scopes.size
      )
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
    if (runningHashes >= concurrentHashesMax)
      throw new ApiError('rate_limited', 'Too many are signing in at this moment: try again in a second.', {
        retry_after_s: 1,
      })
    runningHashes++
    try {
      return await work()
    } finally {
      runningHashes--
    }
  }
}

function userOf(stored: StoredAccount): User {
  const { id, name, scopes } = accountFromStored(stored)!
  return {
    id,
    name,
    scopes: [...scopes],
    created_at: new Date(stored.created_at),
    hasPassword: stored.password !== null,
  }
}
