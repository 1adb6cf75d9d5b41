import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { startS3Server, type S3Server } from '../../test/support/s3-server.ts'
import { hasSwift, startSwift } from '../../test/support/swift-server.ts'
import { randomPoints, writePoints } from '../bench/bulk-command.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const pods = 8
/** The pods that run at the same time. */
const parallelism = 3
const kills = Number(process.env.SOAK_KILLS ?? 30)
const rows = Number(process.env.SOAK_ROWS ?? 80_000)
const fields = ['county_fips', 'timezone', 'nearest_place_name']
const objects = 12
const successKey = 'out/_SUCCESS'

/**
 * What a job came to. `early`: how often `_SUCCESS` was there before all results were. `failed`: the attempts that ended
 * with an error of their own.
 */
type Job = { different: number; early: number; kills: number; attempts: number; failed: number }
type Input = { name: string; objects: Map<string, string>; expected: Map<string, string> }

/**
 * Plays Kubernetes indexed jobs on the S3 server of the tests. Each pod is a process that is killed at random moments
 * and started again until it succeeds. Two faults are planted to show that the suite finds them: a storage that loses a
 * result, and one in which somebody writes `_SUCCESS` too early. Where it is installed, Swift serves a job too.
 */
export async function soakShards(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const random = randomOf(20_261_129)
  try {
    const inputs = await createInputs(folder, random)
    const findings: Finding[] = []
    const jobs = inputs.map((input) => ({ ...input, open: async () => openS3() }))
    if (hasSwift) jobs.push({ ...inputs[1]!, name: 'a prefix on Swift', open: openSwift })
    else console.warn('A job on Swift is skipped, because Swift or memcached is missing.')
    for (const { open, ...input } of jobs) {
      const job = await playJob(input, folder, { random, kills, storage: await open() })
      console.error(`${input.name}: ${job.attempts} attempts of ${pods} pods, ${job.kills} killed.`)
      findings.push(
        atMost('S2', `results of ${input.name} that differ from those of one machine`, job.different, 0),
        atMost('S2', `moments with _SUCCESS before all results of ${input.name}`, job.early, 0),
        atLeast('S2', `pods of ${input.name} that were killed`, job.kills, kills),
        atMost('S2', `pods of ${input.name} that failed without a kill`, job.failed, 0),
      )
    }
    const lost = await playJob(inputs[0]!, folder, { random, kills: 0, storage: openS3(loseResult) })
    const early = await playJob(inputs[0]!, folder, { random, kills: 0, storage: openS3(writeSuccess) })
    return [
      ...findings,
      atLeast('S2', 'differing results if the storage loses one (planted)', lost.different, 1),
      atLeast('S2', 'moments with an early _SUCCESS if somebody writes it (planted)', early.early, 1),
    ]
  } finally {
    remove()
  }
}

type Plant = (s3: S3Server) => void

const loseResult: Plant = (s3) => {
  s3.faultOf = ({ method, key }) =>
    method === 'PUT' && key === successKey
      ? { kind: 'before', run: () => s3.objects.delete([...s3.objects.keys()].find(isResult)!) }
      : null
}

const writeSuccess: Plant = (s3) => {
  s3.faultOf = ({ method, key }) =>
    method === 'PUT' && isResult(key) ? { kind: 'before', run: () => s3.put(successKey, '{}') } : null
}

/** The storage of a job. */
type JobStorage = {
  environment: Record<string, string>
  put(key: string, text: string): Promise<void>
  /** The text of an object; null if there is none. */
  textOf(key: string): Promise<string | null>
  close(): Promise<void>
}

function openS3(plant?: Plant): JobStorage {
  const s3 = startS3Server()
  plant?.(s3)
  return {
    environment: s3.environment,
    put: async (key, text) => s3.put(key, text),
    textOf: async (key) => (s3.objects.has(key) ? Buffer.from(s3.objects.get(key)!).toString() : null),
    close: () => s3.close(),
  }
}

async function openSwift(): Promise<JobStorage> {
  const { environment, stop } = await startSwift()
  const client = new Bun.S3Client({
    endpoint: environment.AWS_ENDPOINT_URL!,
    region: environment.AWS_REGION!,
    accessKeyId: environment.AWS_ACCESS_KEY_ID!,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY!,
    bucket: 'gis-packs',
  })
  return {
    environment,
    put: async (key, text) => void (await client.write(key, text)),
    textOf: async (key) => ((await client.exists(key)) ? client.file(key).text() : null),
    close: stop,
  }
}

