import { cpu_s, memory_mb } from './child.ts'
import { runLoad } from './load.ts'

/** A running server and its process. */
type Served = { url: URL; token: string; pid: number }
type Location = { lat: number; lng: number }
type Progress = { status: string; progress: { done: number } }

const runSize = 10_000
const interactive = { requests: 4000, connections: 4 }

/**
 * Measures runs of 10,000 locations: duration, processor time, memory, download time of the CSV, and the effect on other
 * requests.
 */
export async function benchRuns(
  served: Served,
  fields: string[],
  at: () => Location,
  requests: Uint8Array[],
): Promise<void> {
  const newBody = () => bodyOf(Array.from({ length: runSize }, at), fields)
  const idle_mb = memory_mb(served.pid)
  const first = await measureRuns(served, [newBody()])
  console.log(
    `a run of ${runSize} locations and ${fields.length} fields: ${first.times}, resident memory ${idle_mb.toFixed(0)} MB before and ${first.most_mb.toFixed(0)} MB at most`,
  )
  // The first run has started the worker.
  const next = await measureRuns(served, [newBody()])
  console.log(`the next such run: ${next.times}`)
  const [run_id] = next.ids

  const requested = performance.now()
  const response = await get(served, `/v1/runs/${run_id}/artifacts/csv`)
  const reader = response.body!.getReader()
  let size = (await reader.read()).value!.length
  const first_ms = performance.now() - requested
  for (let read = await reader.read(); !read.done; read = await reader.read()) size += read.value.length
  console.log(
    `its CSV of ${(size / 1e6).toFixed(1)} MB: first byte after ${first_ms.toFixed(0)} ms, complete after ${(performance.now() - requested).toFixed(0)} ms`,
  )

  const { url } = served
  const alone = await runLoad(url, requests, interactive.requests, interactive.connections)
  const bodies = Array.from({ length: 10 }, newBody)
  const beside = measureRuns(served, bodies)
  const busy = await runLoad(url, requests, interactive.requests, interactive.connections)
  const { items } = (await (await get(served, `/v1/runs?limit=${bodies.length}`)).json()) as { items: Progress[] }
  const running = items.filter(({ status }) => status === 'queued' || status === 'running').length
  console.log(
    `fetches during ten such runs: p99 ${busy.p99_ms.toFixed(1)} ms, alone ${alone.p99_ms.toFixed(1)} ms (${(busy.p99_ms / alone.p99_ms).toFixed(2)}); afterwards ${running} of the runs are not finished`,
  )
  const { times, most_mb } = await beside
  console.log(`the ten runs at once: ${times}, with these fetches; ${most_mb.toFixed(0)} MB at most`)
}

/** Submits runs, and waits for them. Returns their duration and processor time, and the highest sampled memory. */
async function measureRuns(
  served: Served,
  bodies: string[],
): Promise<{ ids: string[]; times: string; most_mb: number }> {
  const began_ms = performance.now()
  const before_s = cpu_s(served.pid)
  const ids = await Promise.all(bodies.map((body) => submitted(served, body)))
  const most_mb = Math.max(...(await Promise.all(ids.map((id) => finished(served, id)))))
  const seconds = (performance.now() - began_ms) / 1000
  const times = `${seconds.toFixed(1)} s, ${(cpu_s(served.pid) - before_s).toFixed(2)} s of processor time`
  return { ids, times, most_mb }
}

function bodyOf(locations: Location[], fields: string[]): string {
  return JSON.stringify({ kind: 'fetch_batch', request: { locations, fields } })
}

async function submitted({ url, token }: Served, body: string): Promise<string> {
  const response = await fetch(new URL('/v1/runs', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  })
  if (response.status !== 202) throw new Error(`The server answered ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { run_id: string }).run_id
}

/** Waits for the end of a run. Returns the highest sampled memory, in MB. */
async function finished(served: Served, run_id: string): Promise<number> {
  let most_mb = 0
  const reader = (await get(served, `/v1/runs/${run_id}/events`)).body!.getReader()
  for (let text = ''; !/event: final/.test(text);) {
    const { value, done } = await reader.read()
    if (done) break
    text = new TextDecoder().decode(value).slice(0, 1000)
    most_mb = Math.max(most_mb, memory_mb(served.pid))
  }
  await reader.cancel()
  return most_mb
}

function get({ url, token }: Served, path: string): Promise<Response> {
  return fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } })
}
