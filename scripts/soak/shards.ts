import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { startS3Server, type S3Server } from '../../test/support/s3-server.ts'
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
 * result, and one in which somebody writes `_SUCCESS` too early.
 */
export async function soakShards(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const random = randomOf(20_261_129)
  try {
    const inputs = await createInputs(folder, random)
    const findings: Finding[] = []
    for (const input of inputs) {
      const job = await playJob(input, folder, { random, kills })
      console.error(`${input.name}: ${job.attempts} attempts of ${pods} pods, ${job.kills} killed.`)
      findings.push(
        atMost('S2', `results of ${input.name} that differ from those of one machine`, job.different, 0),
        atMost('S2', `moments with _SUCCESS before all results of ${input.name}`, job.early, 0),
        atLeast('S2', `pods of ${input.name} that were killed`, job.kills, kills),
        atMost('S2', `pods of ${input.name} that failed without a kill`, job.failed, 0),
      )
    }
    const lost = await playJob(inputs[0]!, folder, { random, kills: 0, plant: loseResult })
    const early = await playJob(inputs[0]!, folder, { random, kills: 0, plant: writeSuccess })
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

type JobOptions = { random: () => number; kills: number; plant?: Plant }

async function playJob(input: Input, folder: string, { random, kills: killsLeft, plant }: JobOptions): Promise<Job> {
  const s3 = startS3Server()
  for (const [key, text] of input.objects) s3.put(key, text)
  plant?.(s3)
  const job: Job = { different: 0, early: 0, kills: 0, attempts: 0, failed: 0 }
  const waiting = Array.from({ length: pods }, (_, index) => index)
  const source = input.objects.size === 1 ? 'in/all.csv' : 'in/'
  let left = killsLeft
  const runPods = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      job.attempts++
      const words = ['run', `s3://gis-packs/${source}`, '--out', 's3://gis-packs/out/', '--fields', fields.join()]
      const own = ['--data', `pod-${index}`, '--shards', String(pods), '--quiet']
      const settings = { ...s3.environment, FIELDSTONE_OFFLINE: '0', JOB_COMPLETION_INDEX: String(index) }
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
  const watching = setInterval(() => {
    if (s3.objects.has(successKey) && differencesOf(s3, input) > 0) job.early++
  }, 20)
  await Promise.all(Array.from({ length: parallelism }, runPods))
  clearInterval(watching)
  job.different = differencesOf(s3, input) + Number(!s3.objects.has(successKey))
  await s3.close()
  return job
}

/** A pod is killed within this time. It is about as long as a pod takes. */
const podMax_ms = 1_500

/** The results that are missing, or have other bytes than those of one machine. */
function differencesOf(s3: S3Server, { expected }: Input): number {
  const isSame = ([name, text]: [string, string]) => s3.objects.get(`out/${name}`) && textAt(s3, name) === text
  return [...expected].filter((it) => !isSame(it)).length
}

function textAt(s3: S3Server, name: string): string {
  return Buffer.from(s3.objects.get(`out/${name}`)!).toString()
}
