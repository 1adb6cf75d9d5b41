import type { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import type { AccessStore } from '../accounts/access.ts'
import type { ClaimingProcess } from '../billed-calls.ts'
import { type Sql, stepOf } from '../sql.ts'
import { StorageError } from '../storage-error.ts'
import { createAccountStores, createRunStores, type OpenedRunStores, type RunStores, type Store } from '../store.ts'
import { isReadOnlyDatabase } from './read-only.ts'
import { createRunQueue } from './run-queue.ts'
import { createRunRows } from './run-rows.ts'
import { createSqliteSql } from './sqlite-sql.ts'
import { openStateConnection } from './state-database.ts'
import { createTransactions } from './transactions.ts'

/** Creates the store on an open `state.db`. The geocodes are in `cache.db`: see `openGeocodeCache`. */
export function createSqliteStore(db: Database): Omit<Store, 'geocodes'> {
  const sql = createSqliteSql(createTransactions(db))
  const accounts = createAccountStores({ quick: sql, work: sql }, createLocalClaims())
  const access = { ...accounts.access, secret: withTemporarySecrets(accounts.access.secret) }
  return { isReadOnly: isReadOnlyDatabase(db), ...accounts, access, ...runStoresOf(sql) }
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
  return { ...runStoresOf(createSqliteSql(transactions)), drain: transactions.drain, close: () => db.close() }
}

function runStoresOf(sql: Sql): RunStores {
  return createRunStores({ quick: sql, work: sql }, { rows: createRunRows(sql), runQueue: createRunQueue(sql) })
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
