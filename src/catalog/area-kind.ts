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
      return read.test !== undefined ? 'raster_share' : type === 'string' ? 'raster_classes' : 'raster_statistics'
    case 'window':
      return read.radius_m === undefined && read.method !== 'horn_aspect_degrees'
        ? 'raster_statistics'
        : 'not_for_areas'
    case 'row':
    case 'path':
      return isKeyedByCounty(read) ? 'units' : 'not_for_areas'
    case 'computed':
      return dependsOnCoordinateOnly(read) ? 'representative_point' : 'not_for_areas'
    default:
      return 'not_for_areas'
  }
}

function isKeyedByCounty({ key }: ReadSpec): boolean {
  return [key].flat().every((name) => name === unitKey)
}

/** The field whose values are the units of keyed records. */
export const unitKey = 'county_fips'

function dependsOnCoordinateOnly(read: ReadSpec): boolean {
  return (
    read.dataset === 'computed' && Object.values(read.from ?? {}).every((input) => input === 'lat' || input === 'lng')
  )
}
