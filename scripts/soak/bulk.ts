import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { newDisk } from '../../test/store/small-disk.ts'
import { randomPoints, runBulk, stateSizeOf, writePoints } from '../bench/bulk-command.ts'
import { randomOf } from '../bench/random.ts'
import { atMost, type Finding } from './finding.ts'

/** Smaller numbers for a quick run. */
const kills = Number(process.env.SOAK_KILLS ?? 30)
const killedRows = Number(process.env.SOAK_ROWS ?? 200_000)
const manyRows = Number(process.env.SOAK_MANY_ROWS ?? 5_000_000)
const memoryMax_mb = 300
const stateMax_mb = 1
const fields = ['county_fips', 'timezone', 'nearest_place_name', 'nearest_airport_distance_m', 'h3_cell_res9']
/** The disk holds the result, but only half of it before space is freed. */
const disk_mb = 256
const interrupted = 75
/** The executable in FIELDSTONE_EXECUTABLE, or else the source. */
const executable = process.env.FIELDSTONE_EXECUTABLE
const command = executable
  ? [join(process.cwd(), executable)]
  : [process.execPath, '--no-env-file', join(import.meta.dir, '..', '..', 'src', 'main.ts')]

/** Kills runs without a server at random moments, fills their disk, and measures the memory of a very long one. */
export async function soakBulk(): Promise<Finding[]> {
  return [...(await killBulkRuns()), ...(await fillDisk()), ...(await measureMemory())]
}

async function killBulkRuns(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const random = randomOf(20_261_123)
  try {
    const whole = await answerWhole(folder, random)
    const out = join(folder, 'out.csv')
    let [different, interruptions] = [0, 0]
    for (let kill = 0; kill < kills; kill++) {
      const words = wordsOf('few.csv', out, 1 + (kill % 2))
      const killed = startFieldstone(words, {}, folder)
      const timer = setTimeout(() => killed.signal('SIGKILL'), random() * whole.duration_ms)
      if ((await killed.end()).code !== 0) interruptions++
      clearTimeout(timer)
      const { code } = await startFieldstone(words, {}, folder).end()
      if (code !== 0 || !readFileSync(out).equals(whole.bytes) || hiddenFiles(folder).length > 0) different++
      rmSync(out)
    }
    console.error(`${interruptions} of ${kills} runs were interrupted.`)
    const bound = { bound: 0, unit: 'results' }
    const state_mb = stateSizeOf(folder) / 1e6
    return [
      atMost('S2', `results that differ after ${kills} kills at random moments`, different, bound),
      atMost('S2', 'kills that came after the end of the run', kills - interruptions, {
        bound: kills / 2,
        unit: 'kills',
      }),
      atMost('S2', 'state that the runs leave behind', state_mb, { bound: stateMax_mb, unit: 'MB' }),
    ]
  } finally {
    remove()
  }
}

/** Fills the disk of the result. The same command continues when there is space. */
async function fillDisk(): Promise<Finding[]> {
  const disk = newDisk(disk_mb)
  if (!disk) {
    console.error('Skipped the full disk: mounting a disk needs root.')
    return []
  }
  const { folder, remove } = newFolder()
  try {
    const whole = await answerWhole(folder, randomOf(20_261_124))
    const out = join(disk.folder, 'out.csv')
    const words = wordsOf('few.csv', out, 2)
    const free = disk.fill(whole.bytes.length / 2)
    const full = await startFieldstone(words, {}, folder).end()
    free()
    const { code } = await startFieldstone(words, {}, folder).end()
    const isRight = full.code === interrupted && code === 0 && readFileSync(out).equals(whole.bytes)
    const left = hiddenFiles(disk.folder).length
    return [
      atMost('S2', 'results that differ after a full disk', Number(!isRight), { bound: 0, unit: 'results' }),
      atMost('S2', 'files left beside the result', left, { bound: 0, unit: 'files' }),
    ]
  } finally {
    disk.remove()
    remove()
  }
}

async function measureMemory(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  try {
    await writePoints(join(folder, 'many.csv'), manyRows, randomPoints(randomOf(20_261_125)))
    const { peak_mb } = await runBulk(command, folder, { name: 'many', names: fields, workers: 1 })
    const what = `memory of a run of ${manyRows.toLocaleString('en-US')} rows`
    return [atMost('S2', what, peak_mb, { bound: memoryMax_mb, unit: 'MB' })]
  } finally {
    remove()
  }
}

/** Writes the input, and answers it without interruption. */
async function answerWhole(folder: string, random: () => number): Promise<{ bytes: Buffer; duration_ms: number }> {
  await writePoints(join(folder, 'few.csv'), killedRows, randomPoints(random))
  const began_ms = performance.now()
  const { code, err } = await startFieldstone(wordsOf('few.csv', 'whole.csv', 2), {}, folder).end()
  if (code !== 0) throw new Error(`The run without interruption ended with ${code}: ${err}`)
  return { bytes: readFileSync(join(folder, 'whole.csv')), duration_ms: performance.now() - began_ms }
}

function wordsOf(input: string, out: string, workers: number): string[] {
  const files = [input, '--out', out, '--data', 'data']
  return ['run', ...files, '--fields', fields.join(), '--workers', String(workers), '--quiet']
}

function hiddenFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('.'))
}
