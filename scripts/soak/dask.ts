import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { newFolder } from '../../test/cli/fieldstone.ts'
import { blocks } from '../../test/readme/documents.ts'
import { binIn } from '../../test/readme/reader.ts'
import { freePort } from '../../test/support/free-port.ts'
import { hasPythonModules, python } from '../../test/support/python.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const rows = Number(process.env.SOAK_ROWS ?? 5_000_000)
const partitions = Number(process.env.SOAK_PARTITIONS ?? 50)
/** The planted fault is found in the first of them. */
const plantedPartitions = 3
const kills = 3
const workerCount = 3
const fields = 'county_fips,timezone,nearest_place_name'
const env = { PATH: process.env.PATH!, PYTHONUNBUFFERED: '1' }

const driver = `
import sys
from dask.distributed import Client
from fieldstone_dask import answer_folder
with Client(sys.argv[1]) as client:
    client.upload_file("fieldstone_dask.py")
    for name in answer_folder(client, sys.argv[2], sys.argv[3], "${fields}"):
        print(name)
    print(*client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes)))
`

/** What a cluster came to. `orphans`: runs that went on after their worker was killed. */
type Cluster = { different: number; kills: number; orphans: number; hasProgress: boolean }

/**
 * Answers a folder of Parquet files with the module of the guide on a Dask scheduler and three workers. Workers that are
 * in a run are killed and replaced. The results must have the bytes of those of one machine. A planted fault, a worker
 * that answers another file, shows that the suite finds a wrong result.
 */
export async function soakDask(): Promise<Finding[]> {
  if (!hasPythonModules('distributed')) {
    console.error('Skipped: the Debian package python3-distributed is missing.')
    return []
  }
  const { folder, remove } = newFolder()
  try {
    const bin = binIn(folder)
    const module = blocks.find(({ text }) => text.startsWith('# fieldstone_dask.py'))!
    writeFileSync(join(folder, 'fieldstone_dask.py'), module.text)
    writeFileSync(join(folder, 'driver.py'), driver)
    writePartitions(join(folder, 'points'))
    const expected = await answerHere(folder, bin)
    const cluster = await playCluster(folder, { bin, points: 'points', out: 'answered', kills, expected })
    const few = [...expected].slice(0, plantedPartitions)
    mkdirSync(join(folder, 'few'))
    for (const [name] of few) linkSync(join(folder, 'points', name), join(folder, 'few', name))
    const planted = { points: 'few', out: 'wrong', kills: 0, expected: new Map(few) }
    const wrong = await playCluster(folder, { bin: wrongBinIn(folder, bin), ...planted })
    return [
      atMost(
        'S2',
        `of ${partitions} results of ${rows} rows, those that differ from one machine`,
        cluster.different,
        0,
      ),
      atLeast('S2', 'workers that were killed during a run', cluster.kills, kills),
      atMost('S2', 'runs that went on without their worker', cluster.orphans, 0),
      atLeast('S2', 'clusters that count the runs as tasks for the dashboard', Number(cluster.hasProgress), 1),
      atLeast('S2', 'differing results if workers answer another file (planted)', wrong.different, 1),
    ]
  } finally {
    remove()
  }
}

function writePartitions(folder: string): void {
  const random = randomOf(20_261_130)
  const size = Math.ceil(rows / partitions)
  mkdirSync(folder)
  for (let part = 0; part < partitions; part++) {
    const numbers = (from: number, span: number) => Array.from({ length: size }, () => from + span * random())
    const columnData = [
      { name: 'id', data: Array.from({ length: size }, (_, i) => BigInt(part * size + i)), type: 'INT64' as const },
      { name: 'lat', data: numbers(25, 24), type: 'DOUBLE' as const },
      { name: 'lng', data: numbers(-124, 57), type: 'DOUBLE' as const },
    ]
    writeFileSync(join(folder, nameOf(part)), new Uint8Array(parquetWriteBuffer({ columnData })))
  }
}

function nameOf(part: number): string {
  return `part-${String(part).padStart(4, '0')}.parquet`
}

