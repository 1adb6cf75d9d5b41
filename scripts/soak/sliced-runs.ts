import { killDuringRuns, noRuns, timeRun, type SlicedRuns } from '../../test/runs/sliced-runs.ts'
import { hasPostgres } from '../../test/support/postgres-server.ts'
import { openUpstreams } from '../../test/upstreams/upstreams.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const kills = Number(process.env.SOAK_KILLS ?? 100)
const rows = Number(process.env.SOAK_ROWS ?? 100_000)
const delay_ms = Number(process.env.SOAK_DELAY_MS ?? 20)
const ratioMax = 0.45
const seed = 20_261_129

const trigger = (event: string, body: string) => [
  `CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ${body} RETURN NEW; END'`,
  `CREATE TRIGGER fault ${event} ON runs FOR EACH ROW WHEN (NEW.slice_of IS NOT NULL) EXECUTE FUNCTION fault()`,
]

/** Faults in the database that the suite must find. */
const faults = {
  'a slice begins one row late': trigger('BEFORE INSERT', 'NEW.first_idx := NEW.first_idx + 1;'),
  'a slice ends one row late': trigger('BEFORE INSERT', 'NEW.total := NEW.total + 1;'),
  'a cancellation leaves the slices to their workers': trigger(
    'BEFORE UPDATE OF status',
    "IF NEW.status = ''cancelled'' THEN RETURN OLD; END IF;",
  ),
}

/**
 * Answers large runs on three servers of one database: faster than one server if the sources are slow, and without a
 * lost or doubled row if servers are killed.
 */
export async function soakSlicedRuns(): Promise<Finding[]> {
  if (!hasPostgres) {
    console.error('The suite of runs with slices is skipped: it needs postgresql.')
    return []
  }
  const disturbed = await killDuringRuns({ rows, kills, seed, cancelEach: 4 })
  console.error(JSON.stringify(disturbed))
  const findings = [
    atLeast('S4', 'servers that were killed during large runs', disturbed.kills, kills),
    atMost('S4', 'runs that did not end', disturbed.unfinished, 0),
    atMost(
      'S4',
      'runs that failed, because three servers were killed in the same step',
      disturbed.setAside,
      Math.floor(disturbed.runs / 2),
    ),
    atMost('S4', 'rows that are lost or doubled', disturbed.wrongRows, 0),
    atMost('S4', 'result files that differ from that of a single server', disturbed.different, 0),
    atMost('S4', 'slices that were left when their run was cancelled', disturbed.uncancelled, 0),
  ]
  for (const [name, plant] of Object.entries(faults)) {
    const faulty = await killDuringRuns({ rows: 25_000, kills: 6, seed, cancelEach: 2, plant }).catch(() => lostRun)
    findings.push(atLeast('S4', `wrong runs and rows if ${name} (planted)`, wrongOf(faulty), 1))
  }
  return [...findings, await measureSpeed()]
}

const lostRun: SlicedRuns = { ...noRuns, runs: 1, unfinished: 1 }

function wrongOf({ unfinished, wrongRows, different, uncancelled }: SlicedRuns): number {
  return unfinished + wrongRows + different + uncancelled
}

async function measureSpeed(): Promise<Finding> {
  const upstreams = openUpstreams()
  upstreams.delay(delay_ms)
  const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }
  try {
    const [one_ms, three_ms] = [
      await timeRun(1, { rows, names: 'fema_flood_zone', env }),
      await timeRun(3, { rows, names: 'fema_flood_zone', env }),
    ]
    console.error(
      `${rows} rows, sources of ${delay_ms} ms: ${one_ms.toFixed(0)} ms on one server, ${three_ms.toFixed(0)} on three`,
    )
    return atMost(
      'S4',
      'the time of a large run on three servers / on one, with slow sources',
      three_ms / one_ms,
      ratioMax,
    )
  } finally {
    upstreams.close()
  }
}
