import { ApiError } from '../model/error.ts'
import type { ParentToken } from '../store/accounts/access.ts'
import type { LimitStore } from '../store/accounts/limits.ts'
import type { NewInvitation, PeopleStore, StoredAccount } from '../store/accounts/people.ts'
import { accountFromStored, ownerId, type Account, type AccountManager } from './accounts.ts'
import { allScopes, type Scope } from './scope.ts'
import { createSharedThrottle, createThrottle } from './throttle.ts'
import { isToken, tokenHash } from './token.ts'

/** Users: invited by an administrator, signed in by name and password. */
export type UserManager = {
  /** Creates an account and returns its invitation code; null when the name is taken. The code ends with the token. */
  invite(name: string, scopes: Scope[], token?: ParentToken): Promise<string | null>
  /** Returns a code for setting a new password; null when the account does not exist. The code ends with the token. */
  createResetCode(name: string, token?: ParentToken): Promise<string | null>
  /** Returns all users, oldest first. */
  list(): Promise<User[]>
  find(id: string): Promise<User | null>
  /** Deletes a user with all sessions, tokens, logins and invitations. The owner cannot be removed. */
  remove(id: string): Promise<void>
  /** Returns the account of a valid invitation code, else null. */
  invitedAccount(code: string): Promise<Account | null>
  /** Sets the password of the invited account and uses up the code. Returns null for an invalid code. */
  acceptInvitation(code: string, password: string): Promise<Account | null>
  /**
   * Returns the account of a name and its password, or of a name and an API token with all scopes of the account.
   * @throws ApiError rate_limited after too many failures with the name, or from the network of the address.
   */
  signIn(name: string, password: string, address: string): Promise<Account | null>
}

/** A user as an administrator sees it. `hasPassword` is false while an invitation is open. */
export type User = { id: string; name: string; scopes: Scope[]; created_at: Date; hasPassword: boolean }