/** The results of one machine, one file after the other. */
async function answerHere(folder: string, bin: string): Promise<Map<string, Buffer>> {
  const results = new Map<string, Buffer>()
  mkdirSync(join(folder, 'here'))
  for (let part = 0; part < partitions; part++) {
    const [input, out] = [join('points', nameOf(part)), join('here', nameOf(part))]
    const words = ['run', input, '--fields', fields, '--out', out, '--quiet']
    const settings = { cwd: folder, env: { ...env, FIELDSTONE_OFFLINE: '1' }, stderr: 'inherit' as const }
    const child = Bun.spawn([join(bin, 'fieldstone'), ...words], settings)
    if ((await child.exited) > 1) throw new Error(`The run of ${input} ended with ${child.exitCode}.`)
    results.set(nameOf(part), readFileSync(join(folder, out)))
  }
  return results
}

/** A `fieldstone` that reads the second file instead of the first. */
function wrongBinIn(folder: string, bin: string): string {
  const wrong = join(folder, 'wrong-bin')
  mkdirSync(wrong)
  const script = `#!/bin/sh
file=$(echo "$2" | sed s/part-0000/part-0001/)
shift 2
exec ${join(bin, 'fieldstone')} run "$file" "$@"
`
  writeFileSync(join(wrong, 'fieldstone'), script, { mode: 0o755 })
  return wrong
}

type ClusterOptions = { bin: string; points: string; out: string; kills: number; expected: ReadonlyMap<string, Buffer> }

async function playCluster(
  folder: string,
  { bin, points, out, expected, ...options }: ClusterOptions,
): Promise<Cluster> {
  const port = String(freePort())
  const address = `tcp://127.0.0.1:${port}`
  const settings = { cwd: folder, env: { ...env, PATH: `${bin}:${env.PATH}`, PYTHONPATH: folder } }
  const start = (words: string[]) => Bun.spawn(words, { ...settings, stdout: 'ignore', stderr: 'ignore' })
  const startWorker = () =>
    start([
      '/usr/bin/dask-worker',
      address,
      '--nthreads',
      '1',
      '--no-nanny',
      '--no-dashboard',
      '--death-timeout',
      '120',
    ])
  const scheduler = start(['/usr/bin/dask-scheduler', '--host', '127.0.0.1', '--port', port, '--no-dashboard'])
  const workers = Array.from({ length: workerCount }, startWorker)
  const cluster: Cluster = { different: 0, kills: 0, orphans: 0, hasProgress: false }
  try {
    const running = Bun.spawn([python, 'driver.py', address, points, out], {
      ...settings,
      stdout: 'pipe',
      stderr: 'inherit',
    })
    let printed = ''
    const reading = (async () => {
      for await (const piece of running.stdout) printed += new TextDecoder().decode(piece)
    })()
    while (running.exitCode === null && cluster.kills < options.kills) {
      await Bun.sleep(50)
      const due = printed.split('\n').length > ((cluster.kills + 1) * partitions) / (options.kills + 2)
      const victim = due ? workers.findIndex(({ pid }) => childrenOf(pid).length > 0) : -1
      if (victim < 0) continue
      const children = childrenOf(workers[victim]!.pid)
      workers[victim]!.kill('SIGKILL')
      await workers[victim]!.exited
      cluster.kills++
      await Bun.sleep(1_000)
      cluster.orphans += children.filter(isRunning).length
      workers[victim] = startWorker()
    }
    await Promise.all([running.exited, reading])
    cluster.hasProgress = /^(.* )?fieldstone( .*)?$/m.test(printed)
    const found = running.exitCode === 0 ? readdirSync(join(folder, out)) : []
    const isSame = (name: string) =>
      found.includes(name) && readFileSync(join(folder, out, name)).equals(expected.get(name)!)
    const others = found.filter((name) => !expected.has(name))
    cluster.different = [...expected.keys()].filter((name) => !isSame(name)).length + others.length
    return cluster
  } finally {
    for (const child of [...workers, scheduler]) child.kill('SIGKILL')
    await Promise.all([...workers, scheduler].map(({ exited }) => exited))
  }
}

/** The processes that a process has started. */
function childrenOf(pid: number): number[] {
  const { stdout } = Bun.spawnSync(['ps', '--ppid', String(pid), '-o', 'pid='])
  return stdout.toString().split('\n').map(Number).filter(Boolean)
}

function isRunning(pid: number): boolean {
  const state = /^State:\s+(\w)/m.exec(readStatus(pid))?.[1]
  return state !== undefined && state !== 'Z'
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
