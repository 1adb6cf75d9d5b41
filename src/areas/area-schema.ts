import { Type, type Static } from '@sinclair/typebox'
import { literals } from '../model/schema.ts'
import { groupThousands } from '../model/text.ts'

/**
 * The largest areas and lines of one request, and the most time for the polygon overlays of an area. It ends before the
 * deadline of a field.
 */
export const areaLimits = { vertices: 10_000, area_km2: 25_000, line_km: 2_000, overlay_ms: 8_000 } as const

/** The deepest nesting of positions, in a MultiPolygon, below the two levels that all types have. */
const deepestLevels = 3
const listOfPositions = { type: 'array', maxItems: areaLimits.vertices }

/** Nested lists of numbers. The types of geometry nest to different depths, which `measureGeometry` checks. */
const Coordinates = Type.Unsafe<unknown[]>(
  Type.Any({ ...listOfPositions, items: { ...listOfPositions, items: nestedNumbers(deepestLevels) } }),
)

function nestedNumbers(levels: number): object {
  if (levels === 0) return { type: 'number' }
  return { ...listOfPositions, type: ['number', 'array'], items: nestedNumbers(levels - 1) }
}

/** The types of lines. */
export const lineTypes = ['LineString', 'MultiLineString'] as const

/** The geometry of a request: GeoJSON, longitude first. */
export const AreaGeometry = Type.Object(
  {
    type: literals(['Polygon', 'MultiPolygon', ...lineTypes]),
    coordinates: Coordinates,
  },
  {
    description: `A GeoJSON geometry (RFC 7946), not a Feature. Positions are [longitude, latitude] in WGS 84 degrees. At most ${groupThousands(areaLimits.vertices)} positions, ${groupThousands(areaLimits.area_km2)} km² and ${groupThousands(areaLimits.line_km)} km of line. A polygon may not cross itself. No part may cross the antimeridian, but parts may lie on both sides of it.`,
  },
)
export type AreaGeometry = Static<typeof AreaGeometry>

/** A centimeter: narrower shapes would not be exact. */
const lengthMin_m = 0.01
const meters = (description: string) => Type.Number({ minimum: lengthMin_m, description })

/** A circle. */
const Around = Type.Object(
  {
    lat: Type.Number({ description: 'Latitude of the center in WGS 84 degrees.' }),
    lng: Type.Number({ description: 'Longitude of the center in WGS 84 degrees.' }),
    radius_m: meters('The radius along the ground, in meters. At least 0.01.'),
  },
  { description: 'The circle around a coordinate.' },
)
export type Around = Static<typeof Around>
/** A buffer of a line. */
const Corridor = Type.Object(
  {
    line: Type.Object(
      { type: literals(lineTypes), coordinates: AreaGeometry.properties.coordinates },
      { description: 'A GeoJSON line, longitude first.' },
    ),
    width_m: meters(
      'The full width in meters: half of it on each side of the line. Its ends are round. At least 0.01.',
    ),
  },
  { description: 'Every place within half the width of a line.' },
)

export type Corridor = Static<typeof Corridor>

/** The request members of which one names the area, other than `parcel_of`. */
export const areaShapeProperties = {
  geometry: Type.Optional(AreaGeometry),
  around: Type.Optional(Around),
  corridor: Type.Optional(Corridor),
  county_fips: Type.Optional(
    Type.String({ pattern: '^\\d{5}$', description: 'The five-digit FIPS code of a county or its equivalent.' }),
  ),
}
const AreaShape = Type.Object(areaShapeProperties)
export type AreaShape = Static<typeof AreaShape>
