import { join } from 'node:path'
import { cpu_s, readUntilWord } from './child.ts'
import { runLoad, post, type Load } from './load.ts'
import { reportWithPeer } from './report.ts'

/**
 * Results of a load test, with the processor time of the server for each request, which a busy machine does not
 * distort.
 */
export type LoadMeasurement = Load & { cpu_us: number }

/** Measures a bare Bun.serve that answers every request with these bytes. */
export async function measureBareServer(
  bytes: Uint8Array,
  fields: string[],
  connections: number,
): Promise<LoadMeasurement> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'bare.ts')], {
    stdin: bytes,
    stdout: 'pipe',
  })
  const url = new URL((await readUntilWord(child.stdout, '\n')).trim())
  const requests = [post(url, '/', { lat: 39.7392, lng: -104.9903, fields }, '')]
  await runLoad(url, requests, 20_000, connections)
  const result = await withProcessorTime(child.pid, () => runLoad(url, requests, 100_000, connections))
  child.kill()
  return result
}

export async function withProcessorTime(pid: number, work: () => Promise<Load>): Promise<LoadMeasurement> {
  const before = cpu_s(pid)
  const result = await work()
  return { ...result, cpu_us: ((cpu_s(pid) - before) * 1e6) / result.requests }
}

/** Reports a server compared with a bare one that answers the same bytes. */
export function reportMeasurement(
  name: string,
  it: LoadMeasurement,
  peer: LoadMeasurement,
  promised: number | null = null,
): void {
  reportWithPeer({
    what: name,
    ours: `${it.rps.toFixed(0)} requests/s, p50 ${it.p50_ms.toFixed(1)} ms, p99 ${it.p99_ms.toFixed(1)} ms, ${it.cpu_us.toFixed(0)} µs of processor time a request${it.failures === 0 ? '' : `, ${it.failures} of ${it.requests} not answered`}`,
    peer: `bare Bun.serve ${peer.rps.toFixed(0)} requests/s, ${peer.cpu_us.toFixed(0)} µs`,
    ratio: it.rps / peer.rps,
    promised,
  })
}
