import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AreaAnswer, AreaFieldResult } from '../../src/areas/area-answer.ts'
import { cutRingAtExtent } from '../../src/geo/overlay/cut-at-extent.ts'
import { fetchMax_ms } from '../../src/fetch/fetch.ts'
import type { FlatPath } from '../../src/model/area.ts'
import { damagedGeometry } from '../../test/areas/damaged-geometry.ts'
import { positionsOf } from '../../test/areas/random-polygons.ts'
import { buildGeotiff } from '../../test/raster/build-geotiff.ts'
import { openHttpService, type HttpService } from '../../test/support/http-service.ts'
import { randomOf } from '../bench/random.ts'
import { answerCombs } from './area-combs.ts'
import { areaLayersOf, writeAreaLayers, type AreaTestLayer } from './area-layers.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const [west, south, size] = [-105, 39, 0.5]
const rasterCell = 0.0005
const rasterField = 'elevation'
/** Read without interpolation, as `gdallocationinfo` reads. */
const cellField = 'impervious_surface_pct'
const partSumMax = 1e-9
/** Sizes have three decimals: a whole and its two halves each differ by up to half of the last one. */
const rounding_m2 = 0.0015

/** `combVertices`: the sizes of the combs. The largest ones take seconds each. */
type Options = { cases: number; seed: number; combVertices: readonly number[] }

