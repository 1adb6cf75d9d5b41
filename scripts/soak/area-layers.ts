import { join } from 'node:path'
import { positionsOf, randomStar } from '../../test/areas/random-polygons.ts'
import { blob, boxRing, polygonWkb, type WkbPosition } from '../../test/packs/encode-wkb.ts'
import { writePack } from '../../test/packs/write-pack.ts'
import type { Postgis } from '../bench/postgis.ts'

type Feature = { rings: WkbPosition[][]; attributes: Record<string, string | number> }
/** A layer of a pack, the field that reads it, and the class whose share is compared; null compares what is covered. */
export type AreaTestLayer = {
  file: string
  layer: string
  field: string
  column: string
  classes: (string | null)[]
  features: Feature[]
}

const [west, south, size] = [-105, 39, 0.5]
/** Features of each layer that is not a tessellation. */
const featureCount = 400

/** Writes each layer as a pack. */
export function writeAreaLayers(folder: string, layers: readonly AreaTestLayer[]): void {
  for (const { file, layer, features } of layers)
    writePack(join(folder, file))
      .layer(
        layer,
        features.map(({ rings, attributes }) => ({ geom: blob(polygonWkb(...rings)), attributes })),
      )
      .close()
}

/** Loads a layer with its attributes into PostGIS. */
export async function loadAreaLayer(postgis: Postgis, { layer, features }: AreaTestLayer): Promise<void> {
  const columns = Object.keys(features[0]!.attributes).map((column) => `${column} text`)
  await postgis.rows(`CREATE TABLE "${layer}" (${columns.join(', ')}, geom geometry(Polygon, 4326))`)
  for (let i = 0; i < features.length; i += 100) {
    const rows = features.slice(i, i + 100).map(({ rings, attributes }) => {
      const values = Object.values(attributes).map((value) => `'${value}'`)
      return `(${values.join(', ')}, ST_GeomFromText('${polygonWktOf(rings)}', 4326))`
    })
    await postgis.rows(`INSERT INTO "${layer}" VALUES ${rows.join(', ')}`)
  }
  await postgis.rows(`CREATE INDEX ON "${layer}" USING gist (geom)`)
  await postgis.rows(`VACUUM ANALYZE "${layer}"`)
}

/** Overlapping zones, small ponds, a tessellation with shared borders, and polygons with holes. */
export function areaLayersOf(random: () => number): AreaTestLayer[] {
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
      field: 'nwi_wetland_type',
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
function tessellation(): AreaTestLayer {
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

/** A polygon as text. */
export function polygonWktOf(rings: readonly (readonly (readonly number[])[])[]): string {
  return `POLYGON(${rings.map((ring) => `(${ring.map((position) => position.slice(0, 2).join(' ')).join(', ')})`).join(', ')})`
}
