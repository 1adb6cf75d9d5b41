import type { Database } from 'bun:sqlite'
import { createArtifacts } from '../runs/artifacts.ts'
import { createArtifactObjects } from '../runs/artifact-objects.ts'
import { createAudit } from '../audit.ts'
import { createBilledCalls, type ClaimingProcess } from '../billed-calls.ts'
import { createRunReader } from '../runs/runs.ts'
import { createRunSweep } from '../runs/run-sweep.ts'
import { createAccess, type AccessStore } from '../accounts/access.ts'
import { createGrants } from '../accounts/grants.ts'
import { createLimits } from '../accounts/limits.ts'
import { createNodeStore } from '../nodes.ts'
import { createPeople } from '../accounts/people.ts'
import { createPins } from '../accounts/pins.ts'
import { createShares } from '../accounts/shares.ts'
import { type Sql, stepOf } from '../sql.ts'
import { StorageError } from '../storage-error.ts'
import type { OpenedRunStores, RunStores, Store } from '../store.ts'
import { createSubmissions } from '../runs/submissions.ts'
import { isReadOnlyDatabase } from './read-only.ts'
import { createRunQueue } from './run-queue.ts'
import { createRunRows } from './run-rows.ts'
import { createSqliteSql } from './sqlite-sql.ts'
import { openStateConnection } from './state-database.ts'
import { createTransactions } from './transactions.ts'
import { readFileSync } from 'node:fs'

/** Creates the store on an open `state.db`. The geocodes are in `cache.db`: see `openGeocodeCache`. */
export function createSqliteStore(db: Database): Omit<Store, 'geocodes'> {
  const transactions = createTransactions(db)
  const sql = createSqliteSql(transactions)
  const pools = { quick: sql, work: sql }
  const access = createAccess(pools)
  return {
    isReadOnly: isReadOnlyDatabase(db),
    access: { ...access, secret: withTemporarySecrets(access.secret) },
    grants: createGrants(pools),
    people: createPeople(pools),
    limits: createLimits(pools),
    audit: createAudit(pools),
    billedCalls: createBilledCalls(pools, createLocalClaims()),
    shares: createShares(pools),
    pins: createPins(pools),
    nodes: createNodeStore(pools),
    ...createRunStores(sql),
  }
}

/** On a read-only data folder, a new secret lasts until the process ends. */
function withTemporarySecrets(secret: AccessStore['secret']): AccessStore['secret'] {
  return async (name, candidate) => {
    try {
      return await secret(name, candidate)
    } catch (error) {
      if (error instanceof StorageError && error.reason === 'read_only') return candidate
      throw error
    }
  }
}

/** Opens the runs of a data folder for the run worker, which may block for `wait_ms` for a lock. */
export function openRunStores(folder: string, wait_ms: number): OpenedRunStores {
  const db = openStateConnection(folder, wait_ms)
  const transactions = createTransactions(db)
  return { ...createRunStores(createSqliteSql(transactions)), drain: transactions.drain, close: () => db.close() }
}

function createRunStores(sql: Sql): RunStores {
  const pools = { quick: sql, work: sql }
  const rows = createRunRows(sql)
  return {
    runs: createRunReader(pools, rows),
    artifacts: createArtifacts(pools),
    submissions: createSubmissions(pools, rows),
    runQueue: createRunQueue(sql),
    runSweep: createRunSweep(pools),
    artifactObjects: createArtifactObjects(pools),
  }
}

/** Creates the claims of this process. Whether another process of this machine has ended is seen from its name. */
export function createLocalClaims(): ClaimingProcess {
  return {
    owner: processNameOf(process.pid)!,
    hold: () => Promise.resolve(),
    release() {},
    hasEnded: (_sql, owner) => stepOf(processNameOf(Number.parseInt(owner, 10)) !== owner),
  }
}

/** Returns the name of a process of this machine; null if there is none with this number. */
function processNameOf(pid: number): string | null {
  try {
    process.kill(pid, 0)
  } catch {
    return null
  }
  const [state, started] = readState(pid)
  return state === 'Z' ? null : `${pid}:${started}`
}

/** The state and the start of a process, because the numbers of processes are used again. Empty where Linux is not. */
function readState(pid: number): [state: string, started: string] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return [fields[0]!, fields[19]!]
  } catch {
    return ['', '']
  }
}
