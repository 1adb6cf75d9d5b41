import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { runFileRowsMax } from '../../src/runs/upload/upload.ts'
import { physicalMemory_mb, trackPhysicalMemory } from '../bench/child.ts'
import { randomOf } from '../bench/random.ts'
import { atMost, type Finding } from './finding.ts'

const atOnce = 10
const rows = 10_000
const fields = ['county_fips', 'county', 'state', 'timezone', 'geohash']
/** A note of this length in each row makes a file of 30 MB. */
const longNote_characters = 3000
/** Bounds above idle memory: for submissions of 0.5 MB, including the runs they start, and for files of 30 MB. */
const smallMax_mb = 96
const largeMax_mb = 384
const rest_ms = 5000
/** The bound of the memory of a server, all of it, with a run of the largest file and its result files. */
const largestMax_mb = 320
/** A note of this length makes the largest file 29 MB. */
const largestNote_characters = 90
const formats = ['csv', 'geojson', 'ndjson', 'parquet', 'xlsx', 'gpkg']

type Submission = { type: string; query: string; body: string }

/** Measures the memory that simultaneous submissions of 10,000 rows take. */
export async function measureSubmissionMemory(): Promise<Finding[]> {
  const random = randomOf(20_261_121)
  const place = () => ({ lat: 30 + 15 * random(), lng: -115 + 33 * random() })
  const json = () => ({
    type: 'application/json',
    query: '',
    body: JSON.stringify({ kind: 'fetch_batch', request: { locations: Array.from({ length: rows }, place), fields } }),
  })
  const csv = (note: string) => () => ({
    type: 'text/csv',
    query: `?fields=${fields.join()}`,
    body: `lat,lng,note\n${Array.from({ length: rows }, () => {
      const { lat, lng } = place()
      return `${lat},${lng},${note}\n`
    }).join('')}`,
  })
  const small = { bound: smallMax_mb, unit: 'MB' }
  const large = { bound: largeMax_mb, unit: 'MB' }
  const longNote = 'n'.repeat(longNote_characters)
  const above = 'memory above idle during'
  return [
    atMost('P13', `${above} ${atOnce} submissions in JSON at once`, await memoryOf(json, place), small),
    atMost('P13', `${above} ${atOnce} submissions in CSV at once`, await memoryOf(csv('short'), place), small),
    atMost('P13', `${above} ${atOnce} files of 30 MB at once`, await memoryOf(csv(longNote), place), large),
  ]
}

/** Returns the peak memory above idle, in MB, while a new service accepts the submissions. */
async function memoryOf(makeSubmission: () => Submission, place: () => { lat: number; lng: number }): Promise<number> {
  const { folder, remove } = newFolder()
  const child = startFieldstone(
    ['serve', '--data', join(folder, 'data')],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' },
    folder,
  )
  try {
    const [, address = ''] = await child.waitForOutput(/answers at (http:\S+)/)
    for (let i = 0; i < 2000; i++)
      await (
        await fetch(`${address}/v1/fetch`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...place(), fields }),
        })
      ).arrayBuffer()
    const submissions = Array.from({ length: atOnce }, makeSubmission)
    await Bun.sleep(rest_ms)
    const idle_mb = physicalMemory_mb(child.pid)
    let peak_mb = idle_mb
    const sampling = setInterval(() => (peak_mb = Math.max(peak_mb, physicalMemory_mb(child.pid))), 20)
    await Promise.all(submissions.map((submission) => submit(address, submission)))
    clearInterval(sampling)
    return peak_mb - idle_mb
  } finally {
    child.signal('SIGKILL')
    await child.end()
    remove()
  }
}

/** Returns the id of the run. */
async function submit(address: string, { type, query, body }: Submission): Promise<string> {
  const response = await fetch(`${address}/v1/runs${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  })
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { run_id: string }).run_id
}

/** Measures the memory of a server that answers a run of the largest file and writes its result files. */
export async function measureLargestRun(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const settings = { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' }
  const child = startFieldstone(['serve', '--data', join(folder, 'data')], settings, folder)
  try {
    const [, address = ''] = await child.waitForOutput(/answers at (http:\S+)/)
    const random = randomOf(20_261_129)
    const note = 'n'.repeat(largestNote_characters)
    const line = (_: unknown, i: number) =>
      `${i},${(30 + 15 * random()).toFixed(5)},${(-115 + 33 * random()).toFixed(5)},${note}`
    const body = `id,lat,lng,note\n${Array.from({ length: runFileRowsMax }, line).join('\n')}\n`
    const most = { bound: largestMax_mb, unit: 'MB' }
    const submitMemory_mb = trackPhysicalMemory(child.pid)
    const id = await submit(address, { type: 'text/csv', query: `?fields=${fields.join()}`, body })
    const findings = [atMost('P13', `memory of a server that accepts ${runFileRowsMax} rows`, submitMemory_mb(), most)]
    const runMemory_mb = trackPhysicalMemory(child.pid)
    while ((await statusOf(address, id)) !== 'done') await Bun.sleep(500)
    findings.push(atMost('P13', 'the same while it answers them and writes the first files', runMemory_mb(), most))
    for (const format of formats) {
      const memory_mb = trackPhysicalMemory(child.pid)
      const response = await fetch(`${address}/v1/runs/${id}/artifacts/${format}`, { timeout: false })
      if (!response.ok) throw new Error(`The file ${format} ended with ${response.status}: ${await response.text()}`)
      let bytes = 0
      for await (const piece of response.body!) bytes += piece.length
      const size = `${(bytes / 1e6).toFixed(0)} MB`
      findings.push(atMost('P13', `the same while its ${format} of ${size} is written and read`, memory_mb(), most))
    }
    return findings
  } finally {
    child.signal('SIGKILL')
    await child.end()
    remove()
  }
}

async function statusOf(address: string, id: string): Promise<string> {
  const response = await fetch(`${address}/v1/runs/${id}?view=summary`)
  return ((await response.json()) as { status: string }).status
}
