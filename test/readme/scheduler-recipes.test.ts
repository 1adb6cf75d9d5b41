import { afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Job } from 'kubernetes-types/batch/v1'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { settingDescriptions } from '../../src/cli/settings.ts'
import { startFieldstone } from '../cli/fieldstone.ts'
import { startS3Server } from '../support/s3-server.ts'
import { freePort } from '../support/free-port.ts'
import { blocks } from './documents.ts'
import { binIn } from './reader.ts'
import { hasPythonModules, python } from '../support/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

setDefaultTimeout(120_000)

const folder = temporaryFolder()
const env = { PATH: `${binIn(folder)}:${process.env.PATH}`, HOME: folder }
const wholeCommand = ['fieldstone', 'run', 'sites.csv', '--fields', 'county,timezone', '--out', 'whole.csv', '--quiet']

beforeAll(async () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => `site ${i},${37 + i / 500},-105`)
  writeFileSync(join(folder, 'sites.csv'), ['name,lat,lng', ...rows, ''].join('\n'))
  await run(wholeCommand, { FIELDSTONE_OFFLINE: '1' })
})

// A process that locks its data folder prevents the others beside it.
afterEach(() => expect(existsSync(join(folder, 'data', 'lock'))).toBe(false))

/** The block of the guide about clusters that contains a text. */
function recipeWith(text: string): string {
  const found = blocks.filter(({ document, text: it }) => document === 'clusters' && it.includes(text))
  expect(found).toHaveLength(1)
  return found[0]!.text
}

