import { hasChromium, openBrowserPage, openChromium, type Chromium } from '../../test/web/chromium.ts'
import { openSite } from '../../test/web/site.ts'
import { atMost, type Finding } from './finding.ts'

const loads = 5
/** The page is measured this long: until its map is drawn. */
const measured_ms = 6_000
const longTask_ms = 50

/** A page, and its bounds for the longest task and for the total blocking time. */
const pages = [
  { path: '/', longest_ms: 100, blocking_ms: 200 },
  { path: '/?at=39.7392,-104.9903&name=Denver', longest_ms: 100, blocking_ms: 200 },
  { path: '/v1/docs', longest_ms: 500, blocking_ms: 500 },
]

type TraceEvent = {
  name: string
  pid: number
  tid: number
  /** The processor time of the task, in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/**
 * Measures how long the main thread of a page is busy while it loads, with WebGL in software. Processor time is
 * measured, because other programs on the machine do not change it. The median of five loads counts.
 */
export async function soakPageSpeed(): Promise<Finding[]> {
  if (!hasChromium) throw new Error('Chromium is not installed. The suite "page-speed" needs it.')
  const browser = await openChromium()
  const site = await openSite({ FIELDSTONE_OFFLINE: '1' })
  try {
    const findings: Finding[] = []
    for (const { path, longest_ms, blocking_ms } of pages) {
      const measured = []
      for (let i = 0; i < loads; i++) measured.push(await measureTasks(browser, site.address, path))
      const longest = median(measured.map((tasks_ms) => Math.max(0, ...tasks_ms)))
      const blocking = median(measured.map(blockingTimeOf))
      findings.push(
        atMost('pages', `${path}: longest task, processor time`, longest, { bound: longest_ms, unit: 'ms' }),
        atMost('pages', `${path}: total blocking time, processor time`, blocking, { bound: blocking_ms, unit: 'ms' }),
      )
    }
    return findings
  } finally {
    await browser.close()
    await site.close()
  }
}

/** Returns the processor times of the tasks of the main thread while a page loads in a fresh profile. */
async function measureTasks(browser: Chromium, address: string, path: string): Promise<number[]> {
  const { page, context } = await openBrowserPage(browser, address)
  const devtools = await context.newCDPSession(page)
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const ended = new Promise<void>((done) => devtools.once('Tracing.tracingComplete', () => done()))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  })
  await page.goto(path)
  await page.waitForTimeout(measured_ms)
  await devtools.send('Tracing.end')
  await ended
  await context.close()
  return busiestThreadTasks_ms(events)
}

/** The tasks of the main thread that worked most: other renderers of the browser, such as a spare one, are idle. */
function busiestThreadTasks_ms(events: TraceEvent[]): number[] {
  const mainThreads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const tasksOf = ({ pid, tid }: TraceEvent) =>
    events.flatMap((it) =>
      it.pid === pid && it.tid === tid && it.name.endsWith('RunTask') ? [(it.tdur ?? 0) / 1000] : [],
    )
  return mainThreads.map(tasksOf).toSorted((a, b) => sum(b) - sum(a))[0] ?? []
}

function blockingTimeOf(tasks_ms: number[]): number {
  return sum(tasks_ms.map((task) => Math.max(0, task - longTask_ms)))
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