function isResult(key: string): boolean {
  return key.startsWith('out/') && !key.includes('/_')
}

/** The shards of one object, and the objects below a prefix, with the results of one machine without kills. */
async function createInputs(folder: string, random: () => number): Promise<Input[]> {
  await writePoints(join(folder, 'all.csv'), rows, randomPoints(random))
  const text = readFileSync(join(folder, 'all.csv'), 'utf8')
  const [header, ...lines] = text.trimEnd().split('\n')
  const shards = new Map<string, string>()
  const digits = (number: number) => String(number).padStart(5, '0')
  for (let pod = 1; pod <= pods; pod++)
    shards.set(`part-${digits(pod)}-of-${digits(pods)}.csv`, await answer(folder, text, `${pod}/${pods}`))
  const [files, results] = [new Map<string, string>(), new Map<string, string>()]
  for (let i = 0; i < objects; i++) {
    const some = lines.filter((_, line) => line % objects === i)
    files.set(`in/${digits(i)}.csv`, [header, ...some, ''].join('\n'))
    results.set(`${digits(i)}.csv`, await answer(folder, files.get(`in/${digits(i)}.csv`)!, '1/1'))
  }
  return [
    { name: 'one object', objects: new Map([['in/all.csv', text]]), expected: shards },
    { name: 'a prefix', objects: files, expected: results },
  ]
}

async function answer(folder: string, text: string, shard: string): Promise<string> {
  const [input, out] = [join(folder, 'input.csv'), join(folder, 'expected.csv')]
  await Bun.write(input, text)
  const words = ['run', input, '--fields', fields.join(), '--shard', shard, '--out', out, '--quiet']
  const { code, err } = await startFieldstone(words, {}, folder).end()
  if (code !== 0) throw new Error(`The run of one machine ended with ${code}: ${err}`)
  const result = readFileSync(out, 'utf8')
  for (const file of [input, out]) rmSync(file)
  return result
}

type JobOptions = { random: () => number; kills: number; storage: JobStorage }

async function playJob(input: Input, folder: string, { random, kills: killsLeft, storage }: JobOptions): Promise<Job> {
  for (const [key, text] of input.objects) await storage.put(key, text)
  const job: Job = { different: 0, early: 0, kills: 0, attempts: 0, failed: 0 }
  const waiting = Array.from({ length: pods }, (_, index) => index)
  const source = input.objects.size === 1 ? 'in/all.csv' : 'in/'
  let left = killsLeft
  const runPods = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      job.attempts++
      const words = ['run', `s3://gis-packs/${source}`, '--out', 's3://gis-packs/out/', '--fields', fields.join()]
      const own = ['--data', `pod-${index}`, '--shards', String(pods), '--quiet']
      const settings = { ...storage.environment, FIELDSTONE_OFFLINE: '0', JOB_COMPLETION_INDEX: String(index) }
      const pod = startFieldstone([...words, ...own], settings, folder)
      const kill = () => {
        left--
        job.kills++
        pod.signal('SIGKILL')
      }
      const timer = left > 0 ? setTimeout(kill, random() * podMax_ms) : undefined
      const { code, err } = await pod.end()
      clearTimeout(timer)
      if (code === 0) continue
      waiting.push(index)
      if (code >= 128) continue
      job.failed++
      console.error(`A pod ended with ${code}: ${err}`)
    }
  }
  const done = Promise.all(Array.from({ length: parallelism }, runPods))
  const end = new AbortController()
  void done.finally(() => end.abort())
  while (!end.signal.aborted) {
    if ((await storage.textOf(successKey)) !== null && (await differencesOf(storage, input)) > 0) job.early++
    await Bun.sleep(20)
  }
  await done
  job.different = (await differencesOf(storage, input)) + Number((await storage.textOf(successKey)) === null)
  await storage.close()
  return job
}

/** A pod is killed within this time. It is about as long as a pod takes. */
const podMax_ms = 1_500

/** The results that are missing, or have other bytes than those of one machine. */
async function differencesOf(storage: JobStorage, { expected }: Input): Promise<number> {
  let different = 0
  for (const [name, text] of expected) if ((await storage.textOf(`out/${name}`)) !== text) different++
  return different
}
