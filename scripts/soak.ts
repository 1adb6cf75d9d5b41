import { soakAnswers } from './soak/answers.ts'
import { soakAreaFairness } from './soak/area-fairness.ts'
import { soakAreas } from './soak/areas.ts'
import { soakBilledCalls } from './soak/billed.ts'
import { soakBitFlips } from './soak/bit-flips.ts'
import { soakBulk } from './soak/bulk.ts'
import { soakClock } from './soak/clock.ts'
import { soakDatabaseRuns } from './soak/database-runs.ts'
import { soakDatabase } from './soak/database.ts'
import { soakDask } from './soak/dask.ts'
import { soakDrivers } from './soak/drivers.ts'
import { soakFaults } from './soak/faults.ts'
import type { Suite } from './soak/finding.ts'
import { soakHarvest } from './soak/harvest.ts'
import { soakHedging } from './soak/hedging.ts'
import { soakHostileBodies } from './soak/hostile-bodies.ts'
import { soakHttpPostgres } from './soak/http-postgres.ts'
import { soakHostileFiles } from './soak/hostile-files.ts'
import { soakInterface } from './soak/interface.ts'
import { soakLies } from './soak/lies.ts'
import { soakLoad } from './soak/load.ts'
import { soakLostWorkers } from './soak/lost-workers.ts'
import { soakMigrate } from './soak/migrate.ts'
import { soakNodes } from './soak/nodes.ts'
import { soakProcesses } from './soak/processes.ts'
import { soakPages } from './soak/pages.ts'
import { soakPageSpeed } from './soak/page-speed.ts'
import { soakReaders } from './soak/readers.ts'
import { soakRollingRestarts } from './soak/rolling-restarts.ts'
import { soakRuns } from './soak/runs.ts'
import { soakSlowSenders } from './soak/senders.ts'
import { soakSlowSubmissions } from './soak/slow-submissions.ts'
import { soakSources } from './soak/sources.ts'
import { soakCallLimits } from './soak/call-limits.ts'
import { soakShards } from './soak/shards.ts'
import { soakSlicedRuns } from './soak/sliced-runs.ts'
import { soakStoredPacks } from './soak/stored-packs.ts'
import { soakStorage } from './soak/storage.ts'
import { soakTokenTiming } from './soak/token-timing.ts'

/**
 * Runs the long tests of the promises: `npm run soak [-- suite ...]`, by default all suites. Prints one line of JSON
 * for each figure. Exits with code 1 if a promise is broken. Paths of test files are for the suite `http-postgres`.
 */
const files = process.argv.slice(2).filter((it) => it.includes('/'))
const named = process.argv.slice(2).filter((it) => !it.includes('/'))
const suites: Record<string, Suite> = {
  runs: soakRuns,
  restarts: () => soakRollingRestarts(),
  readers: soakReaders,
  load: soakLoad,
  faults: soakFaults,
  lies: () => soakLies(),
  drivers: soakDrivers,
  sources: soakSources,
  spared: soakCallLimits,
  hedging: soakHedging,
  billed: soakBilledCalls,
  workers: soakLostWorkers,
  clock: soakClock,
  senders: soakSlowSenders,
  interface: soakInterface,
  storage: soakStorage,
  'bit-flips': soakBitFlips,
  database: async () => [...(await soakDatabase()), ...(await soakDatabaseRuns())],
  nodes: () => soakNodes(),
  processes: () => soakProcesses(),
  'http-postgres': () => soakHttpPostgres(files),
  migrate: () => soakMigrate(),
  'stored-packs': () => soakStoredPacks(),
  access: soakTokenTiming,
  'hostile-bodies': () => soakHostileBodies(),
  'slow-senders': () => soakSlowSubmissions(),
  'hostile-files': soakHostileFiles,
  answers: soakAnswers,
  harvest: soakHarvest,
  areas: () => soakAreas(),
  'area-fairness': soakAreaFairness,
  bulk: soakBulk,
  dask: () => soakDask(),
  shards: async () => [...(await soakShards()), ...(await soakSlicedRuns())],
  pages: soakPages,
  'page-speed': soakPageSpeed,
}

for (const name of named)
  if (!Object.hasOwn(suites, name)) throw new Error(`Unknown suite "${name}". Use ${Object.keys(suites).join(', ')}.`)
for (const [name, suite] of Object.entries(suites)) {
  if (named.length > 0 && !named.includes(name)) continue
  for (const finding of await suite()) {
    console.log(JSON.stringify({ suite: name, ...finding }))
    if (!finding.pass) process.exitCode = 1
  }
}
