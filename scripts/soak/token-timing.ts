import { secureRandomBytes, makeToken } from '../../src/auth/token.ts'
import { randomOf } from '../bench/random.ts'
import type { Finding } from './finding.ts'
import { startService } from './service-process.ts'

const requests = 8000
const warmUp = 500
/** Number of leading characters that the near tokens share with the valid token. */
const samePrefix = 26
const target = 4.5
/** The slowest times of both groups are cut off, because noise of the machine hides the difference. */
const keptShare = 0.95
const seed = 20_261_121

/**
 * Tests whether the time of a rejection shows how much of a token is right, by Welch's t between tokens that begin like
 * a valid one and random tokens, in random order.
 */
export async function soakTokenTiming(): Promise<Finding[]> {
  const good = makeToken('pat', secureRandomBytes)
  const it = await startService({ FIELDSTONE_AUTH: 'on', FIELDSTONE_TOKEN: good })
  const random = randomOf(seed)
  const times: Record<'near' | 'far', number[]> = { near: [], far: [] }
  for (let i = 0; i < warmUp + requests; i++) {
    const which = random() < 0.5 ? 'near' : 'far'
    const tokens = { near: like(good), far: like(makeToken('pat', secureRandomBytes)) }
    const took = await rejection_us(it.url, tokens[which])
    if (i >= warmUp) times[which].push(took)
  }
  await it.stop()
  const all = welch(times.near, times.far)
  const kept = welch(...cut(times.near, times.far))
  console.log(
    `tokens that begin like a valid one: ${mean(times.near).toFixed(1)} us (${times.near.length}); random tokens: ${mean(times.far).toFixed(1)} us (${times.far.length}); t ${all.toFixed(2)}, without the slowest ${((1 - keptShare) * 100).toFixed(0)} % ${kept.toFixed(2)}`,
  )
  return [
    {
      promise: 'P50',
      figure: `Welch's t of ${requests} rejections, tokens similar to a valid one against random ones (the larger of all and of the fastest ${keptShare * 100} %)`,
      value: Math.max(Math.abs(all), Math.abs(kept)),
      target: `< ${target}`,
      pass: Math.abs(all) < target && Math.abs(kept) < target,
    },
  ]
}

/**
 * Returns a token with the first characters of the valid one and a correct checksum; only the end of its secret
 * differs.
 */
function like(good: string): string {
  const secret = good.slice('fst_pat_'.length, 'fst_pat_'.length + samePrefix)
  const other = makeToken('pat', secureRandomBytes)
  return withChecksum(secret + other.slice('fst_pat_'.length + samePrefix, -6))
}

/** Returns the token for a known secret. `makeToken` adds the checksum. */
function withChecksum(secret: string): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  return makeToken('pat', () => Uint8Array.from(secret, (letter) => alphabet.indexOf(letter)))
}

async function rejection_us(url: URL, token: string): Promise<number> {
  const begun = Bun.nanoseconds()
  const response = await fetch(new URL('/v1/users/me', url), { headers: { authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  const took = (Bun.nanoseconds() - begun) / 1000
  if (response.status !== 401) throw new Error(`An unknown token was answered with ${response.status}.`)
  return took
}

function cut(a: number[], b: number[]): [number[], number[]] {
  const most = [...a, ...b].toSorted((x, y) => x - y)[Math.floor((a.length + b.length) * keptShare)]!
  return [a.filter((it) => it < most), b.filter((it) => it < most)]
}

function welch(a: number[], b: number[]): number {
  return (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length)
}

function mean(values: number[]): number {
  return values.reduce((sum, it) => sum + it, 0) / values.length
}

function variance(values: number[]): number {
  const middle = mean(values)
  return values.reduce((sum, it) => sum + (it - middle) ** 2, 0) / (values.length - 1)
}
