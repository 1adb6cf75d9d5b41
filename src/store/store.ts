/**
 * Our own state: accounts, tokens, runs, caches, audit records. Each kind of record has one SQL text for SQLite and
 * PostgreSQL. Only `StorageError` leaves this folder.
 */
import type { AccessStore } from './accounts/access.ts'
import type { ArtifactObjectStore } from './runs/artifact-objects.ts'
import type { ArtifactStore } from './runs/artifacts.ts'
import type { AuditStore } from './audit.ts'
import type { BilledCallStore } from './billed-calls.ts'
import type { GeocodeStore } from './geocodes.ts'
import type { GrantStore } from './accounts/grants.ts'
import type { LimitStore } from './accounts/limits.ts'
import type { NodeStore } from './nodes.ts'
import type { PeopleStore } from './accounts/people.ts'
import type { PinStore } from './accounts/pins.ts'
import type { RunQueue } from './runs/run-queue.ts'
import type { RunReader, RunSweep } from './runs/runs.ts'
import type { ShareStore } from './accounts/shares.ts'
import type { SubmissionStore } from './runs/submissions.ts'

/**
 * The state of the service. Every method is one whole transaction. What is decided between its reads and its writes is a
 * synchronous function that the caller passes. Methods reject with a StorageError; every other error is a bug, or was
 * thrown by the function of the caller.
 */
export type Store = {
  /** Whether the data folder is read-only. Every write then rejects with `read_only`. */
  readonly isReadOnly: boolean
  access: AccessStore
  grants: GrantStore
  people: PeopleStore
  limits: LimitStore
  audit: AuditStore
  geocodes: GeocodeStore
  billedCalls: BilledCallStore
  shares: ShareStore
  pins: PinStore
  nodes: NodeStore
} & RunStores

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
