import { successEntryOf } from '../../src/runs/location-answerer.ts'
import { RunLoop } from '../../src/runs/run-loop.ts'
import type { LocationTask } from '../../src/runs/run-loop-deps.ts'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import type { LocationAttempt, LocationResult, RunWriter } from '../../src/store/runs/run-queue.ts'
import { closePostgresPools, createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { StorageError } from '../../src/store/storage-error.ts'
import type { Store } from '../../src/store/store.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../../test/support/postgres-server.ts'
import { newLocations, newRun, now } from '../../test/store/contract-case.ts'
import { plantInPools, sqlFault, type SqlFault } from '../../test/store/sql-fault.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const processes = 3
const locations = 30
const answer_ms = 3
const pause_ms = 300
/** The time for the last runs, with leases that were lost. */
const endMax_ms = 120_000

/** What happened to the runs. `repeated`: locations that were answered again after their result was written. */
type RunsUse = { acknowledged: number; lost: number; repeated: number; unavailable: number }

/**
 * Answers runs with the loops of several processes on one PostgreSQL database, while its connections are killed and the
 * server crashes. If a worker continues after another one has taken over its run, locations are answered again: this
 * shows that the suite finds it.
 */
export async function soakDatabaseRuns(incidents = 20): Promise<Finding[]> {
  if (!hasPostgres) return []
  const server = await startPostgres()
  try {
    const { acknowledged, lost, repeated, unavailable } = await answerRuns(server, incidents)
    const fault = sqlFault(/AND epoch = \$2 AND status = 'running'/, 'AND $2::bigint > 0')
    const faulty = await answerRuns(server, 8, fault)
    return [
      atLeast('P1', `acknowledged runs during ${incidents} incidents of the database`, acknowledged, incidents / 2),
      atLeast('P1', 'calls that failed because the database did not answer', unavailable, 1),
      atMost('P1', 'acknowledged runs that are lost or incomplete', lost, 0),
      atMost('P2', 'locations that were answered again after their result was written', repeated, 0),
      atLeast('P2', 'such locations if a worker continues a run that another one has taken over', faulty.repeated, 1),
    ]
  } finally {
    await server.stop()
  }
}

async function answerRuns(server: PostgresServer, incidents: number, fault?: SqlFault): Promise<RunsUse> {
  const url = await server.createDatabase()
  const pools = await Promise.all(Array.from({ length: processes }, () => openPostgresPools(url)))
  const stores = pools.map((it) => createPostgresStore(fault ? plantInPools(fault, it) : it))
  const use: RunsUse = { acknowledged: 0, lost: 0, repeated: 0, unavailable: 0 }
  const loops = await Promise.all(openLoops(stores, use))
  const stopping = new AbortController()
  const submitting = submitRuns(stores, use, stopping.signal)
  for (let incident = 0; incident < incidents; incident++) {
    await Bun.sleep(pause_ms)
    if (incident % 2 === 0) await server.killConnections()
    else {
      await server.crash()
      await Bun.sleep(pause_ms)
      await server.restart()
    }
  }
  stopping.abort()
  const ids = await submitting
  use.acknowledged = ids.length
  use.lost = await countIncomplete(stores[0]!, ids)
  for (const loop of loops) await loop.stop(Promise.resolve())
  await Promise.all(pools.map(closePostgresPools))
  return use
}

/** Starts a loop for each store. They share what they know about written results. */
function openLoops(stores: Store[], use: RunsUse): Promise<RunLoop>[] {
  const written = new Set<string>()
  const answerLocation = async ({ run, location }: LocationTask) => {
    if (written.has(`${run.number} ${location.idx}`)) use.repeated++
    await Bun.sleep(answer_ms)
    return successEntryOf(location, {})
  }
  return stores.map(async ({ runQueue }) => {
    const writer = await runQueue.beginEpoch(now)
    const loop = new RunLoop({
      writer: recordWrites(writer, written),
      isFirstWorker: false,
      leaseRenewal_ms: 500,
      answerLocation,
      writeArtifacts: async () => {},
      now: () => new Date(now),
      reportChange: () => {},
      reportFailure: () => void use.unavailable++,
      reportRecovery: () => {},
    })
    loop.wake()
    return loop
  })
}

/** Records the results that a writer has written, as `<run> <index>`. */
function recordWrites(writer: RunWriter, written: Set<string>): RunWriter {
  const saveProgress = async (run: number, results: LocationResult[], attempted: LocationAttempt[]) => {
    const changed = await writer.saveProgress(run, results, attempted)
    if (changed) for (const { idx } of results) written.add(`${run} ${idx}`)
    return changed
  }
  return { ...writer, saveProgress }
}

/** Submits runs to the stores in turn until the signal aborts. Returns the ids of the acknowledged ones. */
async function submitRuns(stores: Store[], use: RunsUse, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; !signal.aborted; i++) {
    const id = `run_${String(i).padStart(6, '0')}`
    try {
      const run = newRun(id, { account_id: 'ada', expires_at: now + 1e9 })
      await stores[i % processes]!.submissions.submit(run, packLocations(newLocations(locations)), null)
      ids.push(id)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      use.unavailable++
    }
    await Bun.sleep(50)
  }
  return ids
}

/** Counts the runs that do not succeed with an entry for every location. */
async function countIncomplete({ runs }: Store, ids: string[]): Promise<number> {
  const until_ms = performance.now() + endMax_ms
  let incomplete = 0
  for (const id of ids) {
    let run: StoredRun | null = await runs.find(id, 'ada')
    while (run?.finished_at === null && performance.now() < until_ms) {
      await Bun.sleep(20)
      run = await runs.find(id, 'ada')
    }
    const entries = run ? await runs.listEntries(run.number, 0, locations + 1) : []
    if (run?.status !== 'done' || run.done !== locations || entries.length !== locations) incomplete++
  }
  return incomplete
}
