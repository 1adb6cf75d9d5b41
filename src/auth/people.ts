import { ApiError } from '../model/error.ts'
import type { AccountStore, StoredAccount } from '../store/accounts.ts'
import { patiently } from '../store/patiently.ts'
import type { SessionStore } from '../store/sessions.ts'
import { accountOf, ownerId, scopes as allScopes, type Account, type Accounts, type Scope } from './accounts.ts'
import { openAttempts } from './attempts.ts'
import { isToken, tokenHash } from './token.ts'

/** People: invited by the owner, known by a name and a password. */
export type People = {
  /** A code for setting a password, once, of a new account; null when the name is taken. */
  invite(name: string, scopes: Scope[]): string | null
  /** A code for setting a new password of an account that is there; null when it is not. */
  link(name: string): string | null
  /** Everybody who has an account, the first first. */
  list(): Person[]
  person(id: string): Person | null
  /** Shuts a person out at once and for good: sessions, tokens, logins and invitations are gone. The owner stays. */
  remove(id: string): void
  /** Whose invitation a code is, while it is good. */
  invited(code: string): Account | null
  /** Sets the password that belongs to a code; the code is spent. */
  accept(code: string, password: string): Promise<Account | null>
  /** Who has this name and password, or this name and a token that allows all the account may do. Throws `rate_limited` after too many failures. */
  signIn(name: string, password: string, address: string): Promise<Account | null>
}

/** Somebody as the owner sees them. `hasPassword`: false while an invitation is still open. */
export type Person = { id: string; name: string; scopes: Scope[]; created_at: Date; hasPassword: boolean }

type Means = { store: AccountStore; sessions: SessionStore; accounts: Pick<Accounts, 'account' | 'byId' | 'forget' | 'welcomeOwner'>; now: () => Date; randomBytes: (size: number) => Uint8Array }

export const personName = /^[\p{L}\p{N}._@+-]{1,64}$/u
/** What an invited person may do when nothing is said: all but what is billed and what rules the house. */
export const usualScopes = allScopes.filter((scope) => scope !== 'admin' && scope !== 'parcel')
export const passwordMin_characters = 12
export const passwordMax_characters = 256
export const invitation_ms = 7 * 86_400_000
const listedMax = 1000
const failuresMax = 10
const failuresWithin_ms = 15 * 60_000
const code_bytes = 32
/** Hashing takes a processor and 64 MiB: more than this at once and sign-in would be a way to bring the service down. */
const hashingMax = 2
const algorithm = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const

export function openPeople({ store, sessions, accounts, now, randomBytes }: Means): People {
  const failures = openAttempts({ most: failuresMax, within_ms: failuresWithin_ms, now })
  let hashing = 0
  let decoy: Promise<string> | null = null
  return { invite, link, list: () => store.accounts(listedMax).map(personOf), person, remove, invited, accept, signIn }

  function invite(name: string, scopes: Scope[]): string | null {
    const id = `acc_${randomBytes(10).toHex()}`
    return store.addAccount(id, name, now().getTime(), scopes.join(' ')) ? codeFor(id) : null
  }

  function link(name: string): string | null {
    if (name === 'owner') store.addAccount(ownerId, 'owner', now().getTime())
    const account = store.accountByName(name)
    return account && codeFor(account.id)
  }

  function person(id: string): Person | null {
    const stored = store.account(id)
    return stored && personOf(stored)
  }

  function remove(id: string): void {
    if (id === ownerId) throw new ApiError('bad_request', 'The owner of the server stays: nobody can remove this account.')
    if (!store.account(id)) throw new ApiError('user_not_found', 'There is no such account.')
    store.removeAccount(id)
    accounts.forget()
  }

  function codeFor(account_id: string): string {
    const code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
    sessions.invite(tokenHash(code), account_id, now().getTime() + invitation_ms)
    return code
  }

  function invited(code: string): Account | null {
    const id = sessions.invited(tokenHash(code), now().getTime())
    return id === null ? null : accounts.byId(id)
  }

  async function accept(code: string, password: string): Promise<Account | null> {
    if (!invited(code)) return null
    const hash = await inTurn(() => Bun.password.hash(password, algorithm))
    // Asked again: another may have spent it while this was hashed.
    const account = invited(code)
    if (account) await patiently(() => sessions.setPassword(account.id, hash))
    return account
  }

  async function signIn(name: string, password: string, address: string): Promise<Account | null> {
    const stored = store.accountByName(name)
    const account = accountOf(stored)
    // Nobody guesses a token: with one, a person gets in although others have tried passwords under the name.
    if (isToken(password)) return isWholeTokenOf(account, password) ? account : null
    const counted = [`name ${name}`, `from ${address}`]
    const tired = counted.find((it) => !failures.has(it))
    if (tired) throw new ApiError('rate_limited', 'Too many attempts have failed: wait a while.', { retry_after_s: failures.wait_s(tired) })
    const isTheirs = await isPassword(stored?.password ?? null, password)
    if (isTheirs) failures.clear(counted[0]!)
    else for (const it of counted) failures.count(it)
    return isTheirs ? account : null
  }

  /** A hash that nobody knows the password of stands in where there is none: to find out who has an account takes as long as a wrong password. */
  async function isPassword(hash: string | null, password: string): Promise<boolean> {
    decoy ??= Bun.password.hash(randomBytes(code_bytes).toHex(), algorithm)
    const against = hash ?? (await decoy)
    return (await inTurn(() => Bun.password.verify(password, against))) && hash !== null
  }

  function isWholeTokenOf(account: Account | null, token: string): boolean {
    try {
      const shown = accounts.account(`Bearer ${token}`)
      return account !== null && shown.id === account.id && shown.via === 'pat' && shown.scopes.size === account.scopes.size
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (hashing >= hashingMax) throw new ApiError('rate_limited', 'Too many are signing in at this moment: try again in a second.', { retry_after_s: 1 })
    hashing++
    try {
      return await work()
    } finally {
      hashing--
    }
  }
}

function personOf(stored: StoredAccount): Person {
  const { id, name, scopes } = accountOf(stored)!
  return { id, name, scopes: [...scopes], created_at: new Date(stored.created_at), hasPassword: stored.password !== null }
}
