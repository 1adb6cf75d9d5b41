import { readFileSync } from 'node:fs'
import { runLoad } from './load.ts'

/** A running server and its process. */
type Served = { url: URL; token: string; pid: number }
type Location = { lat: number; lng: number }
type Progress = { status: string; progress: { done: number } }

const runSize = 10_000
const interactive = { requests: 4000, connections: 4 }

/** Measures runs of 10,000 locations: duration, memory, download time of the CSV, and the effect on other requests. */
export async function benchRuns(
  served: Served,
  fields: string[],
  at: () => Location,
  requests: Uint8Array[],
): Promise<void> {
  const idle_mb = memory_mb(served.pid)
  const began = performance.now()
  const run_id = await submitted(served, fields, at)
  const peak_mb = await finished(served, run_id)
  console.log(
    `a run of ${runSize} locations and ${fields.length} fields: ${((performance.now() - began) / 1000).toFixed(1)} s, resident memory ${idle_mb.toFixed(0)} MB before and ${peak_mb.toFixed(0)} MB at most`,
  )

  const requested = performance.now()
  const response = await get(served, `/v1/runs/${run_id}/artifacts/csv`)
  const reader = response.body!.getReader()
  let size = (await reader.read()).value!.length
  const first_ms = performance.now() - requested
  for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.length
  console.log(
    `its CSV of ${(size / 1e6).toFixed(1)} MB: first byte after ${first_ms.toFixed(0)} ms, complete after ${(performance.now() - requested).toFixed(0)} ms`,
  )

  const { url } = served
  const alone = await runLoad(url, requests, interactive.requests, interactive.connections)
  const beside = await submitted(served, fields, at)
  const busy = await runLoad(url, requests, interactive.requests, interactive.connections)
  const { status, progress } = ((await (await get(served, `/v1/runs?limit=1`)).json()) as { items: Progress[] })
    .items[0]!
  console.log(
    `fetches during a run: p99 ${busy.p99_ms.toFixed(1)} ms, alone ${alone.p99_ms.toFixed(1)} ms (${(busy.p99_ms / alone.p99_ms).toFixed(2)}); afterwards the run is ${status} with ${progress.done} of ${runSize} done`,
  )
  await finished(served, beside)

  const ten = performance.now()
  const ids = await Promise.all(Array.from({ length: 10 }, () => submitted(served, fields, at)))
  const most_mb = Math.max(...(await Promise.all(ids.map((id) => finished(served, id)))))
  console.log(
    `ten such runs at once: ${((performance.now() - ten) / 1000).toFixed(1)} s, ${most_mb.toFixed(0)} MB at most`,
  )
}

async function submitted({ url, token }: Served, fields: string[], at: () => Location): Promise<string> {
  const body = { kind: 'fetch_batch', request: { locations: Array.from({ length: runSize }, at), fields } }
  const response = await fetch(new URL('/v1/runs', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
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

function memory_mb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}
