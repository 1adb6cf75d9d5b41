import { tokenHash } from './token.ts'

/** The code of a link that signs the owner in. It is only in memory, works once and expires after 10 minutes. */
export type SignInLink = {
  /** Returns a new code. The code before it, if any, no longer works. */
  createCode(): string
  /** Uses up a code. Returns false for a wrong, used or expired one. */
  redeem(code: string): boolean | Promise<boolean>
}

export const signInLinkLifetime_minutes = 10
const code_bytes = 32

type Deps = { now: () => Date; randomBytes: (size: number) => Uint8Array }

export function createSignInLink({ now, randomBytes }: Deps): SignInLink {
  let valid: { hash: string; expires_at: number } | null = null
  return {
    createCode() {
      const code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      valid = { hash: tokenHash(code).toHex(), expires_at: now().getTime() + signInLinkLifetime_minutes * 60_000 }
      return code
    },
    redeem(code) {
      const isValid = valid !== null && tokenHash(code).toHex() === valid.hash && now().getTime() < valid.expires_at
      if (isValid) valid = null
      return isValid
    },
  }
}
