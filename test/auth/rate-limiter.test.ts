import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Account } from '../../src/auth/accounts.ts'
import { createRateLimiter } from '../../src/auth/rate-limiter.ts'
import { ApiError } from '../../src/model/error.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const minute_ms = 60_000
const account: Account = { id: 'a', name: 'a', scopes: new Set() }

/** Opens a limiter on `db`, by default a new database. */
function openLimiter(
  { per_minute, per_day, isShared = false }: { per_minute: number; per_day: number; isShared?: boolean },
  db = openState(newFolder()),
) {
  const clock = { time: Date.UTC(2026, 10, 21, 12) }
  const store = createSqliteStore(db).limits
  const rate = createRateLimiter({
    rate_limit: per_minute,
    daily_quota: per_day,
    isShared,
    store,
    now: () => new Date(clock.time),
  })
  const send = () => {
    try {
      rate.admit(account, 'both')
      return 'admitted'
    } catch (error) {
      return error instanceof ApiError ? error.code : error
    }
  }
  return { clock, rate, db, sendRequest: send }
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}

test('a request above the limit per minute is rejected until the minute ends, and the error says how long that is', () => {
  const { clock, rate, sendRequest } = openLimiter({ per_minute: 2, per_day: 0 })
  clock.time += 1
  expect([sendRequest(), sendRequest(), sendRequest()]).toEqual(['admitted', 'admitted', 'rate_limited'])
  clock.time += minute_ms - 1000
  expect(rate.headers(account)).toEqual({ 'ratelimit-policy': '"minute";q=2;w=60', ratelimit: '"minute";r=0;t=1' })
  clock.time += 1000
  expect(sendRequest()).toBe('admitted')
})

test('a clock that is set back an hour locks out no account for an hour', () => {
  const { clock, sendRequest } = openLimiter({ per_minute: 1, per_day: 0 })
  expect([sendRequest(), sendRequest()]).toEqual(['admitted', 'rate_limited'])
  clock.time -= 60 * minute_ms
  expect(sendRequest()).toBe('admitted')
})

test('a day is a UTC day, and a request above its limit has the code quota_exceeded', () => {
  const { clock, sendRequest } = openLimiter({ per_minute: 0, per_day: 1 })
  expect([sendRequest(), sendRequest()]).toEqual(['admitted', 'quota_exceeded'])
  clock.time = Date.UTC(2026, 10, 21, 23, 59, 59, 999)
  expect(sendRequest()).toBe('quota_exceeded')
  clock.time += 1
  expect(sendRequest()).toBe('admitted')
})

test('after a restart, the quota of the day still counts requests that were rejected for their scope', async () => {
  const { rate, db, sendRequest } = openLimiter({ per_minute: 0, per_day: 3 })
  rate.count(account)
  expect(sendRequest()).toBe('admitted')
  await rate.flush()
  const restarted = openLimiter({ per_minute: 0, per_day: 3 }, db)
  await restarted.rate.prepare(account)
  expect([restarted.sendRequest(), restarted.sendRequest()]).toEqual(['admitted', 'quota_exceeded'])
})

test('counts of a failed flush are written by the next one, once', async () => {
  const { rate, db, sendRequest } = openLimiter({ per_minute: 0, per_day: 9 })
  sendRequest()
  db.run('ALTER TABLE quota_usage RENAME TO elsewhere')
  expect(await rate.flush().catch(String)).toContain('no such table')
  db.run('ALTER TABLE elsewhere RENAME TO quota_usage')
  await rate.flush()
  await rate.flush()
  expect(await createSqliteStore(db).limits.quotaOf('a', '2026-11-21')).toBe(1)
})

test('a run counts its locations toward the quota, polling counts nothing, and a failed submission is refunded', async () => {
  const { rate, sendRequest } = openLimiter({ per_minute: 0, per_day: 10 })
  const refund = await rate.admitLocations(account, 9)
  for (let i = 0; i < 20; i++) rate.admit(account, 'minute')
  expect(await rate.admitLocations(account, 2).catch(String)).toContain(
    'This run has 2 locations, but only 1 of the daily quota of 10 remain.',
  )
  refund()
  await rate.admitLocations(account, 10)
  expect(sendRequest()).toBe('quota_exceeded')
})

test('a refund after midnight adds nothing to the new day', async () => {
  const { clock, rate, sendRequest } = openLimiter({ per_minute: 0, per_day: 10 })
  const refund = await rate.admitLocations(account, 10)
  clock.time += 24 * 60 * minute_ms
  refund()
  await rate.admitLocations(account, 10)
  expect(sendRequest()).toBe('quota_exceeded')
})

test('runs that are submitted at the same time are all accepted if the shared quota is enough for them', async () => {
  const { rate, sendRequest } = openLimiter({ per_minute: 0, per_day: 100, isShared: true })
  const endReservation = await rate.prepare(account)
  endReservation?.()
  expect(sendRequest()).toBe('admitted')
  // The server has units that it has not used: both runs could use them.
  const refunds = await Promise.all([rate.admitLocations(account, 20), rate.admitLocations(account, 30)])
  expect(refunds.length).toBe(2)
  await Promise.all([rate.admitLocations(account, 40), rate.flush()])
  expect(await rate.admitLocations(account, 10).catch((error: ApiError) => error.code)).toBe('quota_exceeded')
  const endOther = await rate.prepare(account)
  await rate.admitLocations(account, 9)
  endOther?.()
})

test('a run is accepted after rejected requests that counted, if the shared quota is enough for both', async () => {
  const { rate } = openLimiter({ per_minute: 0, per_day: 10, isShared: true })
  rate.count(account)
  await rate.admitLocations(account, 9)
  await rate.flush()
  expect(await rate.admitLocations(account, 1).catch((error: ApiError) => error.code)).toBe('quota_exceeded')
})

test('a request and a run are accepted if the next window of a shared limit begins while they wait for the database', async () => {
  const { clock, rate, db, sendRequest } = openLimiter({ per_minute: 10, per_day: 100, isShared: true })
  clock.time = Date.UTC(2026, 10, 21, 23, 59, 59)
  const prepared = rate.prepare(account)
  const submitted = openLimiter({ per_minute: 0, per_day: 100, isShared: true }, db)
  submitted.clock.time = clock.time
  const admitted = submitted.rate.admitLocations(account, 50)
  clock.time += 1000
  submitted.clock.time += 1000
  await prepared
  expect(sendRequest()).toBe('admitted')
  const refund = await admitted
  refund()
  await submitted.rate.admitLocations(account, 90)
})
