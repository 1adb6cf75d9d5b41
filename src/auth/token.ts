import { hkdfSync } from 'node:crypto'

/** The form of a token: `fst_`, its kind, 30 random characters and 6 of checksum, so that a scanner knows one when it sees it. */
const tokenPattern = /^fst_(pat|oat|ort)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6

/** A new token: 178 random bits. */
export function makeToken(kind: 'pat' | 'oat' | 'ort', randomBytes: (size: number) => Uint8Array): string {
  const letters: string[] = []
  while (letters.length < randomLength) {
    // 248 = 4 * 62: what is above would make the first letters likelier.
    for (const byte of randomBytes(randomLength))
      if (byte < 248 && letters.length < randomLength) letters.push(alphabet[byte % 62]!)
  }
  const secret = letters.join('')
  return `fst_${kind}_${secret}${checksumOf(secret)}`
}

/** Whether a text has the form of a token and its checksum is right. Says nothing about whether anybody knows it. */
export function isToken(text: string): boolean {
  const parts = tokenPattern.exec(text)
  return parts !== null && checksumOf(parts[2]!) === parts[3]
}

/** The random bytes that a key and an earlier token stand for: whoever shows that token again is given the same successor, and only its hash was kept. */
export function createDerivedBytes(key: Uint8Array, token: string): (size: number) => Uint8Array {
  let round = 0
  return (size) => new Uint8Array(hkdfSync('sha256', key, '', `${round++} ${token}`, size))
}

/** What is stored of a token, and how it is found again. */
export function tokenHash(token: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(token).digest()
}

/** Random bytes from the system's own generator. */
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
