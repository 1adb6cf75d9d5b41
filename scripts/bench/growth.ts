import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { between } from '../sources/marked-section.ts'
import { joinWithGeopandas } from './bulk.ts'
import { randomPoints, runBulk, writePoints } from './bulk-command.ts'
import { growthCellsOf, growthColumns, type GrowthAxis, type GrowthStep } from './growth-axis.ts'
import { benchFeatures } from './growth-features.ts'
import { accountsAxis, connectionsAxis, fieldsAxis, startGrowthService } from './growth-service.ts'
import { partsAxis } from './parts.ts'
import { randomOf } from './random.ts'

const page = join(import.meta.dir, '..', '..', 'src', 'web', 'guide', 'performance.md')
const rows = [10_000, 100_000, 1_000_000]
/** Takes minutes, so only `--long` measures it. */
const longRows = 5_000_000
/** GeoPandas holds all rows in memory. */
const peerRowsMax = 1_000_000
const rowsOfCores = 500_000

/**
 * Measures how cost grows with fields, connections, accounts, parts and polygons of packs, rows and processors, and
 * writes the table into the page on performance. Peers answer the same questions where they can.
 */
export async function benchGrowth(
  command: string[],
  fields: string[],
  { isLong }: { isLong: boolean },
  seed: number,
): Promise<void> {
  const axes: GrowthAxis[] = []
  const add = (axis: GrowthAxis) => {
    axes.push(axis)
    console.log(growthCellsOf(axis).join(' | '))
  }
  const service = await startGrowthService(command)
  try {
    add(await fieldsAxis(service, seed))
    add(await connectionsAxis(service, fields, seed))
  } finally {
    await service.close()
  }
  add(await accountsAxis(fields, seed))
  add(await partsAxis(seed))
  add(await benchFeatures(seed, { isLong }))
  for (const axis of await bulkAxes(command, fields, { isLong }, seed)) add(axis)
  const rowsOfTable = [growthColumns, growthColumns.map(() => '---'), ...axes.map(growthCellsOf)]
  const table = rowsOfTable.map((cells) => `| ${cells.join(' | ')} |`)
  await Bun.write(page, between(await Bun.file(page).text(), 'growth', table.join('\n')))
}

/** The cost of runs without a server, by rows and by threads. */
async function bulkAxes(
  command: string[],
  fields: string[],
  { isLong }: { isLong: boolean },
  seed: number,
): Promise<GrowthAxis[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-growth-'))
  try {
    const at = randomPoints(randomOf(seed))
    const rowSteps: GrowthStep[] = []
    const peerSteps: GrowthStep[] = []
    for (const size of isLong ? [...rows, longRows] : rows) {
      await writePoints(join(folder, 'rows.csv'), size, at)
      // The peak memory of a child process includes that of this process, from which it was started.
      const { cpu_s } = await runBulk(command, folder, { name: 'rows', names: fields, workers: 1 })
      rowSteps.push({ size, cost: cpu_s })
      const peer = size <= peerRowsMax ? await joinWithGeopandas(folder, 'rows') : null
      if (peer) peerSteps.push({ size, cost: peer.seconds })
    }
    await writePoints(join(folder, 'rows.csv'), rowsOfCores, at)
    const coreSteps: GrowthStep[] = []
    const cores = availableParallelism()
    for (let size = 1; size <= cores; size *= 2) {
      const { wall_s } = await runBulk(command, folder, { name: 'rows', names: fields, workers: size })
      coreSteps.push({ size, cost: wall_s })
    }
    return [
      {
        what: 'rows of a run without a server',
        measured: 'processor time of one thread, ten embedded fields',
        unit: 's',
        steps: rowSteps,
        peer: { name: 'GeoPandas, county and time zone', steps: peerSteps },
        end: `not reached at ${rowSteps.at(-1)!.size.toLocaleString('en-US')} rows`,
      },
      {
        what: 'threads of such a run',
        measured: `duration of ${rowsOfCores.toLocaleString('en-US')} rows`,
        unit: 's',
        steps: coreSteps,
        end: `the ${cores} processors of this machine`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
