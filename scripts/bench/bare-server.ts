import { join } from 'node:path'
import { cpu_s, until } from './child.ts'
import { load, post, type Load } from './load.ts'
import { beside } from './report.ts'

/**
 * Results of a load test, with the processor time of the server for each request, which a busy machine does not
 * distort.
 */
export type Measured = Load & { cpu_us: number }

/** Measures a bare Bun.serve that answers every request with these bytes. */
export async function bare(bytes: Uint8Array, fields: string[], connections: number): Promise<Measured> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'bare.ts')], {
    stdin: bytes,
    stdout: 'pipe',
  })
  const url = new URL((await until(child.stdout, '\n')).trim())
  const requests = [post(url, '/', { lat: 39.7392, lng: -104.9903, fields }, '')]
  await load(url, requests, 20_000, connections)
  const result = await withCpu(child.pid, () => load(url, requests, 100_000, connections))
  child.kill()
  return result
}

export async function withCpu(pid: number, work: () => Promise<Load>): Promise<Measured> {
  const before = cpu_s(pid)
  const result = await work()
  return { ...result, cpu_us: ((cpu_s(pid) - before) * 1e6) / result.requests }
}

/** Reports a server compared with a bare one that answers the same bytes. */
export function report(name: string, it: Measured, peer: Measured, promised: number | null = null): void {
  beside({
    what: name,
    ours: `${it.rps.toFixed(0)} requests/s, p50 ${it.p50_ms.toFixed(1)} ms, p99 ${it.p99_ms.toFixed(1)} ms, ${it.cpu_us.toFixed(0)} µs of processor time a request${it.failures === 0 ? '' : `, ${it.failures} of ${it.requests} not answered`}`,
    peer: `bare Bun.serve ${peer.rps.toFixed(0)} requests/s, ${peer.cpu_us.toFixed(0)} µs`,
    ratio: it.rps / peer.rps,
    promised,
  })
}