async function run(command: string[], extraEnv: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, env: { ...env, ...extraEnv }, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${out}${err}`)
  return out
}

/** The result of the whole file. */
const wholeResult = () => readFileSync(join(folder, 'whole.csv'), 'utf8')

/** The four parts in order, without the header of all but the first. */
function joinedParts(): string {
  const parts = [1, 2, 3, 4].map((part) => readFileSync(join(folder, `part-${part}.csv`), 'utf8'))
  return parts.map((text, i) => (i === 0 ? text : text.slice(text.indexOf('\n') + 1))).join('')
}

const hasParallel = Bun.spawnSync(['sh', '-c', 'parallel --version | grep GNU']).exitCode === 0
test.skipIf(!hasParallel)('GNU parallel runs the parts (skipped without GNU parallel)', async () => {
  await run(['sh', '-c', recipeWith('parallel FIELDSTONE_OFFLINE=1')])
  expect(joinedParts()).toBe(wholeResult())
})

test('The Kubernetes job runs the parts without a shell (Kubernetes does not run here)', async () => {
  type Container = { command?: string[]; args: string[]; env: { name: string; value?: string }[] }
  const { spec } = Bun.YAML.parse(recipeWith('$(PART)')) as {
    spec: { completions: number; template: { spec: { containers: [Container] } } }
  }
  const [{ command, args, env: settings }] = spec.template.spec.containers
  expect(command).toBeUndefined()
  expect(settings.map(({ name }) => name)).toEqual(['FIELDSTONE_OFFLINE', 'JOB_COMPLETIONS', 'PART'])
  const values = Object.fromEntries(settings.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
  expect(values.JOB_COMPLETIONS).toBe(String(spec.completions))
  for (let index = 0; index < spec.completions; index++) {
    const words = args.map((arg) => arg.replaceAll('$(PART)', String(index + 1)).replace('/data/', ''))
    await run(['fieldstone', ...words], { JOB_COMPLETION_INDEX: String(index), ...values })
  }
  expect(joinedParts()).toBe(wholeResult())
})

const slurmPrograms = ['munged', 'slurmctld', 'slurmd', 'sbatch']
const hasSlurm = process.getuid!() === 0 && slurmPrograms.every((name) => Bun.which(name) !== null)
test.skipIf(!hasSlurm)(
  'A Slurm array runs the parts (skipped without root, munged, slurmctld, slurmd and sbatch)',
  async () => {
    await using cluster = await openSlurm()
    writeFileSync(join(folder, 'job.sh'), recipeWith('#SBATCH --array'))
    await run(['sbatch', '--wait', 'job.sh'], { SLURM_CONF: cluster.configuration })
    expect(joinedParts()).toBe(wholeResult())
  },
)

/** Starts a Slurm cluster of this machine alone. */
async function openSlurm() {
  const home = join(folder, 'slurm')
  for (const name of ['state', 'spool', 'munge']) mkdirSync(join(home, name), { recursive: true, mode: 0o755 })
  const [key, socket] = [join(home, 'munge', 'key'), join(home, 'munge', 'socket')]
  writeFileSync(key, crypto.getRandomValues(new Uint8Array(128)), { mode: 0o600 })
  const configuration = join(home, 'slurm.conf')
  const host = hostname().split('.')[0]
  writeFileSync(configuration, configurationOf({ home, host: host!, socket }))
  const munge = ['munged', '--foreground', '--force', `--key-file=${key}`, `--socket=${socket}`]
  const files = ['pid', 'log', 'seed'].map((name) => `--${name}-file=${join(home, 'munge', name)}`)
  const daemons = [
    [...munge, ...files],
    ['slurmctld', '-D', '-c'],
    ['slurmd', '-D', '-c'],
  ].map((command) =>
    Bun.spawn(command, { env: { ...env, SLURM_CONF: configuration }, stdout: 'ignore', stderr: 'ignore' }),
  )
  const isReady = 'until sinfo --noheader --format=%t | grep -q idle; do :; done'
  await run(['timeout', '60', 'sh', '-c', isReady], { SLURM_CONF: configuration })
  return {
    configuration,
    async [Symbol.asyncDispose]() {
      for (const daemon of daemons.toReversed()) daemon.kill()
      await Promise.all(daemons.map(({ exited }) => exited))
    },
  }
}

function configurationOf({ home, host, socket }: { home: string; host: string; socket: string }): string {
  return `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=${socket}
CredType=cred/munge
SlurmUser=root
StateSaveLocation=${home}/state
SlurmdSpoolDir=${home}/spool
SlurmctldPidFile=${home}/slurmctld.pid
SlurmdPidFile=${home}/slurmd.pid
SlurmctldPort=${freePort()}
SlurmdPort=${freePort()}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${navigator.hardwareConcurrency} State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES State=UP
`
}

test('The Kubernetes job on objects has the types of Kubernetes, and its command answers the objects of a bucket', async () => {
  const job = Bun.YAML.parse(recipeWith('generateName: fieldstone-')) as Job
  const source = join(folder, 'job.ts')
  const types = join(import.meta.dir, '..', '..', 'node_modules', 'kubernetes-types', 'batch', 'v1')
  writeFileSync(source, `import type { Job } from '${types}'\nexport const job: Job = ${JSON.stringify(job)}\n`)
  const tsc = join(import.meta.dir, '..', '..', 'node_modules', '.bin', 'tsc')
  const checked = Bun.spawnSync([tsc, '--noEmit', '--strict', source], { cwd: folder })
  expect([checked.exitCode, checked.stdout.toString()]).toEqual([0, ''])
  const { completions, template, podFailurePolicy } = job.spec!
  const [container] = template.spec!.containers
  const s3 = startS3Server()
  for (const i of [1, 2, 3]) s3.put(`points/${i}.csv`, `lat,lng\n${39 + i},-100\n`)
  const args = container!.args!.map((it) => it.replace('s3://geodata/', `s3://${s3.bucket}/`).replace('64', '2'))
  try {
    for (const index of ['0', '1']) {
      const own = { FIELDSTONE_DATA: `pod-${index}`, JOB_COMPLETION_INDEX: index }
      const settings = { ...s3.environment, FIELDSTONE_OFFLINE: '0', ...own }
      expect(await startFieldstone(args, settings, folder).end()).toMatchObject({ code: 0 })
    }
    expect([...s3.objects.keys()].filter((key) => /^answered\/[^_]/.test(key))).toHaveLength(3)
    expect(s3.objects.has('answered/_SUCCESS')).toBe(true)
  } finally {
    await s3.close()
  }
  expect(args[args.indexOf('--shards') + 1]).toBe('2')
  expect(container!.args).toContain(String(completions))
  expect(container!.command).toBeUndefined()
  const final = podFailurePolicy!.rules.flatMap(({ onExitCodes }) => onExitCodes?.values ?? [])
  expect(final).toEqual([exitCodes.failure, exitCodes.usage, exitCodes.config])
  const settings = container!.env!.map(({ name }) => name)
  expect(settings.filter((name) => settingDescriptions[name] === undefined)).toEqual([])
})

