import { bodyInputs, type BodyInput } from './body-inputs.ts'
import {
  costFindings,
  costTable,
  openWorkProbe,
  workAttempts,
  type MeasuredProcess,
  type WorkCost,
} from './bounded-work.ts'
import type { Finding } from './finding.ts'
import { startService } from './service-process.ts'

/** Bodies that several senders send at the same time. */
const sendersAtOnce = 8
const memoryAtOnce: BodyInput['name'][] = [
  'CSV: 10,000 rows of 3 kB',
  'Run: many field names',
  'Fetch: many field names',
]

/**
 * Sends every body that a stranger or a user can send to the real process, at the largest size that it reads, and
 * measures its memory and its longest pause. Prints the table of the guide's security page.
 */
export async function soakHostileBodies(share = 1, inputs = bodyInputs, attempts = workAttempts): Promise<Finding[]> {
  const it = await startService({ FIELDSTONE_OFFLINE: '1' })
  try {
    return await measureBodies(it, share, inputs, attempts)
  } finally {
    await it.stop()
  }
}

/** Measures what each body costs a process. */
export async function measureBodies(
  it: MeasuredProcess,
  share: number,
  inputs: readonly BodyInput[],
  attempts = workAttempts,
): Promise<Finding[]> {
  const probe = openWorkProbe(it, attempts)
  const costs: WorkCost[] = []
  try {
    for (const input of inputs) {
      const body = input.make(Math.ceil(input.max_bytes * share))
      const cost = { input: input.name, sentBy: input.sentBy, size_bytes: body.length }
      costs.push(await probe.measure(cost, () => send(it.url, input, body)))
      if (memoryAtOnce.includes(input.name))
        costs.push(
          await probe.measure({ ...cost, input: `${input.name}, ${sendersAtOnce} at the same time` }, async () => {
            await Promise.all(Array.from({ length: sendersAtOnce }, () => send(it.url, input, body)))
          }),
        )
    }
  } finally {
    probe.close()
  }
  console.error(costTable(costs))
  return costs.flatMap(costFindings)
}

/**
 * Sends a body. A process that closes the connection has answered too.
 * @throws if the body is larger than the route reads, or the answer is a bug.
 */
async function send(url: URL, { path, headers, chunk_bytes }: BodyInput, body: Buffer): Promise<void> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers,
    body: chunk_bytes === undefined ? new Uint8Array(body) : chunksOf(body, chunk_bytes),
  }).catch(() => null)
  const text = await response?.text()
  if (response && (response.status === 413 || response.status === 500 || text?.includes('worker_lost')))
    throw new Error(`${path} answered ${response.status}: ${text}`)
}

function chunksOf(body: Buffer, size_bytes: number): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      if (at >= body.length) return controller.close()
      controller.enqueue(new Uint8Array(body.subarray(at, (at += size_bytes))))
      await Bun.sleep(0)
    },
  })
}
