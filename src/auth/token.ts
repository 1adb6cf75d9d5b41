import { hkdfSync } from 'node:crypto'

/** `fst_`, the kind, 30 random characters and a 6-character checksum. Secret scanners can recognize this form. */
const tokenPattern = /^fst_(pat|oat|ort)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6

/** Returns a new token with 178 random bits. */
export function makeToken(kind: 'pat' | 'oat' | 'ort', randomBytes: (size: number) => Uint8Array): string {
  const letters: string[] = []
  while (letters.length < randomLength) {
    // 248 = 4 * 62. Higher bytes would make the first letters more likely.
    for (const byte of randomBytes(randomLength))
      if (byte < 248 && letters.length < randomLength) letters.push(alphabet[byte % 62]!)
  }
  const secret = letters.join('')
  return `fst_${kind}_${secret}${checksumOf(secret)}`
}

/** Reports whether a text has the form and the checksum of a token. It does not check whether the token exists. */
export function isToken(text: string): boolean {
  const parts = tokenPattern.exec(text)
  return parts !== null && checksumOf(parts[2]!) === parts[3]
}

/**
 * Returns a source of bytes derived from a key and an earlier token. The same token always gives the same successor,
 * so that only the hash of the successor must be stored.
 */
export function createDerivedBytes(key: Uint8Array, token: string): (size: number) => Uint8Array {
  let round = 0
  return (size) => new Uint8Array(hkdfSync('sha256', key, '', `${round++} ${token}`, size))
}

/** Returns the hash under which a token is stored. */
export function tokenHash(token: string): Uint8Array {
  const hash = new Uint8Array(Bun.SHA256.byteLength)
  Bun.SHA256.hash(token, hash)
  return hash
}

/** Returns bytes from the random generator of the system. */
export function secureRandomBytes(size: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(size))
}

function checksumOf(secret: string): string {
  let rest = Bun.hash.crc32(secret)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet[rest % 62]! + text
    rest = Math.floor(rest / 62)
  }
  return text
}
