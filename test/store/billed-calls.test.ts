import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UpstreamError } from '../../src/model/error.ts'
import { createCallOnce, type BilledCallStore, type CallOnce } from '../../src/store/billed-calls.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'

const { signal } = new AbortController()
const now = () => new Date(Date.UTC(2026, 10, 23))
let folder: string
let databases: Database[]
/** Two processes that use the same state. */
let processes: [CallOnce, CallOnce]
/** Resolves when a process could not claim a call. */
let rejectedClaim: PromiseWithResolvers<void>

function watchClaims(store: BilledCallStore): BilledCallStore {
  return {
    ...store,
    async claim(...claim) {
      const isClaimed = await store.claim(...claim)
      if (!isClaimed) rejectedClaim.resolve()
      return isClaimed
    },
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'billed-calls-'))
  databases = [openState(folder), openState(folder)]
  rejectedClaim = Promise.withResolvers()
  const [first, second] = databases.map((db) => createCallOnce(watchClaims(createSqliteStore(db).billedCalls), now))
  processes = [first!, second!]
})
afterEach(() => {
  for (const db of databases) db.close()
  rmSync(folder, { recursive: true, force: true })
})

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

test('processes that need the same answer at the same time make one billed call', async () => {
  let calls = 0
  const [called, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const call = async () => {
    calls++
    called.resolve()
    await answered.promise
    return { answer: { parcel: 7 }, ttl_s: 60 }
  }
  const results = processes.map((callOnce) => callOnce('parcel', signal, call))
  await Promise.all([rejectedClaim.promise, called.promise])
  expect(calls).toBe(1)
  answered.resolve()
  const [first, second] = await Promise.all(results)
  expect([first!.answer, second!.answer]).toEqual([{ parcel: 7 }, { parcel: 7 }])
  expect(first!.isNew).toBe(!second!.isNew)
  expect(calls).toBe(1)
})

test('after a call that failed, or whose answer is not stored, the next process makes its own', async () => {
  const [first, second] = processes
  const failure = new UpstreamError('timeout', 'There was no answer.')
  expect(await errorOf(first('parcel', signal, () => Promise.reject(failure)))).toBe(failure)
  for (const callOnce of [first, second]) {
    const { answer, isNew } = await callOnce('parcel', signal, async () => ({ answer: null, ttl_s: 0 }))
    expect({ answer, isNew }).toEqual({ answer: null, isNew: true })
  }
})

test('a call whose storage fails is not made', async () => {
  const [callOnce] = processes
  databases[0]!.run('PRAGMA query_only = 1')
  let calls = 0
  const result = callOnce('parcel', signal, async () => ({ answer: ++calls, ttl_s: 60 }))
  expect(await errorOf(result)).toMatchObject({ code: 'source_suspended' })
  expect(calls).toBe(0)
})

test('a claim ends soon, even if the storage fails at the end of its call', async () => {
  const [first, second] = processes
  await first('parcel', signal, async () => {
    databases[0]!.run('PRAGMA query_only = 1')
    return { answer: 1, ttl_s: 0 }
  })
  databases[0]!.run('PRAGMA query_only = 0')
  expect((await second('parcel', signal, async () => ({ answer: 2, ttl_s: 0 }))).answer).toBe(2)
})

test('a caller that stops waiting ends its wait for the call of another process', async () => {
  const [first, second] = processes
  const answered = Promise.withResolvers<void>()
  const pending = first('parcel', signal, () => answered.promise.then(() => ({ answer: 1, ttl_s: 60 })))
  const controller = new AbortController()
  const waiting = second('parcel', controller.signal, () => Promise.reject(new Error('It must not be called.')))
  controller.abort(new UpstreamError('timeout', 'No time is left.'))
  expect(await errorOf(waiting)).toMatchObject({ message: 'No time is left.' })
  answered.resolve()
  expect((await pending).answer).toBe(1)
})

test('a sweep of many billed calls lets other writes pass', async () => {
  const db = databases[0]!
  const { billedCalls } = createSqliteStore(db)
  const numbers = JSON.stringify(Array.from({ length: 1000 }, (_, i) => i))
  db.run(
    "INSERT INTO billed_calls (key, answer, cached_at, fresh_until) SELECT 'call ' || value, '1', 1, 2 FROM json_each(?)",
    [numbers],
  )
  const order: string[] = []
  const sweep = billedCalls.sweep(3).then(() => order.push('sweep'))
  await billedCalls.put('other', { answer: '1', cached_at: 1, fresh_until: 9 }).then(() => order.push('put'))
  await sweep
  expect(order).toEqual(['put', 'sweep'])
  expect(db.query('SELECT key FROM billed_calls').all()).toEqual([{ key: 'other' }])
})
