import { secureRandomBytes, makeToken } from '../../src/auth/token.ts'
import { randomOf } from '../bench/random.ts'
import type { Finding } from './finding.ts'
import { served } from './served.ts'

const requests = 8000
const warmUp = 500
/** So many letters of a token that is good stand at the front of those that are to give themselves away. */
const samePrefix = 26
const target = 4.5
/** Of the slow tail a share is cut off both alike: it is the machine's, and hides what is to be seen. */
const keptShare = 0.95
const seed = 20_261_121

/** Whether the time of a refusal tells how much of a token is right: Welch's t between tokens that begin like a good one and random ones, in random order. */
export async function tokenTiming(): Promise<Finding[]> {
  const good = makeToken('pat', secureRandomBytes)
  const it = await served({ FIELDSTONE_AUTH: 'on', FIELDSTONE_TOKEN: good })
  const random = randomOf(seed)
  const times: Record<'near' | 'far', number[]> = { near: [], far: [] }
  for (let i = 0; i < warmUp + requests; i++) {
    const which = random() < 0.5 ? 'near' : 'far'
    const tokens = { near: like(good), far: like(makeToken('pat', secureRandomBytes)) }
    const took = await refusal_us(it.url, tokens[which])
    if (i >= warmUp) times[which].push(took)
  }
  await it.stop()
  const whole = welch(times.near, times.far)
  const kept = welch(...cut(times.near, times.far))
  console.log(
    `tokens that begin like a good one: ${mean(times.near).toFixed(1)} us (${times.near.length}); random ones: ${mean(times.far).toFixed(1)} us (${times.far.length}); t ${whole.toFixed(2)}, without the slowest ${((1 - keptShare) * 100).toFixed(0)} % ${kept.toFixed(2)}`,
  )
  return [
    {
      promise: 'P50',
      figure: `Welch's t of ${requests} refusals, tokens like a good one against random ones (the larger of all and of the ${keptShare * 100} % that are quickest)`,
      value: Math.max(Math.abs(whole), Math.abs(kept)),
      target: `< ${target}`,
      pass: Math.abs(whole) < target && Math.abs(kept) < target,
    },
  ]
}

/** The first letters of a good token, and a checksum that is right: it differs in the end of its secret alone. */
function like(good: string): string {
  const secret = good.slice('fst_pat_'.length, 'fst_pat_'.length + samePrefix)
  const other = makeToken('pat', secureRandomBytes)
  return withChecksum(secret + other.slice('fst_pat_'.length + samePrefix, -6))
}

/** `makeToken` writes a checksum; this has it write one to a secret that is known, byte by byte. */
function withChecksum(secret: string): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  return makeToken('pat', () => Uint8Array.from(secret, (letter) => alphabet.indexOf(letter)))
}

async function refusal_us(url: URL, token: string): Promise<number> {
  const begun = Bun.nanoseconds()
  const response = await fetch(new URL('/v1/users/me', url), { headers: { authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  const took = (Bun.nanoseconds() - begun) / 1000
  if (response.status !== 401) throw new Error(`A token nobody made was answered ${response.status}.`)
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
