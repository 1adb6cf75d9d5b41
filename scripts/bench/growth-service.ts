import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allScopes } from '../../src/auth/scope.ts'
import { answerAt } from '../../src/fetch/fetch.ts'
import { fieldsPerRequestMax } from '../../src/catalog/records.ts'
import type { Point } from '../../src/model/place.ts'
import { openTestService } from '../../test/support/test-service.ts'
import { measureBareServer, withProcessorTime } from './bare-server.ts'
import { readUntilWord } from './child.ts'
import { runProgram } from './gdal.ts'
import type { GrowthAxis } from './growth-axis.ts'
import { fetchAnswerBytes, post, runLoad } from './load.ts'
import { processorTimeOf } from './processor-time.ts'
import { randomOf } from './random.ts'

/** A server process, with the fields that it answers from embedded data. */
export type GrowthService = { url: URL; token: string; pid: number; folder: string; close(): Promise<void> }

const fieldCounts = [1, 5, 10, 25, fieldsPerRequestMax]
const connectionCounts = [1, 10, 100, 1000]
const accountCounts = [1, 10, 100, 1000, 10_000]
const requests = 10_000
const connections = 32
const answers = 20_000
const wrk_s = 3

/** Starts a server without a network, and waits until it is warm. */
export async function startGrowthService(command: string[], env: Record<string, string> = {}): Promise<GrowthService> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-growth-'))
  const child = Bun.spawn([...command, 'serve', '--port', '0', '--data', folder], {
    stdout: 'pipe',
    stderr: 'ignore',
    env: {
      PATH: process.env.PATH!,
      FIELDSTONE_OFFLINE: '1',
      FIELDSTONE_CONCURRENCY: '64',
      FIELDSTONE_QUEUE: '2000',
      FIELDSTONE_LOG: 'error',
      ...env,
    },
  })
  const output = await readUntilWord(child.stdout, 'curl')
  const url = new URL(/http:\/\/[\d.:]+/.exec(output)![0])
  const token = /fst_pat_\w+/.exec(output)![0]
  await Bun.sleep(2000)
  return {
    url,
    token,
    pid: child.pid,
    folder,
    async close() {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The cost of a request by its number of fields. */
export async function fieldsAxis({ url, token, pid }: GrowthService, seed: number): Promise<GrowthAxis> {
  const names = await embeddedFieldNames()
  const at = growthPoints(seed)
  const steps: GrowthAxis['steps'] = []
  for (const size of fieldCounts) {
    const fields = names.slice(0, size)
    const bodies = Array.from({ length: 2000 }, () => post(url, '/v1/fetch', { ...at(), fields }, token))
    await runLoad(url, bodies, requests, connections)
    const { cpu_us, failures } = await withProcessorTime(pid, () => runLoad(url, bodies, requests, connections))
    steps.push({ size, cost: cpu_us, ...(failures > 0 && { note: `${failures} not answered` }) })
  }
  const end = `${fieldsPerRequestMax} fields, the maximum of a request`
  return {
    what: 'fields of a request',
    measured: 'processor time of a request, embedded fields',
    unit: 'µs',
    steps,
    end,
  }
}

/** The cost and the latency of a request by the number of connections, by our generator and by wrk. */
export async function connectionsAxis(service: GrowthService, fields: string[], seed: number): Promise<GrowthAxis> {
  const { url, token, pid } = service
  const at = growthPoints(seed)
  const bodies = Array.from({ length: 5000 }, () => post(url, '/v1/fetch', { ...at(), fields }, token))
  const steps: GrowthAxis['steps'] = []
  const peerSteps: GrowthAxis['steps'] = []
  const answer = await fetchAnswerBytes(url, fields, at(), token)
  let failed = 0
  for (const size of connectionCounts) {
    await runLoad(url, bodies, requests, size)
    const load = await withProcessorTime(pid, () => runLoad(url, bodies, requests, size))
    failed += load.failures
    const wrk = await runWrk(service, fields, size)
    const ours = `p50 ${load.p50_ms.toFixed(1)} ms, p99 ${load.p99_ms.toFixed(1)} ms`
    steps.push({ size, cost: load.cpu_us, note: wrk === null ? ours : `${ours}; wrk: ${wrk}` })
    const bare = await measureBareServer(answer, fields, size)
    peerSteps.push({
      size,
      cost: bare.cpu_us,
      note: `p50 ${bare.p50_ms.toFixed(1)} ms, p99 ${bare.p99_ms.toFixed(1)} ms`,
    })
  }
  return {
    what: 'connections',
    measured: 'processor time of a request, ten embedded fields',
    unit: 'µs',
    steps,
    end:
      failed === 0
        ? `not reached at ${connectionCounts.at(-1)!.toLocaleString('en-US')} connections: each request was answered`
        : `${failed} requests were not answered`,
    peer: { name: 'bare `Bun.serve` with the same answer', steps: peerSteps },
  }
}

/** The cost of an answer by the number of accounts that send requests in turn. */
export async function accountsAxis(fields: string[], seed: number): Promise<GrowthAxis> {
  const service = openTestService({ FIELDSTONE_LOG: 'error' })
  const budget = { signal: new AbortController().signal }
  const at = growthPoints(seed)
  const points = Array.from({ length: answers }, at)
  const steps: GrowthAxis['steps'] = []
  try {
    for (const size of accountCounts) {
      const accounts = Array.from({ length: size }, (_, i) => ({
        id: `account-${i}`,
        name: `account-${i}`,
        scopes: new Set(allScopes),
      }))
      const answerAll = async () => {
        for (const [i, point] of points.entries()) {
          const context = service.app.fetchContext(accounts[i % size]!)
          await answerAt(point, context.plans.select({ fields }, 'union'), budget, context)
        }
      }
      await answerAll()
      steps.push({ size, cost: ((await processorTimeOf(answerAll)) * 1e6) / answers })
    }
  } finally {
    await service.close()
  }
  const end = `not reached at ${accountCounts.at(-1)!.toLocaleString('en-US')} accounts`
  return {
    what: 'active accounts',
    measured: 'processor time of an answer, ten embedded fields',
    unit: 'µs',
    steps,
    end,
  }
}

/** Returns the latencies that wrk measures, as text; null where wrk is not installed. */
async function runWrk({ url, token, folder }: GrowthService, fields: string[], size: number): Promise<string | null> {
  if (Bun.which('wrk') === null) return null
  const script = join(folder, 'wrk.lua')
  const names = fields.map((name) => `"${name}"`).join()
  writeFileSync(
    script,
    `wrk.method = "POST"
wrk.headers["Authorization"] = "Bearer ${token}"
wrk.headers["Content-Type"] = "application/json"
request = function()
  local body = string.format('{"lat":%.6f,"lng":%.6f,"fields":[${names}]}', 25 + 24 * math.random(), -124 + 57 * math.random())
  return wrk.format(nil, "/v1/fetch", nil, body)
end
`,
  )
  const options = ['-t', '1', '-c', String(size), '-d', `${wrk_s}s`, '--timeout', '10s', '--latency', '-s', script]
  const output = await runProgram(['wrk', ...options, url.href])
  const [p50, p99] = ['50%', '99%'].map((name) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(output)?.[1])
  return `p50 ${p50}, p99 ${p99}`
}

/** The names of the fields that embedded data answers, in the order of the catalog. */
async function embeddedFieldNames(): Promise<string[]> {
  const { app, close } = openTestService()
  const { catalog, registry } = app
  const names = [...catalog.fields.values()]
    .filter(({ read }) => registry.dataset(read.dataset).options.some(({ driver }) => driver === 'embedded'))
    .map(({ name }) => name)
  await close()
  return names
}

/** Returns a function that returns random points in the 48 states and their neighbors. */
export function growthPoints(seed: number): () => Point {
  const random = randomOf(seed)
  return () => ({ lat: 30 + 18 * random(), lng: -120 + 40 * random() })
}
