import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { blob, boxRing, polygonWkb } from '../../test/packs/encode-wkb.ts'
import { writePack } from '../../test/packs/write-pack.ts'
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

/** The layer over which the map is dragged: a square of `rows` times `rows` polygons. */
const squares = { rows: 1000, size_degrees: 0.001, south: 39, west: -105 }
const panPath = '/?map=39.5,-104.5,13.5&layers=usfws_nwi'
const pans = 3
const panSteps = 15
const longestFrame_ms = 100

type TraceEvent = {
  name: string
  pid: number
  tid: number
  /** The processor time of the task, in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/**
 * Measures how long the main thread of a page is busy while it loads, and while its map is panned over a large layer,
 * with WebGL in software. Processor time is measured, because other programs on the machine do not change it. The
 * median of five loads counts.
 */
export async function soakPageSpeed(): Promise<Finding[]> {
  if (!hasChromium) throw new Error('Chromium is not installed. The suite "page-speed" needs it.')
  const browser = await openChromium()
  const site = await openSite({ FIELDSTONE_OFFLINE: '1' })
  try {
    const findings: Finding[] = []
    for (const { path, longest_ms, blocking_ms } of pages) {
      const measured = []
      for (let i = 0; i < loads; i++) measured.push(await measureLoad(browser, site.address, path))
      const longest = median(measured.map((tasks_ms) => Math.max(0, ...tasks_ms)))
      const blocking = median(measured.map(blockingTimeOf))
      findings.push(
        atMost('pages', `${path}: longest task, processor time`, longest, { bound: longest_ms, unit: 'ms' }),
        atMost('pages', `${path}: total blocking time, processor time`, blocking, { bound: blocking_ms, unit: 'ms' }),
      )
    }
    return [...findings, await measurePan(browser)]
  } finally {
    await browser.close()
    await site.close()
  }
}

/** Measures the longest task of the main thread while the map is dragged over a pack of a million polygons. */
async function measurePan(browser: Chromium): Promise<Finding> {
  const packs = mkdtempSync(join(tmpdir(), 'fieldstone-pan-'))
  writeSquares(join(packs, 'usfws_nwi.gpkg'))
  const site = await openSite({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_PACKS: packs })
  try {
    // A pack is checked before the server uses it.
    while ((await fetch(`${site.address}/tiles/usfws_nwi`)).status !== 200) await Bun.sleep(100)
    const { page, context } = await openBrowserPage(browser, site.address, { drawsMap: true })
    await page.goto(panPath)
    await page.locator('.map__regions').waitFor()
    await page.waitForTimeout(measured_ms)
    const tasks_ms = await tasksDuring(page, () => dragMap(page))
    await context.close()
    const title = `map dragged over ${squares.rows ** 2} polygons: longest frame, processor time`
    return atMost('pages', title, Math.max(...tasks_ms), { bound: longestFrame_ms, unit: 'ms' })
  } finally {
    await site.close()
    rmSync(packs, { recursive: true })
  }
}

function writeSquares(path: string): void {
  const { rows, size_degrees, south, west } = squares
  const attributes = { ATTRIBUTE: 'PEM1A', WETLAND_TYPE: 'Lake', ACRES: 1 }
  const boxOf = (i: number) => {
    const [lng, lat] = [west + (i % rows) * size_degrees, south + Math.floor(i / rows) * size_degrees]
    return { west: lng, south: lat, east: lng + 0.8 * size_degrees, north: lat + 0.8 * size_degrees }
  }
  const geomOf = (i: number) => {
    const box = boxOf(i)
    return blob(polygonWkb(boxRing(box.west, box.south, box.east, box.north)))
  }
  const first = boxOf(0)
  writePack(path)
    .layer('Wetlands', [{ geom: geomOf(0), attributes }], {
      boxes: [[first.west, first.east, first.south, first.north]],
    })
    .close()
  const db = new Database(path)
  const insert = db.prepare('INSERT INTO Wetlands (geom, ATTRIBUTE, WETLAND_TYPE, ACRES) VALUES (?, ?, ?, ?)')
  const index = db.prepare('INSERT INTO rtree_Wetlands_geom VALUES (?, ?, ?, ?, ?)')
  db.transaction(() => {
    for (let i = 1; i < rows * rows; i++) {
      const box = boxOf(i)
      const { lastInsertRowid } = insert.run(geomOf(i), ...Object.values(attributes))
      index.run(lastInsertRowid, box.west, box.east, box.south, box.north)
    }
  })()
  db.close(true)
}

/** Drags the map to the west, so that new tiles come into view all the time. */
async function dragMap(page: Page): Promise<void> {
  const { x, y, width, height } = (await page.locator('.map').boundingBox())!
  for (let i = 0; i < pans; i++) {
    await page.mouse.move(x + width * 0.9, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.1, y + height / 2, { steps: panSteps })
    await page.mouse.up()
  }
}

/** Returns the processor times of the tasks of the main thread while a page loads in a fresh profile. */
async function measureLoad(browser: Chromium, address: string, path: string): Promise<number[]> {
  const { page, context } = await openBrowserPage(browser, address, { drawsMap: true })
  const tasks_ms = await tasksDuring(page, async () => {
    await page.goto(path)
    await page.waitForTimeout(measured_ms)
  })
  await context.close()
  return tasks_ms
}

async function tasksDuring(page: Page, action: () => Promise<void>): Promise<number[]> {
  const devtools = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const ended = new Promise<void>((done) => devtools.once('Tracing.tracingComplete', () => done()))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  })
  await action()
  await devtools.send('Tracing.end')
  await ended
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
