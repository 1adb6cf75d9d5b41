import type { AreaKind } from './catalog-document.ts'
import type { Field, ReadSpec } from './records.ts'

/** Returns how a field answers for an area. It follows from its operator and its type. */
export function areaKindOf({ read, type }: Pick<Field, 'read' | 'type'>): AreaKind {
  switch (read.op) {
    case 'attribute':
      return 'polygon_classes'
    case 'within':
      return 'polygon_share'
    case 'nearest_distance':
    case 'nearest_attribute':
      return 'nearest'
    case 'count':
      return 'count'
    case 'sample':
      if (read.edition !== undefined && read.edition !== 0) return 'not_for_areas'
      return read.true_values !== undefined
        ? 'raster_share'
        : type === 'string'
          ? 'raster_classes'
          : 'raster_statistics'
    case 'window':
      return read.radius_m === undefined && read.method !== 'horn_aspect_degrees'
        ? 'raster_statistics'
        : 'not_for_areas'
    case 'row':
    case 'path':
      return unitLayerOf(read) ? 'units' : 'not_for_areas'
    case 'computed':
      return dependsOnCoordinateOnly(read) ? 'representative_point' : 'not_for_areas'
    default:
      return 'not_for_areas'
  }
}

/** The polygons of the units that records describe: their dataset, and the attribute with the key of a unit. */
export type UnitLayer = { dataset: string; key: string }

/** Returns the units of the records that a read takes a value of; null if they have no polygons here. */
export function unitLayerOf({ dataset, key }: ReadSpec): UnitLayer | null {
  if (soilDatasets.has(dataset)) return { dataset, key: 'mukey' }
  const [layer, ...others] = new Set([key].flat().map((name) => unitLayers.get(name ?? '')))
  return others.length === 0 ? (layer ?? null) : null
}

/** The field whose value is the county of a place. */
export const countyField = 'county_fips'

const unitLayers = new Map<string, UnitLayer>([
  [countyField, { dataset: 'census_counties', key: 'GEOID' }],
  ['tract_geoid', { dataset: 'census_tigerweb_tracts', key: 'GEOID' }],
  ['block_group_geoid', { dataset: 'census_tigerweb_block_groups', key: 'GEOID' }],
])
/** Their records describe the soil map unit at a point, whose polygons are in the pack. */
const soilDatasets = new Set(['usda_ssurgo_mapunit', 'usda_ssurgo_component'])

function dependsOnCoordinateOnly(read: ReadSpec): boolean {
  return (
    read.dataset === 'computed' && Object.values(read.from ?? {}).every((input) => input === 'lat' || input === 'lng')
  )
}
