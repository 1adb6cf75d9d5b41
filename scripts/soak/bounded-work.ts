import { join } from 'node:path'
import { memory_mb } from '../bench/child.ts'
import { atMost, type Finding } from './finding.ts'

/** The bounds of the work that one input causes: memory above the level before, and the longest pause. */
const memoryMax_mb = 256
const pauseMax_ms = 100
/** Another process on the machine can delay an answer. The best of this many attempts counts. */
export const workAttempts = 3
const rest_ms = 500
const sample_ms = 5

/** What one input cost: a row of the table of the guide's security page. */
export type WorkCost = { input: string; sentBy: string; size_bytes: number; memory_mb: number; pause_ms: number }

/** A process to measure. */
export type MeasuredProcess = { url: URL; pid: number }

/** The probe of a process. It requests /healthz from a process of its own. */
export type WorkProbe = {
  /** Returns the cost of the work: the best of all attempts if the first is above a bound. */
  measure(input: Omit<WorkCost, 'memory_mb' | 'pause_ms'>, work: () => Promise<void>): Promise<WorkCost>
  close(): void
}

/** Opens a probe of a process. `attempts` is 1 for work that a process does only once. */
export function openWorkProbe({ url, pid }: MeasuredProcess, attempts = workAttempts): WorkProbe {
  let report = (_longest_ms: number) => {}
  const probe = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'health-probe-process.ts')], {
    ipc: (longest_ms: number) => report(longest_ms),
  })
  probe.send({ url: new URL('/healthz', url).href, pid })
  return {
    async measure(input, work) {
      let best = await attempt(work)
      for (let i = 1; i < attempts && !isBounded(best); i++) {
        const again = await attempt(work)
        best = {
          memory_mb: Math.min(best.memory_mb, again.memory_mb),
          pause_ms: Math.min(best.pause_ms, again.pause_ms),
        }
      }
      return { ...input, ...best }
    },
    close: () => probe.kill(),
  }

  async function attempt(work: () => Promise<void>): Promise<Pick<WorkCost, 'memory_mb' | 'pause_ms'>> {
    await Bun.sleep(rest_ms)
    await longestPause_ms()
    const before_mb = memory_mb(pid)
    let peak_mb = before_mb
    const sampling = setInterval(() => (peak_mb = Math.max(peak_mb, memory_mb(pid))), sample_ms)
    await work()
      .then(() => Bun.sleep(rest_ms))
      .finally(() => clearInterval(sampling))
    return { memory_mb: peak_mb - before_mb, pause_ms: await longestPause_ms() }
  }

  function longestPause_ms(): Promise<number> {
    return new Promise((resolve) => {
      report = resolve
      probe.send('report')
    })
  }
}

/** Returns the findings of one input. */
export function costFindings({ input, memory_mb: mb, pause_ms }: WorkCost): Finding[] {
  return [
    atMost('P13', `memory above the level before: ${input}`, mb, { bound: memoryMax_mb, unit: 'MB' }),
    atMost('P11', `longest pause of /healthz: ${input}`, pause_ms, { bound: pauseMax_ms, unit: 'ms' }),
  ]
}

/** Returns the rows of the table of the guide's security page, in Markdown. */
export function costTable(costs: WorkCost[]): string {
  const rows = costs.map(({ input, sentBy, size_bytes, memory_mb: mb, pause_ms }) => [
    input,
    sentBy,
    sizeText(size_bytes),
    `${Math.max(0, Math.round(mb))} MB`,
    `${Math.ceil(pause_ms)} ms`,
  ])
  const header = ['Input', 'Sent by', 'Size', 'Peak memory', 'Longest pause']
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** Whether a cost is within both bounds. */
export function isBounded({ memory_mb: mb, pause_ms }: Pick<WorkCost, 'memory_mb' | 'pause_ms'>): boolean {
  return mb <= memoryMax_mb && pause_ms <= pauseMax_ms
}

function sizeText(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
