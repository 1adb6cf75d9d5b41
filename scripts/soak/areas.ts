import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import type { FlatPath } from '../../src/model/area.ts'
import { positionsOf, randomStar } from '../../test/areas/random-polygons.ts'
import { boxRing, type WkbPosition } from '../../test/packs/encode-wkb.ts'
import { openHttpService, type HttpService } from '../../test/support/http-service.ts'
import { openPostgis, type Postgis } from '../bench/postgis.ts'
import { randomOf } from '../bench/random.ts'
import { soakBuffers } from './area-buffers.ts'
import { forEachOverlapping } from './overlapping.ts'
import { checkAreas } from './area-checks.ts'
import { soakAreaFaults } from './area-faults.ts'
import { compareStates } from './area-states.ts'
import { compareRasters } from './area-zonal.ts'
import { areaLayersOf, loadAreaLayer, polygonWktOf, writeAreaLayers, type AreaTestLayer } from './area-layers.ts'
import { atMost, type Finding } from './finding.ts'

const [west, south, size] = [-105, 39, 0.5]
const shareMax = 1e-6
const sumMax = 1e-9

/** Compares areas with PostGIS, and checks what needs no other database. */
export async function soakAreas(cases = 10_000, seed = Math.floor(Math.random() * 1e9)): Promise<Finding[]> {
  return [
    ...(await compareWithPostgis(cases, seed)),
    ...(await checkAreas({ cases: Math.ceil(cases / 2), seed, combVertices: [1_000, 3_000, 10_000] })),
    ...(await soakAreaFaults()),
  ]
}

/**
 * Compares the shares of areas with PostGIS on the same polygons: overlapping zones, small ponds, a tessellation with
 * shared borders, and polygons with holes. The areas are parcels, slivers, areas with holes, and areas whose vertices
 * and edges are those of features.
 */
