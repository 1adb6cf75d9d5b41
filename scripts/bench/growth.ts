import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { between } from '../sources/marked-section.ts'
import { randomPoints, runBulk, writePoints } from './bulk-command.ts'
import { benchFeatures } from './growth-features.ts'
import { accountsAxis, connectionsAxis, fieldsAxis, startGrowthService } from './growth-service.ts'
import { partsAxis } from './parts.ts'
import { randomOf } from './random.ts'

/** The cost at one size, and what else was measured there. */
type GrowthStep = { size: number; cost: number; note?: string }

/** How a cost grows with one quantity. `end` says where the growth ends. */
export type GrowthAxis = { what: string; measured: string; unit: string; steps: GrowthStep[]; end: string }

const page = join(import.meta.dir, '..', '..', 'src', 'web', 'guide', 'performance.md')
const rows = [10_000, 100_000, 1_000_000]
/** Takes minutes, so only `--long` measures it. */
const longRows = 5_000_000
const rowsOfCores = 500_000

/**
 * Measures how cost grows with fields, connections, accounts, parts and polygons of packs, rows and processors, and
 * writes the table into the page on performance.
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
    console.log(cellsOf(axis).join(' | '))
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
  const columns = ['what grows', 'cost', 'size: cost', 'power', 'where it ends']
  const rowsOfTable = [columns, columns.map(() => '---'), ...axes.map(cellsOf)]
  const table = rowsOfTable.map((cells) => `| ${cells.join(' | ')} |`)
  await Bun.write(page, between(await Bun.file(page).text(), 'growth', table.join('\n')))
}

/** The cells of an axis in the table. */
function cellsOf({ what, measured, unit, steps, end }: GrowthAxis): string[] {
  const costs = steps.map(
    ({ size, cost, note }) => `${size.toLocaleString('en-US')}: ${shown(cost)}${note ? ` (${note})` : ''}`,
  )
  return [what, `${measured}, ${unit}`, costs.join('; '), powerOf(steps).toFixed(2), end]
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
    for (const size of isLong ? [...rows, longRows] : rows) {
      await writePoints(join(folder, 'rows.csv'), size, at)
      // The peak memory of a child process includes that of this process, from which it was started.
      const { cpu_s } = await runBulk(command, folder, { name: 'rows', names: fields, workers: 1 })
      rowSteps.push({ size, cost: cpu_s })
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

/** The exponent of the power law that fits the costs best (least squares of the logarithms). */
function powerOf(steps: GrowthStep[]): number {
  const points = steps.map(({ size, cost }) => [Math.log(size), Math.log(cost)] as const)
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}

function shown(cost: number): string {
  return cost >= 100 ? cost.toFixed(0) : cost.toPrecision(2)
}
