import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeatureQuery } from '../../src/model/source.ts'
import { createByteCache } from '../../src/packs/layer/byte-cache.ts'
import { parseManifest } from '../../src/packs/pack-manifest.ts'
import { combineParts } from '../../src/packs/pack-parts.ts'
import { openGeopackagePack, type FeatureLayer, type PackPart } from '../../src/packs/pack.ts'
import { buildBenchPack } from './build-pack.ts'
import type { GrowthAxis } from './growth-axis.ts'
import { randomOf } from './random.ts'
import { compareRates, featuresNear, partBoxes, type Box } from './part-boxes.ts'
import { processorTimeOf } from './processor-time.ts'
import { reportFigure } from './report.ts'

const polygons = 80_000
const grid = 4
const [west, south, size] = [-106, 38, 2]
/** As much wider than its coverage as a part that `pack fetch --area` makes for a search radius of 5 km. */
const margin = { m: 5_000, degrees: 0.06 }
const timed = 20_000

const partCounts = [1, 4, 16, 64]
const polygonsOfPart = 50

/**
 * The cost of a point query by the number of parts of a pack. The points are in the first part, so their answers are
 * the same.
 */
export async function partsAxis(seed: number): Promise<GrowthAxis> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-parts-'))
  const random = randomOf(seed)
  try {
    const boxes = partBoxes([west, south, size], Math.sqrt(partCounts.at(-1)!))
    const parts: PackPart[] = []
    for (const [i, box] of boxes.entries()) {
      const own = Array.from({ length: polygonsOfPart }, (_, id) => createPolygon(polygonsOfPart * i + id, random))
      parts.push(await buildPart(folder, `part${i}`, own, box))
    }
    const step = size / Math.sqrt(boxes.length)
    const queries = Array.from({ length: timed }, (): FeatureQuery => ({
      at: { lat: south + step * random(), lng: west + step * random() },
      radius_m: 0,
    }))
    const steps: GrowthAxis['steps'] = []
    for (const count of partCounts) {
      const layer = combineParts(parts.slice(0, count)).layers.get('')!
      queryAll(layer, queries)
      const seconds = await processorTimeOf(() => queryAll(layer, queries))
      steps.push({ size: count, cost: (seconds * 1e6) / timed })
    }
    const end = `not reached at ${partCounts.at(-1)!} parts`
    return { what: 'parts of a pack', measured: 'processor time of a point query', unit: 'µs', steps, end }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type SmallPolygon = { id: number; lng: number; lat: number; line: string }

/** Compares a pack in 16 parts with the same pack in one file: same answers, and points per second. */
export async function benchParts(seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-parts-'))
  const random = randomOf(seed)
  const features = Array.from({ length: polygons }, (_, id) => createPolygon(id, random))
  try {
    const one = (await buildPart(folder, 'one', features, [west, south, west + size, south + size])).layers.get('')!
    const parts: PackPart[] = []
    for (const [i, box] of partBoxes([west, south, size], grid).entries())
      parts.push(await buildPart(folder, `part${i}`, featuresNear(features, box, margin.degrees + 0.006), box))
    const combined = combineParts(parts).layers.get('')!
    const points = Array.from({ length: timed }, () => ({ lat: south + size * random(), lng: west + size * random() }))
    for (const [what, query] of Object.entries(queries))
      await compare(
        what,
        points.map((at): FeatureQuery => ({ at, ...query })),
        one,
        combined,
      )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const queries: Record<string, Omit<FeatureQuery, 'at'>> = {
  'the features that contain a point': { radius_m: 0 },
  'the nearest feature within 5 km': { radius_m: 5_000, limit: 1 },
  'the number of features within 2 km': { radius_m: 2_000, count_only: true },
}

function createPolygon(id: number, random: () => number): SmallPolygon {
  const [lng, lat, radius] = [west + size * random(), south + size * random(), 0.001 + 0.004 * random()]
  const ring = Array.from({ length: 24 }, (_, i) => {
    const [angle, r] = [(2 * Math.PI * i) / 24, radius * (0.6 + 0.4 * random())]
    return [lng + r * Math.cos(angle), lat + r * Math.sin(angle)]
  })
  const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] }
  return { id, lng, lat, line: JSON.stringify({ type: 'Feature', properties: { id, kind: id % 9 }, geometry }) }
}

async function buildPart(folder: string, name: string, features: SmallPolygon[], coverage: Box): Promise<PackPart> {
  const input = join(folder, `${name}.geojsonl`)
  writeFileSync(input, features.map(({ line }) => `${line}\n`).join(''))
  const path = await buildBenchPack(input, 'features')
  rmSync(input)
  const manifest = parseManifest(JSON.stringify({ coverage, key: 'id', margin_m: margin.m }), name)
  const required = { dataset: 'd', attributes: ['id'], layers: [null], needsPolygons: false, tables: [] }
  return openGeopackagePack(path, { manifest }, [required], cache).datasets.get('d')!
}

/** The cache of a service is shared by all packs. */
const cache = createByteCache(48 * 1024 * 1024)

async function compare(what: string, points: FeatureQuery[], one: FeatureLayer, parts: FeatureLayer): Promise<void> {
  const differing = points.filter((query) => idsOf(one, query) !== idsOf(parts, query)).length
  reportFigure(`packs in parts: ${what}: points with other answers`, String(differing), differing === 0, 'none')
  await compareRates(`packs in parts: ${what}: points/s from ${grid * grid} parts beside one file`, points.length, {
    one: () => queryAll(one, points),
    parts: () => queryAll(parts, points),
  })
}

function idsOf(layer: FeatureLayer, query: FeatureQuery): string {
  const found = layer.query(query)
  if (query.count_only) return String(found.length)
  return found
    .map(({ properties }) => Number(properties.id))
    .toSorted((a, b) => a - b)
    .join()
}

function queryAll(layer: FeatureLayer, all: FeatureQuery[]): void {
  for (const query of all) layer.query(query)
}
