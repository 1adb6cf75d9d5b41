import type { Database } from 'bun:sqlite'
import type { OpenedRunStores, RunStores, Store } from '../store.ts'
import { createAccessStore } from './access.ts'
import { createArtifactObjectStore } from './artifact-objects.ts'
import { createArtifactStore } from './artifacts.ts'
import { createBilledCallStore } from './billed-calls.ts'
import { createAuditStore } from './geocode-audit.ts'
import { createGrantStore } from './grants.ts'
import { createLimitStore } from './limits.ts'
import { createNodeStore } from './nodes.ts'
import { createPeopleStore } from './people.ts'
import { createPinStore } from './pins.ts'
import { isReadOnlyDatabase } from './read-only.ts'
import { createRunReader } from './run-reader.ts'
import { createRunSweep } from './run-sweep.ts'
import { createRunQueue } from './run-writer.ts'
import { createShareStore } from './shares.ts'
import { openStateConnection } from './state-database.ts'
import { createSubmissionStore } from './submissions.ts'
import { createTransactions, type SqliteTransactions } from './transactions.ts'

/** Creates the store on an open `state.db`. The geocodes are in `cache.db`: see `openGeocodeCache`. */
export function createSqliteStore(db: Database): Omit<Store, 'geocodes'> {
  const transactions = createTransactions(db)
  return {
    isReadOnly: isReadOnlyDatabase(db),
    access: createAccessStore(transactions),
    grants: createGrantStore(transactions),
    people: createPeopleStore(transactions),
    limits: createLimitStore(transactions),
    audit: createAuditStore(transactions),
    billedCalls: createBilledCallStore(transactions),
    shares: createShareStore(transactions),
    pins: createPinStore(transactions),
    nodes: createNodeStore(transactions),
    ...createRunStores(transactions),
  }
}

/** Opens the runs of a data folder for the run worker, which may block for `wait_ms` for a lock. */
export function openRunStores(folder: string, wait_ms: number): OpenedRunStores {
  const db = openStateConnection(folder, wait_ms)
  const transactions = createTransactions(db)
  return { ...createRunStores(transactions), drain: transactions.drain, close: () => db.close() }
}

function createRunStores(transactions: SqliteTransactions): RunStores {
  return {
    runs: createRunReader(transactions),
    artifacts: createArtifactStore(transactions),
    submissions: createSubmissionStore(transactions),
    runQueue: createRunQueue(transactions),
    runSweep: createRunSweep(transactions),
    artifactObjects: createArtifactObjectStore(transactions),
  }
}
