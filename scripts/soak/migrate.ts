import { SQL } from 'bun'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { hasPostgres, startPostgres } from '../../test/support/postgres-server.ts'
import { randomOf } from '../bench/random.ts'
import { fillState } from './big-state.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const largeState_mb = 260
const smallState_mb = 15
/** The memory of a copy, as a share of the size of the state. A copy that held all rows in memory would need more. */
const memoryShare = 1 / 2
/** The longest time from the start of a copy until it is killed. A copy of the large state takes longer. */
const killMax_ms = 6000

/** What a copy reported: its exit code, how many rows of results it copied, and the most memory that it used. */
type Copy = { code: number; results: number; memory_mb: number }

/**
 * Copies a state with 200,000 rows of results to PostgreSQL and back, and kills the command in the middle several
 * times. Needs Debian's postgresql, and Linux.
 */
export async function soakMigrate(kills = 6): Promise<Finding[]> {
  if (!hasPostgres) {
    console.error('The suite migrate is skipped: it needs postgresql.')
    return []
  }
  const postgres = await startPostgres()
  const { folder, remove } = newFolder()
  const copy = createCopier(folder)
  const random = randomOf(11)
  const stats = { usableParts: 0, notKilled: 0 }
  try {
    const [small, large] = [join(folder, 'small'), join(folder, 'large')]
    await fillState(small, smallState_mb)
    await fillState(large, largeState_mb)
    const original = hashOf(large)
    const smallCopy = await copy(small, await postgres.createDatabase())
    const url = await postgres.createDatabase()
    for (let kill = 0; kill < kills; kill++) {
      stats.notKilled += (await copy(large, url, killMax_ms * random())).code === 0 ? 1 : 0
      stats.usableParts += await countRuns(url)
    }
    const toDatabase = await copy(large, url)
    const target = join(folder, 'back')
    const database = await hashOfResults(url)
    for (let kill = 0; kill < kills; kill++) {
      stats.notKilled += (await copy(url, target, killMax_ms * random())).code === 0 ? 1 : 0
      stats.usableParts += existsSync(join(target, 'state.db')) ? 1 : 0
      if (stats.notKilled > 0) rmSync(target, { recursive: true, force: true })
    }
    const toFolder = await copy(url, target)
    const toOtherDatabase = await copy(target, await postgres.createDatabase())
    return [
      atMost('N', 'copies that ended before they were killed', stats.notKilled, kills / 2),
      atMost('N', 'parts of a killed copy that a server would use', stats.usableParts, 0),
      atMost(
        'N',
        'changes of the original',
        Number(hashOf(large) !== original) + Number((await hashOfResults(url)) !== database),
        0,
      ),
      ...[toDatabase, toFolder, toOtherDatabase].flatMap(({ code, results }, index) => {
        const name = ['to the database', 'back to a folder', 'from there to another database'][index]!
        return [
          atMost('N', `exit code of the copy ${name} after the kills`, code, exitCodes.ok),
          atLeast('N', `rows of results that were copied ${name}`, results, 200_000),
        ]
      }),
      atMost(
        'P13',
        `memory of a copy of ${largeState_mb} MB, more than of ${smallState_mb} MB`,
        Math.max(toDatabase.memory_mb, toFolder.memory_mb) - smallCopy.memory_mb,
        { bound: largeState_mb * memoryShare, unit: 'MB' },
      ),
    ]
  } finally {
    await postgres.stop()
    remove()
  }
}

/**
 * Returns a function that copies a folder to a database or a database to a folder, and kills the command after
 * `kill_ms`.
 */
function createCopier(folder: string): (from: string, to: string, kill_ms?: number) => Promise<Copy> {
  return async (from, to, kill_ms) => {
    const env = from.startsWith('postgres:')
      ? { FIELDSTONE_DATABASE: from, FIELDSTONE_DATA: join(folder, 'unused') }
      : { FIELDSTONE_DATA: from }
    // After a kill, the database ends the connection of the process a moment later, and until then it is in use.
    for (;;) {
      const child = startFieldstone(['migrate-state', '--to', to], env, folder)
      let memory_mb = 0
      const timer = setInterval(() => (memory_mb = Math.max(memory_mb, peakMemory(child.pid))), 50)
      const killer = kill_ms === undefined ? undefined : setTimeout(() => child.signal('SIGKILL'), kill_ms)
      const { code, out, err } = await child.end()
      clearInterval(timer)
      clearTimeout(killer)
      if (code === exitCodes.config && err.includes('Another Fieldstone process')) {
        await Bun.sleep(100)
        continue
      }
      if (code !== 0 && kill_ms === undefined) console.error(err)
      return { code, results: Number(/^run_results: (\d+)/m.exec(out.replaceAll(',', ''))?.[1] ?? 0), memory_mb }
    }
  }
}

function peakMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}

function hashOf(data: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(join(data, 'state.db'))).digest('hex')
}

async function countRuns(url: string): Promise<number> {
  const database = new SQL({ url, max: 1 })
  try {
    const [table] = await database.unsafe("SELECT to_regclass('runs') IS NOT NULL AS exists")
    return table.exists ? (await database.unsafe('SELECT 1 FROM runs LIMIT 1')).length : 0
  } finally {
    await database.close()
  }
}

/** A hash of everything in the database that a copy could change. */
async function hashOfResults(url: string): Promise<string> {
  const database = new SQL({ url, max: 1 })
  const [row] = await database.unsafe("SELECT md5(string_agg(r::text, '' ORDER BY number)) AS hash FROM runs r")
  await database.close()
  return String(row.hash)
}
