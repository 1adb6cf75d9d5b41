import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import type { FlatPath } from '../../src/model/area.ts'
import { positionsOf, randomStar } from '../../test/areas/random-polygons.ts'
import { blob, boxRing, polygonWkb, type WkbPosition } from '../../test/packs/encode-wkb.ts'
import { writePack } from '../../test/packs/write-pack.ts'
import { openHttpService, type HttpService } from '../../test/support/http-service.ts'
import { openPostgis, type Postgis } from '../bench/postgis.ts'
import { randomOf } from '../bench/random.ts'
import { soakBuffers } from './area-buffers.ts'
import { atMost, type Finding } from './finding.ts'

type Feature = { rings: WkbPosition[][]; attributes: Record<string, string | number> }
/** A layer of a pack, the field that reads it, and the class whose share is compared; null compares what is covered. */
type Layer = {
  file: string
  layer: string
  field: string
  column: string
  classes: (string | null)[]
  features: Feature[]
}

const [west, south, size] = [-105, 39, 0.5]
const shareMax = 1e-6
const sumMax = 1e-9
/** Features of each layer that is not a tessellation. */
const featureCount = 400

/**
 * Compares the shares of areas with PostGIS on the same polygons: overlapping zones, small ponds, a tessellation with
 * shared borders, and polygons with holes. The areas are parcels, slivers, areas with holes, and areas whose vertices and
 * edges are those of features.
 */