async function compareWithPostgis(cases: number, seed: number): Promise<Finding[]> {
  console.error(`${cases} areas on four layers, seed ${seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'soak-areas-'))
  const postgis = await openPostgis(folder, 'areas beside PostGIS')
  if (!postgis) return []
  const random = randomOf(seed)
  const layers = areaLayersOf(random)
  writeAreaLayers(folder, layers)
  const service = await openHttpService({ FIELDSTONE_PACKS: folder })
  try {
    await service.testService.app.packs.waitUntilChecked()
    for (const layer of layers) await loadAreaLayer(postgis, layer)
    return [
      ...(await compare({ service, postgis, layers, random }, cases)),
      ...(await soakBuffers(postgis, Math.ceil(cases / 20), random)),
      ...(await compareRasters(postgis, Math.ceil(cases / 20), random)),
      ...(await compareStates(postgis)),
    ]
  } finally {
    await service.close()
    await postgis.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Comparison = { service: HttpService; postgis: Postgis; layers: AreaTestLayer[]; random: () => number }

async function compare({ service, postgis, layers, random }: Comparison, cases: number): Promise<Finding[]> {
  let [worstShare, worstSum, failures] = [0, 0, 0]
  await forEachOverlapping(cases, async () => {
    const coordinates = randomArea(random, layers)
    const response = await service.post('/v1/areas', {
      geometry: { type: 'Polygon', coordinates },
      fields: layers.map(({ field }) => field),
    })
    if (response.status !== 200) {
      // A random area may cross itself, which both reject.
      if (response.status !== 422) failures++
      return
    }
    const { fields } = (await response.json()) as AreaAnswer
    const expected = await sharesInPostgis(postgis, coordinates, layers)
    for (const [i, layer] of layers.entries()) {
      const result = fields[layer.field]!
      if (result.status === 'failed') failures++
      const shares = sharesOf(result.value)
      const sum = [...shares.values()].reduce((total, share) => total + share, 0)
      worstSum = Math.max(worstSum, Math.abs(sum - result.covered_share))
      for (const [k, name] of layer.classes.entries()) {
        const actual = name === null ? sum : (shares.get(name) ?? 0)
        const difference = Math.abs(actual - expected[i]![k]!)
        if (difference > shareMax)
          console.error(`${layer.field} ${name}: ${actual}, PostGIS ${expected[i]![k]}, ${polygonWktOf(coordinates)}`)
        worstShare = Math.max(worstShare, difference)
      }
    }
  })
  return [
    atMost('areas', 'largest difference of a share from PostGIS, in millionths', worstShare / 1e-6, shareMax / 1e-6),
    atMost(
      'areas',
      'largest difference of the classes from covered_share, in billionths',
      worstSum / 1e-9,
      sumMax / 1e-9,
    ),
    atMost('areas', `failed answers of ${cases} areas`, failures, 0),
  ]
}

function sharesOf(value: unknown): Map<string, number> {
  const { classes = [] } = (value ?? {}) as { classes?: { value: string; share: number }[] }
  return new Map(classes.map(({ value: name, share }) => [name, share]))
}

/**
 * For each layer and each of its classes, the share of the area that the features cover. EPSG:6933 has equal areas; its
 * edges are cut to follow the degrees.
 */
async function sharesInPostgis(
  postgis: Postgis,
  coordinates: WkbPosition[][],
  layers: AreaTestLayer[],
): Promise<number[][]> {
  const measure = (geometry: string) => `ST_Area(ST_Transform(ST_Segmentize(${geometry}, 0.0003), 6933))`
  const parts = layers.map(
    ({ layer, column }, i) =>
      `SELECT ${i} AS layer, f.${column} AS name, ST_Intersection(f.geom, a.g) AS part FROM "${layer}" f, a WHERE f.geom && a.g AND ST_Intersects(f.geom, a.g)`,
  )
  const unions = layers.flatMap(({ classes }, i) =>
    classes.map((name, k) => {
      const ofClass = name === null ? '' : ` AND name = '${name}'`
      return `${measure(`ST_Union(part) FILTER (WHERE layer = ${i}${ofClass})`)} AS s${i}_${k}`
    }),
  )
  const [row = {}] = await postgis.rows<Record<string, number | null>>(
    `WITH a AS MATERIALIZED (SELECT ST_GeomFromText('${polygonWktOf(coordinates)}', 4326) AS g), p AS MATERIALIZED (${parts.join(' UNION ALL ')}) SELECT (SELECT ${measure('g')} FROM a) AS size, ${unions.join(', ')} FROM p`,
  )
  return layers.map(({ classes }, i) => classes.map((_, k) => (row[`s${i}_${k}`] ?? 0) / row.size!))
}

/** A parcel, a sliver, an area with a hole, or one made of the vertices of a feature. */
function randomArea(random: () => number, layers: AreaTestLayer[]): WkbPosition[][] {
  const at = { x: west + size * random(), y: south + size * random() }
  const scale = 10 ** (-3.5 + 2 * random())
  switch (Math.floor(5 * random())) {
    case 0:
      return [boxRing(at.x, at.y, at.x + scale, at.y + scale * (0.5 + random()))]
    case 1:
      return [boxRing(at.x, at.y, at.x + scale, at.y + scale / 1000)]
    case 2:
      return [
        boxRing(at.x - scale, at.y - scale, at.x + scale, at.y + scale),
        boxRing(at.x - scale / 2, at.y - scale / 2, at.x + scale / 3, at.y + scale / 2),
      ]
    case 3: {
      const { features } = layers[Math.floor(layers.length * random())]!
      const ring = features[Math.floor(features.length * random())]!.rings[0]!.slice(0, -1)
      const first = Math.floor(ring.length * random())
      const kept = 2 + Math.floor((ring.length - 1) * random())
      const path: FlatPath = Array.from({ length: kept }, (_, i) => ring[(first + i) % ring.length]!).flat()
      return [positionsOf([...path, at.x, at.y])]
    }
    default:
      return [positionsOf(randomStar(random, { ...at, size: scale, vertices: 3 + Math.floor(40 * random()) }))]
  }
}
