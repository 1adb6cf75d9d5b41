import { describe, expect, test } from 'bun:test'
import { isToken, makeToken, tokenHash } from '../../src/auth/token.ts'

const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size))
const made = Array.from({ length: 10_000 }, () => makeToken('pat', randomBytes))
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A slow reference checksum: CRC-32 bit by bit, as six base-62 digits. */
function slowChecksum(secret: string): string {
  let crc = 0xffffffff
  for (const byte of new TextEncoder().encode(secret)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = BigInt((crc ^ 0xffffffff) >>> 0)
  const digits = Array.from({ length: 6 }, () => {
    const digit = alphabet[Number(rest % 62n)]!
    rest /= 62n
    return digit
  })
  return digits.toReversed().join('')
}

describe('a token', () => {
  test('is fst_, its kind, 30 letters and digits, and a checksum of six', () => {
    expect(made.filter((token) => !/^fst_pat_[0-9A-Za-z]{36}$/.test(token))).toEqual([])
    expect(made.filter((token) => slowChecksum(token.slice(8, 38)) !== token.slice(38))).toEqual([])
    expect(makeToken('oat', randomBytes)).toStartWith('fst_oat_')
  })

  test('is unique among 10,000, and each is valid', () => {
    expect(new Set(made).size).toBe(10_000)
    expect(made.filter((token) => !isToken(token))).toEqual([])
  })

  test('has every character at every position with nearly the same frequency', () => {
    const counts = new Map<string, number>()
    for (const token of made) for (const letter of token.slice(8, 38)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    const expected = (made.length * 30) / 62
    expect(counts.size).toBe(62)
    expect([...counts].filter(([, count]) => Math.abs(count - expected) > 0.1 * expected)).toEqual([])
  })

  test('skips the bytes that would make some characters more likely', () => {
    const answers = [
      new Uint8Array(30).fill(255),
      new Uint8Array(30).fill(248),
      Uint8Array.from({ length: 30 }, (_, i) => i),
    ]
    const token = makeToken('pat', () => answers.shift()!)
    expect(token).toStartWith(`fst_pat_${alphabet.slice(0, 30)}`)
    expect(answers).toEqual([])
  })
})

describe('not a token:', () => {
  const [token = ''] = made
  test('a token with one character changed, at any position', () => {
    const changed = Array.from({ length: 36 }, (_, i) =>
      [...alphabet]
        .filter((letter) => letter !== token[8 + i])
        .map((letter) => token.slice(0, 8 + i) + letter + token.slice(9 + i)),
    ).flat()
    expect(changed).toHaveLength(36 * 61)
    expect(changed.filter(isToken)).toEqual([])
  })

  test('a token with two adjacent characters swapped', () => {
    const exchanged = Array.from(
      { length: 29 },
      (_, i) => token.slice(0, 8 + i) + token[9 + i] + token[8 + i] + token.slice(10 + i),
    ).filter((it) => it !== token)
    expect(exchanged.length).toBeGreaterThan(20)
    expect(exchanged.filter(isToken)).toEqual([])
  })

  const others = [
    '',
    'fst_pat_',
    token.slice(0, -1),
    `${token}0`,
    ` ${token}`,
    `${token}\n`,
    `${token}\u0000`,
    token.toUpperCase(),
    token.replace('fst_', 'gst_'),
    token.replace('pat', 'xat'),
    token.replace('_pat_', '-pat-'),
  ]
  test.each(others)('a similar text (%#)', (text) => expect(isToken(text)).toBe(false))
})

test('the stored hash of a token is its SHA-256', () => {
  expect(tokenHash('abc').toHex()).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