export async function soakAreas(cases = 10_000, seed = Math.floor(Math.random() * 1e9)): Promise<Finding[]> {
  console.error(`${cases} areas on four layers, seed ${seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'soak-areas-'))
  const postgis = await openPostgis(folder)
  if (!postgis) {
    console.error("Debian's postgresql and postgis are not installed: the areas are not compared.")
    return []
  }
  const random = randomOf(seed)
  const layers = layersOf(random)
  for (const { file, layer, features } of layers)
    writePack(join(folder, file))
      .layer(
        layer,
        features.map(({ rings, attributes }) => ({ geom: blob(polygonWkb(...rings)), attributes })),
      )
      .close()
  const service = await openHttpService({ FIELDSTONE_PACKS: folder })
  try {
    await service.testService.app.packs.waitUntilChecked()
    for (const layer of layers) await loadLayer(postgis, layer)
    return [
      ...(await compare({ service, postgis, layers, random }, cases)),
      ...(await soakBuffers(postgis, Math.ceil(cases / 20), random)),
    ]
  } finally {
    await service.close()
    await postgis.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Comparison = { service: HttpService; postgis: Postgis; layers: Layer[]; random: () => number }

async function compare({ service, postgis, layers, random }: Comparison, cases: number): Promise<Finding[]> {
  let [worstShare, worstSum, failures] = [0, 0, 0]
  for (let i = 0; i < cases; i++) {
    const coordinates = randomArea(random, layers)
    const response = await service.post('/v1/areas', {
      geometry: { type: 'Polygon', coordinates },
      fields: layers.map(({ field }) => field),
    })
    if (response.status !== 200) {
      // A random area may cross itself, which both reject.
      if (response.status !== 422) failures++
      continue
    }
    const { fields } = (await response.json()) as AreaAnswer
    for (const layer of layers) {
      const result = fields[layer.field]!
      if (result.status === 'failed') failures++
      const shares = sharesOf(result.value)
      const sum = [...shares.values()].reduce((total, share) => total + share, 0)
      worstSum = Math.max(worstSum, Math.abs(sum - result.covered_share))
      for (const name of layer.classes) {
        const actual = name === null ? sum : (shares.get(name) ?? 0)
        worstShare = Math.max(worstShare, await differenceFromPostgis(postgis, coordinates, layer, { name, actual }))
      }
    }
  }
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

/** The difference of a share from that of PostGIS, which is printed when it is too large. */
async function differenceFromPostgis(
  postgis: Postgis,
  coordinates: WkbPosition[][],
  { field, layer, column }: Layer,
  { name, actual }: { name: string | null; actual: number },
): Promise<number> {
  const area = `ST_GeomFromText('${wktOf(coordinates)}', 4326)`
  const expected = await shareInPostgis(postgis, area, layer, name === null ? '' : `${column} = '${name}'`)
  const difference = Math.abs(actual - expected)
  if (difference > shareMax) console.error(`${field} ${name}: ${actual}, PostGIS ${expected}, ${wktOf(coordinates)}`)
  return difference
}

function sharesOf(value: unknown): Map<string, number> {
  const { classes = [] } = (value ?? {}) as { classes?: { value: string; share: number }[] }
  return new Map(classes.map(({ value: name, share }) => [name, share]))
}

/** The share of the area that the features cover. EPSG:6933 has equal areas; its edges are cut to follow the degrees. */
async function shareInPostgis(postgis: Postgis, area: string, layer: string, where: string): Promise<number> {
  const measure = (geometry: string) => `ST_Area(ST_Transform(ST_Segmentize(${geometry}, 0.0003), 6933))`
  const [row] = await postgis.rows<{ share: number | null }>(
    `WITH a AS (SELECT ${area} AS g), u AS (SELECT ST_Union(ST_Intersection(f.geom, a.g)) AS g FROM "${layer}" f, a WHERE f.geom && a.g AND ST_Intersects(f.geom, a.g)${where === '' ? '' : ` AND f.${where}`}) SELECT ${measure('u.g')} / ${measure('a.g')} AS share FROM a, u`,
  )
  return row?.share ?? 0
}

async function loadLayer(postgis: Postgis, { layer, column, features }: Layer): Promise<void> {
  await postgis.rows(`CREATE TABLE "${layer}" (${column} text, geom geometry(Polygon, 4326))`)
  for (let i = 0; i < features.length; i += 100) {
    const rows = features
      .slice(i, i + 100)
      .map(({ rings, attributes }) => `('${attributes[column]}', ST_GeomFromText('${wktOf(rings)}', 4326))`)
    await postgis.rows(`INSERT INTO "${layer}" VALUES ${rows.join(', ')}`)
  }
  await postgis.rows(`CREATE INDEX ON "${layer}" USING gist (geom)`)
}

function layersOf(random: () => number): Layer[] {
  const star = (largest: number, vertices: number) =>
    positionsOf(
      randomStar(random, {
        x: west + size * random(),
        y: south + size * random(),
        size: largest * (0.1 + random()),
        vertices: 3 + Math.floor(vertices * random()),
      }),
    )
  const repeat = (create: (i: number) => Feature) => Array.from({ length: featureCount }, (_, i) => create(i))
  return [
    {
      file: 'fema_nfhl.gpkg',
      layer: 'S_FLD_HAZ_AR',
      field: 'fema_flood_zone',
      column: 'FLD_ZONE',
      // VE is the first of the zones of the field, so the share of VE is that of all zones VE, whatever they overlap.
      classes: ['VE', null],
      features: repeat((i) => ({
        rings: [star(0.03, 20)],
        attributes: {
          FLD_ZONE: ['VE', 'AE', 'X'][i % 3]!,
          SFHA_TF: 'T',
          ZONE_SUBTY: '',
          STATIC_BFE: -9999,
          LEN_UNIT: '',
        },
      })),
    },
    {
      file: 'usfws_nwi.gpkg',
      layer: 'Wetlands',
      field: 'wetland_type',
      column: 'WETLAND_TYPE',
      classes: [null],
      features: repeat((i) => ({
        rings: [star(0.004, 60)],
        attributes: { ATTRIBUTE: 'PFO1A', WETLAND_TYPE: ['Lake', 'Pond'][i % 2]!, ACRES: 1 },
      })),
    },
    tessellation(),
    {
      file: 'usgs_sgmc.gpkg',
      layer: 'SGMC_Geology',
      field: 'bedrock_unit_name',
      column: 'UNIT_NAME',
      classes: [null],
      features: repeat((i) => {
        const [x, y, half] = [west + size * random(), south + size * random(), 0.005 + 0.01 * random()]
        return {
          rings: [
            boxRing(x - half, y - half, x + half, y + half),
            boxRing(x - half / 2, y - half / 2, x + half / 2, y + half / 2),
          ],
          attributes: {
            UNIT_NAME: ['Granite', 'Basalt'][i % 2]!,
            GENERALIZED_LITH: 'Igneous',
            AGE_MIN: 'Eocene',
            AGE_MAX: 'Eocene',
          },
        }
      }),
    },
  ]
}

/** Squares that share their borders. */
function tessellation(): Layer {
  const side = 20
  return {
    file: 'epa_ecoregions_l3.gpkg',
    layer: 'us_eco_l3',
    field: 'ecoregion_l3_name',
    column: 'US_L3NAME',
    classes: ['Region 0', 'Region 1', 'Region 2', null],
    features: Array.from({ length: side * side }, (_, i) => {
      const [x, y] = [west + (size * (i % side)) / side, south + (size * Math.floor(i / side)) / side]
      return {
        rings: [boxRing(x, y, x + size / side, y + size / side)],
        attributes: { US_L3CODE: '21', US_L3NAME: `Region ${i % 3}` },
      }
    }),
  }
}

/** A parcel, a sliver, an area with a hole, or one made of the vertices of a feature. */
function randomArea(random: () => number, layers: Layer[]): WkbPosition[][] {
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

function wktOf(rings: readonly (readonly (readonly number[])[])[]): string {
  return `POLYGON(${rings.map((ring) => `(${ring.map((position) => position.slice(0, 2).join(' ')).join(', ')})`).join(', ')})`
}
