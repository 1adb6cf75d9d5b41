import { billed } from './soak/billed.ts'
import { clock } from './soak/clock.ts'
import { drivers } from './soak/drivers.ts'
import { faults } from './soak/faults.ts'
import type { Suite } from './soak/finding.ts'
import { hedging } from './soak/hedging.ts'
import { described } from './soak/interface.ts'
import { load } from './soak/load.ts'
import { lostWorkers } from './soak/lost-workers.ts'
import { runs } from './soak/runs.ts'
import { senders } from './soak/senders.ts'
import { sources } from './soak/sources.ts'
import { spared } from './soak/spared.ts'
import { storage } from './soak/storage.ts'
import { tokenTiming } from './soak/token-timing.ts'

/**
 * Runs the long tests of the promises: `npm run soak [-- suite ...]`, by default all suites. Prints one line of JSON
 * for each figure. Exits with code 1 if a promise is broken.
 */
const suites: Record<string, Suite> = {
  runs,
  load,
  faults,
  drivers,
  sources,
  spared,
  hedging,
  billed,
  workers: lostWorkers,
  clock,
  senders,
  interface: described,
  storage,
  access: tokenTiming,
}

const named = process.argv.slice(2)
for (const name of named)
  if (!Object.hasOwn(suites, name)) throw new Error(`Unknown suite "${name}". Use ${Object.keys(suites).join(', ')}.`)
for (const [name, suite] of Object.entries(suites)) {
  if (named.length > 0 && !named.includes(name)) continue
  for (const finding of await suite()) {
    console.log(JSON.stringify({ suite: name, ...finding }))
    if (!finding.pass) process.exitCode = 1
  }
}