const hasPython = Bun.which(python) !== null
test.skipIf(!hasPython)('The class of the guide answers batches in one process (skipped without Python)', async () => {
  const check = `
fieldstone = Fieldstone("county")
for name in ["a", "b"]:
    print(fieldstone.answer(f"name,lat,lng\\n{name},39.74,-104.99\\n".encode()).decode().splitlines()[1])
try:
    fieldstone.answer(b"a,b\\n1,2\\n")
except ValueError as error:
    print(error)
`
  writeFileSync(join(folder, 'worker.py'), recipeWith('class Fieldstone') + check)
  const lines = (await run([python, 'worker.py'])).trim().split('\n')
  expect(lines.slice(0, 2)).toEqual([
    'a,39.74,-104.99,0,true,39.74,-104.99,coordinate,,Denver County,',
    'b,39.74,-104.99,0,true,39.74,-104.99,coordinate,,Denver County,',
  ])
  expect(lines[2]).toContain('The file has no location column')
})

test('The command that Spark pipes partitions through answers lines of JSON in order (Spark does not run here)', async () => {
  const recipe = recipeWith('sites.toJSON().pipe')
  const [, command] = /^command = "(.*)"$/m.exec(recipe)!
  // Spark gives the command no other environment.
  const settings = JSON.parse(/^env = (.*)$/m.exec(recipe)![1]!) as Record<string, string>
  const names = Array.from({ length: 50 }, (_, i) => `site ${i}`)
  const lines = names.map((name, i) => JSON.stringify({ name, lat: 37 + i / 50, lng: -105 }))
  writeFileSync(join(folder, 'sites.ndjson'), lines.join('\n'))
  const answered = (await run(['sh', '-c', `${command} < sites.ndjson`], { ...settings, PATH: env.PATH }))
    .trim()
    .split('\n')
  expect(answered.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(names)
})

test.skipIf(!hasPythonModules('distributed', 'pandas'))(
  'The module for Dask answers the files of a folder, and a table (skipped without the Debian package python3-distributed)',
  async () => {
    const module = recipeWith('# fieldstone_dask.py')
    const program = recipeWith('from fieldstone_dask import answer_folder')
    const [results, sources] = [join(folder, 'answered'), join(folder, 'points')]
    mkdirSync(sources)
    for (const part of [1, 2]) writeFileSync(join(sources, `${part}.csv`), `name,lat,lng\n${part},${39 + part},-100\n`)
    writeFileSync(join(sources, '_SUCCESS'), '')
    writeFileSync(join(folder, 'fieldstone_dask.py'), module)
    const local = program
      .replace('"tcp://scheduler:8786"', 'processes=False, n_workers=1, dashboard_address=None')
      .replace('/data/points', sources)
      .replace('/data/answered', results)
    const table = `
import pandas
from fieldstone_dask import answer_table
table = pandas.DataFrame({"lat": [39.7, 99.0], "lng": [-104.9, 1.0]}, index=[7, 8])
print(answer_table(table, "county").to_json(orient="index"))
`
    writeFileSync(join(folder, 'program.py'), `if __name__ == "__main__":\n${indent(local + table)}`)
    const lines = (await run([python, 'program.py'])).trim().split('\n')
    expect(lines.slice(0, 2).toSorted()).toEqual(['1.parquet', '2.parquet'])
    expect(JSON.parse(lines[2]!)).toMatchObject({
      '7': { lat: 39.7, county: 'Denver County', error: '' },
      '8': { county: '', error: 'coord_out_of_bounds' },
    })
    expect(readdirSync(results).toSorted()).toEqual(['1.parquet', '2.parquet'])
  },
)

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ')
}

const hasPandas = hasPythonModules('pandas')
test.skipIf(!hasPandas)(
  'The function that Spark calls answers tables in order (Spark does not run here; skipped without pandas)',
  async () => {
    const check = `
sites = pandas.read_csv("sites.csv", index_col="name")
tables = [sites[:400].reset_index(), sites[:0].reset_index(), sites[400:].reset_index()]
pandas.concat(with_fields(iter(tables))).to_csv("spark.csv", index=False)
`
    writeFileSync(join(folder, 'spark.py'), recipeWith('mapInPandas') + check)
    await run([python, 'spark.py'])
    const lines = readFileSync(join(folder, 'spark.csv'), 'utf8').trimEnd().split('\n')
    expect(lines[0]).toBe('name,lat,lng,county,timezone,error')
    expect(lines).toHaveLength(1_001)
    expect(lines[1]).toBe('site 0,37.0,-105,Las Animas County,America/Denver,')
  },
)