/** What needs no other program to check: sums of divided areas, damaged geometries, combs, and profiles beside GDAL. */
export async function checkAreas({ cases, seed, combVertices }: Options): Promise<Finding[]> {
  console.error(`${cases} divided areas and damaged geometries, seed ${seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'soak-area-checks-'))
  const random = randomOf(seed)
  const layers = areaLayersOf(random)
  writeAreaLayers(folder, layers)
  writeFileSync(
    join(folder, 'usgs_3dep_13.tif'),
    randomRaster(() => 1000 + 500 * random()),
  )
  const cells = join(folder, 'annual_nlcd_impervious.tif')
  writeFileSync(
    cells,
    randomRaster(() => Math.floor(100 * random())),
  )
  const service = await openHttpService({ FIELDSTONE_PACKS: folder })
  try {
    await service.testService.app.packs.waitUntilChecked()
    return [
      ...(await compareHalves(service, layers, { cases, random })),
      ...(await sendDamagedGeometries(service, layers, { cases, random })),
      ...(await answerCombs(service, layers, { combVertices, random })),
      ...(await answerCounties(service)),
      ...(await compareProfiles(service, cells, { cases: Math.ceil(cases / 100), random })),
    ]
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A raster without a pattern, so that a shift by one cell shows. */
function randomRaster(value: () => number): Uint8Array {
  const side = Math.ceil((1.2 * size) / rasterCell)
  const origin: [number, number] = [west - 0.1 * size, south + 1.1 * size]
  const step: [number, number] = [rasterCell, -rasterCell]
  return buildGeotiff({ width: side, height: side, origin, step, epsg: 4326, tile: 256, value })
}

type Checked = { cases: number; random: () => number }

async function answerFor(service: HttpService, geometry: object, fields: string[]): Promise<AreaAnswer | number> {
  const response = await service.post('/v1/areas', { geometry, fields })
  return response.status === 200 ? ((await response.json()) as AreaAnswer) : response.status
}

/** A convex polygon and its two parts on both sides of a meridian must add up, for features and for cells. */
async function compareHalves(
  service: HttpService,
  layers: AreaTestLayer[],
  { cases, random }: Checked,
): Promise<Finding[]> {
  const fields = [...layers.map(({ field }) => field), rasterField]
  let [worstPart, worstRaster, failures] = [0, 0, 0]
  for (let i = 0; i < cases; i++) {
    const ring = randomQuadrilateral(random)
    const x = ring.filter((_, at) => at % 2 === 0).toSorted((a, b) => a - b)
    const middle = x[0]! + (0.1 + 0.8 * random()) * (x.at(-1)! - x[0]!)
    const rings = [ring, sideOf(ring, { west: -180, east: middle }), sideOf(ring, { west: middle, east: 180 })]
    const answers = await Promise.all(
      rings.map((it) => answerFor(service, { type: 'Polygon', coordinates: [positionsOf(it)] }, fields)),
    )
    if (!answers.every((answer) => typeof answer === 'object')) {
      failures++
      continue
    }
    const [whole, ...halves] = answers as [AreaAnswer, AreaAnswer, AreaAnswer]
    for (const { field } of layers)
      worstPart = Math.max(worstPart, differenceOfParts(whole, halves, field) / whole.area_m2!)
    worstRaster = Math.max(worstRaster, differenceOfRasters(whole, halves))
  }
  return [
    atMost('areas', 'halves: largest difference of a class from the whole, in billionths', worstPart / 1e-9, 1),
    atMost('areas', 'halves: largest difference of a mean from the whole, in millionths', worstRaster / 1e-6, 1),
    atMost('areas', `halves: failed answers of ${cases}`, failures, 0),
  ]
}

function randomQuadrilateral(random: () => number): FlatPath {
  const [x, y, scale] = [west + size * random(), south + size * random(), 10 ** (-2.8 + 1.5 * random())]
  return [0, 1, 2, 3].flatMap((corner) => {
    const angle = (Math.PI / 2) * (corner + 0.6 * random())
    return [x + scale * Math.cos(angle), y + scale * Math.sin(angle)]
  })
}

function sideOf(ring: FlatPath, side: { west: number; east: number }): FlatPath {
  return cutRingAtExtent({ coordinates: ring, begin: 0, end: ring.length / 2 }, { ...side, south: -90, north: 90 })
}

function differenceOfParts(whole: AreaAnswer, halves: AreaAnswer[], field: string): number {
  const names = new Set([whole, ...halves].flatMap((answer) => [...areasOf(answer.fields[field]!).keys()]))
  const areaOf = (answer: AreaAnswer, name: string) => areasOf(answer.fields[field]!).get(name) ?? 0
  const differences = [...names].map((name) =>
    Math.abs(areaOf(whole, name) - halves.reduce((sum, half) => sum + areaOf(half, name), 0)),
  )
  return Math.max(0, ...differences.map((difference) => difference - rounding_m2))
}

function areasOf({ value }: AreaFieldResult): Map<string, number> {
  const { classes = [] } = (value ?? {}) as { classes?: { value: unknown; area_m2: number }[] }
  return new Map(classes.map((it) => [String(it.value), it.area_m2]))
}

function differenceOfRasters(whole: AreaAnswer, halves: AreaAnswer[]): number {
  const [all, ...parts] = [whole, ...halves].map(
    ({ fields }) => fields[rasterField]!.value as { mean: number; cells: number },
  )
  const cells = parts.reduce((sum, part) => sum + part.cells, 0)
  const mean = parts.reduce((sum, part) => sum + part.mean * part.cells, 0) / cells
  return Math.max(Math.abs(mean / all!.mean - 1), Math.abs(cells / all!.cells - 1))
}

/** Damaged geometries are rejected or answered: no other status, no failed field, no share beyond the whole. */
async function sendDamagedGeometries(
  service: HttpService,
  layers: AreaTestLayer[],
  { cases, random }: Checked,
): Promise<Finding[]> {
  const fields = [...layers.map(({ field }) => field), rasterField]
  let [wrong, answered, slowest_ms] = [0, 0, 0]
  for (let i = 0; i < cases; i++) {
    const geometry = damagedGeometry(random, { west, south, size })
    const started_ms = performance.now()
    const answer = await answerFor(service, geometry, fields)
    slowest_ms = Math.max(slowest_ms, performance.now() - started_ms)
    if (answer === 422 || answer === 413 || answer === 400) continue
    if (typeof answer === 'number' || Object.values(answer.fields).some(isWrong)) {
      wrong++
      console.error(`${JSON.stringify(answer).slice(0, 300)} for ${JSON.stringify(geometry).slice(0, 1000)}`)
    } else answered++
  }
  console.error(`${answered} of ${cases} damaged geometries were valid`)
  return [
    atMost('areas', `wrong answers to ${cases} damaged geometries`, wrong, 0),
    atMost('areas', 'slowest answer to a damaged geometry', slowest_ms, { bound: fetchMax_ms, unit: 'ms' }),
  ]
}

function isWrong(result: AreaFieldResult): boolean {
  // One damage moves a vertex across the continent. The box around such an area has too many cells of a raster.
  if (result.status === 'failed') return !result.error.startsWith('too_large: ')
  const sum = [...sharesIn(result)].reduce((total, share) => total + share, 0)
  return !(result.covered_share >= 0 && result.covered_share <= 1) || sum > 1 + partSumMax
}

function sharesIn({ value }: AreaFieldResult): number[] {
  const { classes = [] } = (value ?? {}) as { classes?: { share: number }[] }
  return classes.map(({ share }) => share)
}

/**
 * Each county of Colorado lies in itself and in its state. The simplified outlines of neighbors overlap by less than a
 * millionth of a county.
 */
async function answerCounties(service: HttpService): Promise<Finding[]> {
  let [worst, counties] = [0, 0]
  for (let code = firstCounty; code <= lastCounty; code++) {
    const body = { county_fips: `0${code}`, fields: ['county_fips', 'state'] }
    const response = await service.post('/v1/areas', body)
    // Most counties have odd codes.
    if (response.status !== 200) continue
    counties++
    const { area_m2, fields } = (await response.json()) as AreaAnswer
    const [own_m2, state_m2] = [areasOf(fields.county_fips!).get(body.county_fips), areasOf(fields.state!).get('CO')]
    worst = Math.max(worst, Math.abs(1 - (own_m2 ?? 0) / area_m2!), Math.abs(1 - (state_m2 ?? 0) / area_m2!))
  }
  return [
    atMost('areas', 'largest part of a county outside itself, in millionths', worst / 1e-6, 1),
    atLeast('areas', 'counties of Colorado', counties, 64),
  ]
}

const [firstCounty, lastCounty] = [8001, 8125]

/** The profile of a line has the values that `gdallocationinfo` reads at the same places. */
async function compareProfiles(service: HttpService, raster: string, { cases, random }: Checked): Promise<Finding[]> {
  if (!Bun.which('gdallocationinfo')) {
    console.error("Debian's gdal-bin is not installed: the profiles are not compared.")
    return []
  }
  let worst = 0
  for (let i = 0; i < cases; i++) {
    const [x, y] = [west + 0.9 * size * random(), south + 0.9 * size * random()]
    const length = 0.01 + 0.04 * random()
    // Along a meridian, equal distances are nearly equal degrees.
    const coordinates = [
      [x, y],
      [x, y + length],
    ]
    const answer = (await answerFor(service, { type: 'LineString', coordinates }, [cellField])) as AreaAnswer
    const { profile } = answer.fields[cellField]!.value as { profile: [at_m: number, value: number][] }
    const places = profile.map(([at_m]) => `${x} ${y + (at_m / answer.length_m!) * length}`)
    const { stdout } = Bun.spawnSync(['gdallocationinfo', '-valonly', '-wgs84', raster], {
      stdin: new TextEncoder().encode(`${places.join('\n')}\n`),
    })
    const expected = stdout.toString().trim().split('\n').map(Number)
    // A sample near the border of a cell may read the neighbor.
    const differences = profile.filter(([, value], at) => Math.abs(value - expected[at]!) > 0.001).length
    worst = Math.max(worst, differences / profile.length)
  }
  return [atMost('areas', 'largest share of a profile that differs from gdallocationinfo', worst, 0.01)]
}
