import { timingSafeEqual } from 'node:crypto'
import type { SessionStore } from '../store/sessions.ts'
import type { Account, Accounts } from './accounts.ts'
import { mustManage } from './managing.ts'
import { tokenHash } from './token.ts'

/** The sessions of browsers: a secret in a cookie, of which only the hash is kept. */
export type Sessions = {
  /** The secret that a Cookie header carries, or null. */
  secretIn(cookie: string | null): string | null
  /** Who is signed in with a secret. */
  accountOf(secret: string | null): Account | null
  /** A new secret for who has just shown who they are; the one before it, if any, is over. */
  begin(account: Account, before: string | null): string
  end(secret: string): void
  /** The sessions of an account, the latest first; `isThis`: it is the one of that secret. */
  list(account: Account, secret: string | null): { begun: Date; ends: Date; isThis: boolean }[]
  /** Ends the sessions of an account, but not the one of that secret. */
  endOthers(account: Account, secret: string | null): void
  /** A secret that stands for nobody yet, so that a form can be told from a forgery before anybody has signed in. */
  visitor(): string
  /** What a form of that secret's must carry. */
  formToken(secret: string): string
  isFormToken(secret: string | null, sent: string): boolean
  /** The Set-Cookie header for a secret; null takes it away. */
  cookie(secret: string | null): string
}

type Means = { store: SessionStore; accounts: Pick<Accounts, 'byId' | 'everybody'>; isSecure: boolean; now: () => Date; randomBytes: (size: number) => Uint8Array }

const lifetime_s = 12 * 3600
const secret_bytes = 32
const secretForm = /^[\w-]{43}$/

/** With TLS the cookie is bound to this very host. */
export function openSessions({ store, accounts, isSecure, now, randomBytes }: Means): Sessions {
  // The prefix binds the cookie to this very host, where there is TLS to say so.
  const name = isSecure ? '__Host-fieldstone' : 'fieldstone'
  const visitor = () => randomBytes(secret_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
  const formToken = (secret: string) => new Bun.CryptoHasher('sha256', secret).update('form').digest('base64url')
  return {
    secretIn(cookie) {
      const found = (cookie ?? '').split(';').map((it) => it.trim()).find((it) => it.startsWith(`${name}=`))
      const secret = found?.slice(name.length + 1) ?? ''
      return secretForm.test(secret) ? secret : null
    },
    accountOf(secret) {
      if (accounts.everybody) return accounts.everybody
      const id = secret === null ? null : store.accountOf(tokenHash(secret), now().getTime())
      const account = id === null ? null : accounts.byId(id)
      return account && { ...account, via: 'session' }
    },
    begin(account, before) {
      if (before !== null) store.end(tokenHash(before))
      const secret = visitor()
      store.begin(tokenHash(secret), account.id, now().getTime() + lifetime_s * 1000)
      return secret
    },
    end: (secret) => store.end(tokenHash(secret)),
    list: ({ id }, secret) => store.of(id, tokenHash(secret ?? ''), now().getTime()).map(({ expires_at, isGiven }) => ({ begun: new Date(expires_at - lifetime_s * 1000), ends: new Date(expires_at), isThis: isGiven === 1 })),
    endOthers(account, secret) {
      mustManage(account)
      store.endOthers(account.id, tokenHash(secret ?? ''))
    },
    visitor,
    formToken,
    isFormToken(secret, sent) {
      if (secret === null) return false
      const [expected, given] = [Buffer.from(formToken(secret)), Buffer.from(sent)]
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
    cookie: (secret) => `${name}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}; Max-Age=${secret === null ? 0 : lifetime_s}`,
  }
}
