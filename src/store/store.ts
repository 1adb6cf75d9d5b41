/**
 * Our own state: accounts, tokens, runs, caches, audit records. Each kind of record has one SQL text for SQLite and
 * PostgreSQL. Only `StorageError` leaves this folder.
 */
import { createAccess, type AccessStore } from './accounts/access.ts'
import { createArtifactObjects, type ArtifactObjectStore } from './runs/artifact-objects.ts'
import { createArtifacts, type ArtifactStore } from './runs/artifacts.ts'
import { createAudit, type AuditStore } from './audit.ts'
import { createBilledCalls, type BilledCallStore, type ClaimingProcess } from './billed-calls.ts'
import type { GeocodeStore } from './geocodes.ts'
import { createGrants, type GrantStore } from './accounts/grants.ts'
import { createLimits, type LimitStore } from './accounts/limits.ts'
import { createNodeStore, type NodeStore } from './nodes.ts'
import { createPeople, type PeopleStore } from './accounts/people.ts'
import { createPins, type PinStore } from './accounts/pins.ts'
import type { RunQueue } from './runs/run-queue.ts'
import { createRunSweep } from './runs/run-sweep.ts'
import { createRunReader, type RunReader, type RunRowReader, type RunSweep } from './runs/runs.ts'
import { createShares, type ShareStore } from './accounts/shares.ts'
import { createSubmissions, type RunRowWriter, type SubmissionStore } from './runs/submissions.ts'
import type { SqlPools } from './sql.ts'

/**
 * The state of the service. Every method is one whole transaction. What is decided between its reads and its writes is a
 * synchronous function that the caller passes. Methods reject with a StorageError; every other error is a bug, or was
 * thrown by the function of the caller.
 */
export type Store = AccountStores &
  RunStores & {
    /** Whether the data folder is read-only. Every write then rejects with `read_only`. */
    readonly isReadOnly: boolean
    geocodes: GeocodeStore
  }

/** The accounts and what belongs to them, the audit records, and the nodes. */
type AccountStores = {
  access: AccessStore
  grants: GrantStore
  people: PeopleStore
  limits: LimitStore
  audit: AuditStore
  billedCalls: BilledCallStore
  shares: ShareStore
  pins: PinStore
  nodes: NodeStore
}

/** The runs, their entries and their result files. */
export type RunStores = {
  runs: RunReader
  artifacts: ArtifactStore
  submissions: SubmissionStore
  runQueue: RunQueue
  runSweep: RunSweep
  artifactObjects: ArtifactObjectStore
}

/** The runs on connections of their own. `drain` resolves when all writes so far have ended. */
export type OpenedRunStores = RunStores & { drain(): Promise<void>; close(): void }

/** Creates the stores of accounts. `claims`: how the process claims a billed call. */
export function createAccountStores(sql: SqlPools, claims: ClaimingProcess): AccountStores {
  return {
    access: createAccess(sql),
    grants: createGrants(sql),
    people: createPeople(sql),
    limits: createLimits(sql),
    audit: createAudit(sql),
    billedCalls: createBilledCalls(sql, claims),
    shares: createShares(sql),
    pins: createPins(sql),
    nodes: createNodeStore(sql),
  }
}

/** Creates the stores of runs. The two databases differ in their rows and in the queue. */
export function createRunStores(
  sql: SqlPools,
  { rows, runQueue }: { rows: RunRowReader & RunRowWriter; runQueue: RunQueue },
): RunStores {
  return {
    runs: createRunReader(sql, rows),
    artifacts: createArtifacts(sql),
    submissions: createSubmissions(sql, rows),
    runQueue,
    runSweep: createRunSweep(sql),
    artifactObjects: createArtifactObjects(sql),
  }
}
