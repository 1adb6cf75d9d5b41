import { Type, type Static } from '@sinclair/typebox'
import { AreaKind } from '../catalog/catalog-document.ts'
import { provenanceMembers } from '../fetch/fetch-answer.ts'
import type { GeoJsonGeometry } from '../geo/text/geojson.ts'
import { literals, nullable, Time } from '../model/schema.ts'

const PlainValue = Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] })
const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const sizeMembers = {
  area_m2: Type.Optional(Type.Number({ description: 'For a polygon: square meters on the WGS 84 ellipsoid.' })),
  length_m: Type.Optional(Type.Number({ description: 'For a line: meters on the WGS 84 ellipsoid.' })),
  share: share('The share of the area or of the line.'),
}
const cells = Type.Number({ description: 'Cells of the raster, each by the fraction that the area covers.' })
const PointMember = Type.Object({ lat: Type.Number(), lng: Type.Number() })

/** The classes of polygons, largest first, and for a line where each begins and ends. */
const PolygonClasses = Type.Object({
  classes: Type.Array(Type.Object({ value: PlainValue, ...sizeMembers, cells: Type.Optional(cells) })),
  crossings: Type.Optional(
    Type.Array(Type.Object({ from_m: Type.Number(), to_m: Type.Number(), value: PlainValue }), {
      description: 'For a line: its stretches in order, with the distance along the line.',
    }),
  ),
})
/** The part in which a condition holds. */
const PolygonShare = Type.Object({
  share_true: share('The share of the area or of the line for which the field is true.'),
  area_m2: sizeMembers.area_m2,
  length_m: sizeMembers.length_m,
  any: Type.Boolean({ description: 'Whether the field is true anywhere.' }),
  all: Type.Boolean({ description: 'Whether the field is true everywhere.' }),
  crossings: PolygonClasses.properties.crossings,
  cells: Type.Optional(cells),
})
/** A distance and the value there. */
const ProfilePoint = Type.Unsafe<[at_m: number, value: number | null]>(
  Type.Array(nullable('number'), { minItems: 2, maxItems: 2 }),
)
/** Statistics of the cells of a raster, weighted by the fraction of each cell that the area covers. */
const RasterStatistics = Type.Object({
  mean: Type.Number(),
  min: Type.Number(),
  max: Type.Number(),
  sd: Type.Number({ description: 'The standard deviation.' }),
  p10: Type.Number({ description: 'The least value that 10 % of the cells do not exceed.' }),
  p50: Type.Number(),
  p90: Type.Number(),
  cells: Type.Optional(cells),
  profile: Type.Optional(
    Type.Array(ProfilePoint, {
      description: 'For a line: the distance along it in meters, and the value there; null without data.',
    }),
  ),
})
/** The nearest feature to the edge of the area. */
const NearestFeature = Type.Object({
  distance_m: Type.Number({ description: 'From the edge of the area; 0 if the feature is inside or crosses it.' }),
  value: Type.Optional(PlainValue),
  feature: Type.Optional(
    Type.Record(Type.String(), PlainValue, {
      description: 'For a distance: the values of the fields that describe the nearest feature, by name of the field.',
    }),
  ),
})
/** The nearest feature to the edge of an area. */
export type NearestFeature = Static<typeof NearestFeature>
/** The features that touch the area. */
const FeatureCount = Type.Object({
  count: Type.Integer({ description: 'The features that lie in the area, overlap it or cross it.' }),
  length_m: Type.Optional(Type.Number({ description: 'For lines: their length inside the area.' })),
  area_m2: Type.Optional(
    Type.Number({ description: 'For polygons: their area inside the area, overlaps counted once.' }),
  ),
})
/** The units that an area touches. */
const UnitShares = Type.Object({
  units: Type.Array(
    Type.Object({
      key: Type.String(),
      value: nullable(['string', 'number', 'boolean']),
      ...sizeMembers,
      share_of_unit: Type.Optional(share('The share of the unit that lies in the area.')),
    }),
  ),
  apportioned_sum: Type.Optional(
    Type.Number({
      description:
        'Only for values that can be added: the values of the units times their share_of_unit, added. An estimate: it assumes that the value is spread evenly over each unit.',
    }),
  ),
})
/** The value at one point of the area. */
const ValueAtPoint = Type.Object({ value: PlainValue, at: PointMember })

/** The value of a field for an area. Its form depends on `area_kind`. */
export const AreaValue = Type.Union([
  PolygonClasses,
  PolygonShare,
  RasterStatistics,
  NearestFeature,
  FeatureCount,
  UnitShares,
  ValueAtPoint,
])
export type AreaValue = Static<typeof AreaValue>

/** Why a part of an area has no value. */
export const AreaAbsentReason = literals([
  'outside_coverage',
  'not_mapped',
  'no_data',
  'none_within_radius',
  'not_for_areas',
])
export type AreaAbsentReason = Static<typeof AreaAbsentReason>

const areaMembers = {
  area_kind: AreaKind,
  covered_share: share(
    'The share of the area or of the line for which the source has a value. The rest is in `absent_parts`.',
  ),
  absent_parts: Type.Optional(
    Type.Array(Type.Object({ reason: AreaAbsentReason, ...sizeMembers }), {
      description: 'The parts without a value, by reason. `no_data`: the source has nothing there.',
    }),
  ),
  ...provenanceMembers,
}

/** The result of one field for an area. */
export const AreaFieldResult = Type.Union([
  Type.Object({ value: AreaValue, status: Type.Literal('ok'), ...areaMembers }),
  Type.Object({
    value: Type.Null(),
    status: Type.Literal('absent'),
    absent_reason: AreaAbsentReason,
    ...areaMembers,
  }),
  Type.Object({
    value: Type.Null(),
    status: Type.Literal('failed'),
    error: Type.String({ description: 'A code, a colon and a message.' }),
    retryable: Type.Boolean(),
    ...areaMembers,
  }),
])
export type AreaFieldResult = Static<typeof AreaFieldResult>

/** The answer for one area or line. */
export const AreaAnswer = Type.Object({
  area_m2: Type.Optional(Type.Number({ description: 'The area of a polygon on the WGS 84 ellipsoid.' })),
  length_m: Type.Optional(Type.Number({ description: 'The length of a line on the WGS 84 ellipsoid.' })),
  representative_point: Type.Object(PointMember.properties, {
    description: 'A point in the area or on the line. Fields that are computed from a coordinate are answered there.',
  }),
  outline: Type.Optional(
    Type.Unsafe<GeoJsonGeometry>({
      type: 'object',
      description: 'Only with `include=outline`: the area or the line, simplified for a map. A parcel has none.',
    }),
  ),
  fetched_at: Time,
  fields: Type.Record(Type.String(), AreaFieldResult),
  partial_failures: Type.Array(
    Type.Object({ field: Type.String(), source: Type.String(), error: Type.String(), retryable: Type.Boolean() }),
    { description: 'The failed fields.' },
  ),
})
export type AreaAnswer = Static<typeof AreaAnswer>