type Deps = {
  store: PeopleStore
  /** Counts failed attempts for all servers; null if no other server uses the database. */
  sharedLimits: LimitStore | null
  accounts: Pick<AccountManager, 'authenticate' | 'byId' | 'clearCache' | 'ensureOwner'>
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

export const userNamePattern = /^[\p{L}\p{N}._@+-]{1,64}$/u
/** The default scopes of an invited user: all except billed calls and administration. */
export const defaultUserScopes = allScopes.filter((scope) => scope !== 'admin' && scope !== 'parcel')
export const passwordMin_characters = 12
export const passwordMax_characters = 256
export const invitationLifetime_ms = 7 * 86_400_000
const listedMax = 1000
/** The failed sign-ins by password for each name and for each client address. */
export const failureLimit = { limit: 10, window_ms: 15 * 60_000 }
const code_bytes = 32
/** One hash takes a CPU core and 64 MiB. The limit keeps sign-in from overloading the service. */
const concurrentHashesMax = 2
const hashOptions = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const

export function createUserManager({ store, sharedLimits, accounts, now, randomBytes }: Deps): UserManager {
  const failureThrottle = createThrottle({ ...failureLimit, now })
  const sharedThrottle = sharedLimits && createSharedThrottle(sharedLimits, { ...failureLimit, now })
  const passwords = createPasswordHasher(randomBytes)
  return {
    invite,
    createResetCode,
    list: async () => (await store.listAccounts(listedMax)).map(userOf),
    find,
    remove,
    invitedAccount,
    acceptInvitation,
    signIn,
  }

  async function invite(name: string, scopes: Scope[], token?: ParentToken): Promise<string | null> {
    const account = {
      id: `acc_${randomBytes(10).toHex()}`,
      name,
      created_at: now().getTime(),
      scopes: scopes.join(' '),
    }
    const { code, invitation } = createInvitation(token, { now, randomBytes })
    return (await store.invite(account, invitation)) ? code : null
  }

  async function createResetCode(name: string, token?: ParentToken): Promise<string | null> {
    if (name === 'owner')
      await store.addAccount({ id: ownerId, name: 'owner', created_at: now().getTime(), scopes: null })
    const account = await store.findAccountByName(name)
    if (!account) return null
    const { code, invitation } = createInvitation(token, { now, randomBytes })
    await store.addInvitation(account.id, invitation)
    return code
  }

  async function find(id: string): Promise<User | null> {
    const stored = await store.findAccount(id)
    return stored && userOf(stored)
  }

  async function remove(id: string): Promise<void> {
    if (id === ownerId) throw new ApiError('bad_request', 'The owner account cannot be removed.')
    const isRemoved = await store.removeAccount(id)
    await accounts.clearCache()
    if (!isRemoved) throw new ApiError('user_not_found', 'User not found.')
  }

  async function invitedAccount(code: string): Promise<Account | null> {
    return accountFromStored(await store.findInvitedAccount(tokenHash(code), now().getTime()))
  }

  async function acceptInvitation(code: string, password: string): Promise<Account | null> {
    if (!(await invitedAccount(code))) return null
    const passwordHash = await passwords.hash(password)
    // Another request may have used the code during the hashing. Then nothing changes, and this is null.
    return accountFromStored(await store.acceptInvitation(tokenHash(code), passwordHash, now().getTime()))
  }

  async function signIn(name: string, password: string, address: string): Promise<Account | null> {
    const stored = await store.findAccountByName(name)
    const account = accountFromStored(stored)
    // Tokens cannot be guessed, so a token is not throttled. It works even after failed password attempts by others.
    if (isToken(password)) return name === '' || account ? signInByToken(account, password, accounts) : null
    const throttleKeys = [`name ${name}`, address]
    const blockedKey = throttleKeys.find((it) => !failureThrottle.allows(it))
    if (blockedKey) throw tooManyFailures(failureThrottle.retryAfter_s(blockedKey))
    const attempt = await sharedThrottle?.begin(throttleKeys)
    if (attempt && 'retryAfter_s' in attempt) throw tooManyFailures(attempt.retryAfter_s)
    const isCorrect = await passwords.matches(stored?.password_hash ?? null, password).catch(async (error: unknown) => {
      await attempt?.cancel()
      throw error
    })
    if (isCorrect) failureThrottle.reset(throttleKeys[0]!)
    else for (const it of throttleKeys) failureThrottle.record(it)
    if (isCorrect) await attempt?.succeed()
    return isCorrect ? account : null
  }
}

function tooManyFailures(retry_after_s: number): ApiError {
  return new ApiError('rate_limited', 'Too many failed attempts. Try again later.', { retry_after_s })
}

/** Returns a new invitation to store, and its code. The invitation ends with the token. */
function createInvitation(
  token: ParentToken | undefined,
  { now, randomBytes }: Pick<Deps, 'now' | 'randomBytes'>,
): { code: string; invitation: NewInvitation } {
  const code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
  const expires_at = now().getTime() + invitationLifetime_ms
  return { code, invitation: { hash: tokenHash(code), expires_at, token_id: token?.id ?? null } }
}

/**
 * Returns the account with the token if it is an API token of the named account with all its scopes, else null. Without
 * a name, the token alone names the account.
 */
async function signInByToken(
  named: Account | null,
  secret: string,
  accounts: Deps['accounts'],
): Promise<Account | null> {
  try {
    const { id, via, scopes, token } = await accounts.authenticate(`Bearer ${secret}`)
    const account = named ?? (await accounts.byId(id))
    const isFullToken = id === account?.id && via === 'pat' && scopes.size === account.scopes.size
    return isFullToken ? { ...account, ...(token && { token }) } : null
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** Hashes and verifies passwords, a bounded number at once. */
function createPasswordHasher(randomBytes: (size: number) => Uint8Array) {
  let runningHashes = 0
  let decoyHash: Promise<string> | null = null
  return {
    hash: (password: string) => withHashSlot(() => Bun.password.hash(password, hashOptions)),
    /** Verifies against a decoy hash when the user has none, so that timing does not reveal which names exist. */
    async matches(hash: string | null, password: string): Promise<boolean> {
      decoyHash ??= Bun.password.hash(randomBytes(code_bytes).toHex(), hashOptions)
      const expectedHash = hash ?? (await decoyHash)
      return (await withHashSlot(() => Bun.password.verify(password, expectedHash))) && hash !== null
    },
  }

  async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
    if (runningHashes >= concurrentHashesMax)
      throw new ApiError('rate_limited', 'Too many sign-ins at once. Try again in a second.', { retry_after_s: 1 })
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
    hasPassword: stored.password_hash !== null,
  }
}
