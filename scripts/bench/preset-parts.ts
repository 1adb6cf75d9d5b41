import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noDeadline } from '../../src/async/deadline.ts'
import { waitForPacks } from '../../src/cli/command-app.ts'
import { answerAt } from '../../src/fetch/fetch.ts'
import type { Point } from '../../src/model/place.ts'
import { openTestService, type TestService } from '../../test/support/test-service.ts'
import { buildBenchPack } from './build-pack.ts'
import { randomOf } from './random.ts'
import { compareRates, featuresNear, partBoxes } from './part-boxes.ts'
import { reportFigure } from './report.ts'

const preset = 'flood_risk'
const dataset = 'usfws_nwi'
const layer = 'Wetlands'
const polygons = 20_000
const grid = 4
/** Within the US, so that all fields of the preset are evaluated. */
const [west, south, size] = [-105, 38, 2]
const margin = { m: 5_000, degrees: 0.06 }
const timed = 2_000
const compared = 300

/** Compares the answers of a preset from a pack in parts with those from one file: the same, and points per second. */
export async function benchPresetParts(seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-preset-'))
  const random = randomOf(seed)
  const wetlands = Array.from({ length: polygons }, (_, id) => createWetland(id, random))
  const services: TestService[] = []
  try {
    await writePack(join(folder, 'one', dataset), wetlands, [west, south, west + size, south + size])
    for (const [i, box] of partBoxes([west, south, size], grid).entries())
      await writePack(join(folder, 'parts', dataset, `part${i}`), featuresNear(wetlands, box, margin.degrees), box)
    const [one, parts] = await Promise.all(['one', 'parts'].map((name) => openService(join(folder, name), services)))
    const points = Array.from({ length: timed }, () => ({
      lat: south + 0.1 + (size - 0.2) * random(),
      lng: west + 0.1 + (size - 0.2) * random(),
    }))
    await compare(one!, parts!, points)
  } finally {
    for (const service of services) await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Wetland = Point & { line: string }

function createWetland(id: number, random: () => number): Wetland {
  const [lng, lat, radius] = [west + size * random(), south + size * random(), 0.001 + 0.004 * random()]
  const ring = Array.from({ length: 24 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 24
    return [lng + radius * Math.cos(angle), lat + radius * Math.sin(angle)]
  })
  const properties = { OBJECTID: id, WETLAND_TYPE: 'Made up', ATTRIBUTE: `L${id % 9}UBH`, ACRES: id % 77 }
  const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] }
  return { lat, lng, line: JSON.stringify({ type: 'Feature', properties, geometry }) }
}

/** Writes a pack and its manifest. `stem` is its path without extension. */
async function writePack(stem: string, wetlands: readonly Wetland[], coverage: number[]): Promise<void> {
  const input = `${stem}.geojsonl`
  mkdirSync(join(stem, '..'), { recursive: true })
  writeFileSync(input, wetlands.map(({ line }) => `${line}\n`).join(''))
  renameSync(await buildBenchPack(input, layer, ['OBJECTID']), `${stem}.gpkg`)
  rmSync(input)
  rmSync(`${input}.built`, { recursive: true })
  writeFileSync(`${stem}.json`, JSON.stringify({ vintage: '2026', coverage, margin_m: margin.m, key: 'OBJECTID' }))
}

async function openService(packs: string, opened: TestService[]): Promise<TestService> {
  const service = openTestService({ FIELDSTONE_PACKS: packs })
  opened.push(service)
  await service.ready
  await waitForPacks(service.app)
  return service
}

async function compare(one: TestService, parts: TestService, points: readonly Point[]): Promise<void> {
  const [ofOne, ofParts] = [
    await answersOf(one, points.slice(0, compared)),
    await answersOf(parts, points.slice(0, compared)),
  ]
  const differing = ofOne.filter((answer, i) => answer !== ofParts[i]).length
  reportFigure(`packs in parts: ${preset}: points with other answers`, String(differing), differing === 0, 'none')
  const what = `packs in parts: ${preset}: points/s of processor from ${grid * grid} parts beside one file`
  await compareRates(what, points.length, {
    one: () => answerAll(one, points),
    parts: () => answerAll(parts, points),
  })
}

/** The value and status of each field, as text. */
async function answersOf({ post }: TestService, points: readonly Point[]): Promise<string[]> {
  const answers: string[] = []
  for (const at of points) {
    const { fields } = (await (await post('/v1/fetch', { ...at, preset })).json()) as {
      fields: Record<string, { status: string; value: unknown }>
    }
    answers.push(JSON.stringify(Object.entries(fields).map(([name, { status, value }]) => [name, status, value])))
  }
  return answers
}

async function answerAll({ app }: TestService, points: readonly Point[]): Promise<void> {
  const plan = app.plans.select({ preset }, 'none')
  for (const at of points) await answerAt(at, plan, noDeadline, app)
}
