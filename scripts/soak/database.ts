import { closePostgresPools, createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { StorageError } from '../../src/store/storage-error.ts'
import type { Store } from '../../src/store/store.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import { addAccounts, addToken, hashOf, newCode, newGrant, now } from '../../test/store/contract-case.ts'
import { plantInPools, sqlFault, type SqlFault } from '../../test/store/sql-fault.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const processes = 3
const workersPerProcess = 4
const day = '2026-11-23'
/** The time limits of a call, with some time for a busy machine: a deadline, and a ping that finds no answer. */
const callMax_ms = 4000
const returnMax_ms = 2000
const betweenIncidents_ms = 300

/** What the workers saw. `calls` counts successful ones. */
type Observations = {
  calls: number
  unavailable: number
  bugs: Set<string>
  quotaTried: number
  quotaAcknowledged: number
  redeemedTwice: number
  longest_ms: number
  lastSuccess_ms: number
}

/**
 * Uses a PostgreSQL database from several stores, as that many processes do, while its connections are killed and the
 * server crashes. Without row locks, codes are redeemed twice: this shows that the suite finds it.
 */
export async function soakDatabase(incidents = 50): Promise<Finding[]> {
  if (!hasPostgres) return []
  const server = await startPostgres()
  try {
    const intact = await useDatabase(server, incidents)
    const faulty = await useDatabase(server, 4, sqlFault(/ FOR (NO KEY )?UPDATE( OF \w+)?/, ''))
    return [
      ...findingsOf(intact, incidents),
      atLeast('P55', 'codes that were redeemed twice without row locks', faulty.seen.redeemedTwice, 1),
    ]
  } finally {
    await server.stop()
  }
}

/**
 * What the workers saw, the longest time until a call succeeded again, and the quota units in the database at the end.
 */
type DatabaseUse = { seen: Observations; return_ms: number; units: number }

async function useDatabase(server: PostgresServer, incidents: number, fault?: SqlFault): Promise<DatabaseUse> {
  const url = await server.createDatabase()
  const pools = await Promise.all(Array.from({ length: processes }, () => openPostgresPools(url)))
  const stores = pools.map((it) => createPostgresStore(fault ? plantInPools(fault, it) : it))
  const seen: Observations = {
    calls: 0,
    unavailable: 0,
    bugs: new Set(),
    quotaTried: 0,
    quotaAcknowledged: 0,
    redeemedTwice: 0,
    longest_ms: 0,
    lastSuccess_ms: performance.now(),
  }
  const stopping = new AbortController()
  try {
    await addAccounts(stores[0]!, 'ada')
    const workers = stores.flatMap((store, index) =>
      Array.from({ length: workersPerProcess }, (_, worker) =>
        work(stores, store, { seen, name: `${index} ${worker}`, signal: stopping.signal }),
      ),
    )
    const return_ms = await causeIncidents(server, seen, incidents)
    stopping.abort()
    await Promise.all(workers)
    return { seen, return_ms, units: await stores[0]!.limits.quotaOf('ada', day) }
  } finally {
    stopping.abort()
    await Promise.all(pools.map(closePostgresPools))
  }
}

/** Kills the connections or crashes the server, in turn. Returns the longest time until a call succeeded again. */
async function causeIncidents(server: PostgresServer, seen: Observations, incidents: number): Promise<number> {
  let longest_ms = 0
  for (let incident = 0; incident < incidents; incident++) {
    if (incident % 2 === 0) await server.killConnections()
    else {
      await server.crash()
      await Bun.sleep(betweenIncidents_ms)
      await server.restart()
    }
    const returned_ms = performance.now()
    while (seen.lastSuccess_ms < returned_ms) await Bun.sleep(5)
    longest_ms = Math.max(longest_ms, seen.lastSuccess_ms - returned_ms)
    await Bun.sleep(betweenIncidents_ms)
  }
  return longest_ms
}

type WorkerOptions = { seen: Observations; name: string; signal: AbortSignal }

/** Calls the store until the signal aborts. Each call may fail because the database does not answer. */
async function work(stores: Store[], store: Store, { seen, name, signal }: WorkerOptions): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const key = `${name} ${round}`
    await observe(seen, async () => {
      seen.quotaTried++
      await store.limits.addQuota([{ account_id: 'ada', window_start: day, units: 1 }])
      seen.quotaAcknowledged++
    })
    await observe(seen, async () => {
      const id = await addToken(store, key)
      if ((await store.access.findToken(hashOf(key)))?.id !== id) throw new Error('An added token was not found.')
      await store.access.revokeToken('ada', id, now)
      for (const other of stores)
        if ((await other.access.findToken(hashOf(key)))?.revoked_at !== now)
          throw new Error('A revoked token was accepted.')
    })
    await observe(seen, () => store.grants.addCode(hashOf(`code ${key}`), newCode(), now))
    const winners = await Promise.all(
      stores.map((other, index) => observe(seen, () => redeemOnce(other, `code ${key}`, `${key} ${index}`))),
    )
    if (winners.filter(Boolean).length > 1) seen.redeemedTwice++
  }
}

async function redeemOnce({ grants }: Store, code: string, issue: string): Promise<boolean> {
  const { action } = await grants.redeemCode(hashOf(code), now, (stored) =>
    stored?.isRedeemed === false ? { action: 'redeem', issue: newGrant(issue) } : { action: 'count_failure' },
  )
  return action === 'redeem'
}

/** Makes a call and records how it ended. Returns null if the database did not answer. */
async function observe<T>(seen: Observations, call: () => Promise<T>): Promise<T | null> {
  const start_ms = performance.now()
  try {
    const result = await call()
    seen.calls++
    seen.lastSuccess_ms = performance.now()
    return result
  } catch (error) {
    if (!(error instanceof StorageError)) seen.bugs.add(String(error))
    seen.unavailable++
    return null
  } finally {
    seen.longest_ms = Math.max(seen.longest_ms, performance.now() - start_ms)
  }
}

function findingsOf({ seen, return_ms, units }: DatabaseUse, incidents: number): Finding[] {
  for (const bug of seen.bugs) console.error(bug)
  const figure = `${incidents} incidents of the database`
  return [
    atLeast('P1', `successful calls during ${figure}`, seen.calls, 2 * incidents),
    atLeast('P1', 'calls that failed because the database did not answer', seen.unavailable, 1),
    atMost('P1', 'calls that failed in another way, or read something wrong', seen.bugs.size, 0),
    atMost('P1', 'acknowledged quota units that are lost', Math.max(0, seen.quotaAcknowledged - units), 0),
    atMost('P1', 'quota units that were counted twice', Math.max(0, units - seen.quotaTried), 0),
    atMost('P55', 'codes that were redeemed twice', seen.redeemedTwice, 0),
    atMost('P11', 'longest call', seen.longest_ms, { bound: callMax_ms, unit: 'ms' }),
    atMost('P11', 'longest time until a call succeeded again', return_ms, { bound: returnMax_ms, unit: 'ms' }),
  ]
}
