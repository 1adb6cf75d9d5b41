import type { AreaAnswer, AreaFieldResult } from '../../src/areas/area-answer.ts'
import type { OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'

/** Fields by the source that answers an area: at least one for each kind of request that an area causes. */
export const areaFieldsBySource = {
  // The features of a layer: classes, shares, counts and distances; with a condition that has a quote.
  arcgis: [
    'fema_flood_zone',
    'within_floodplain_polygon',
    'wetlands_within_500m_count',
    'nearest_waterbody_distance_m',
    'within_pm25_nonattainment_area',
  ],
  // The outlines of the units come from a layer, and their records from a service or a table.
  units: ['tract_population_acs5', 'county_population'],
  imageserver: ['tree_canopy_pct', 'lcms_class'],
  cog: ['elevation', 'modeled_bedrock_depth_cm'],
} as const
export const areaFieldNames: string[] = Object.values(areaFieldsBySource).flat()

const { lat, lng } = testPlaces.boulder
const half_degrees = 0.005

/** A polygon around Boulder with a border of several features, and a line through it. */
export const faultedShapes = {
  polygon: {
    type: 'Polygon',
    coordinates: [
      [
        [lng - half_degrees, lat - half_degrees],
        [lng + half_degrees, lat - half_degrees],
        [lng + half_degrees, lat + half_degrees],
        [lng - half_degrees, lat + half_degrees],
        [lng - half_degrees, lat - half_degrees],
      ],
    ],
  },
  line: {
    type: 'LineString',
    coordinates: [
      [lng - half_degrees, lat],
      [lng + half_degrees, lat + half_degrees / 2],
    ],
  },
}

/** Answers the fields for a shape as a client does. */
export async function answerForShape(
  { post }: Pick<OnlineService, 'post'>,
  {
    shape = 'polygon',
    fields = areaFieldNames,
  }: { shape?: keyof typeof faultedShapes; fields?: readonly string[] } = {},
): Promise<AreaAnswer & { http: number }> {
  const response = await post('/v1/areas', { geometry: faultedShapes[shape], fields })
  return { http: response.status, ...((await response.json()) as AreaAnswer) }
}

/** The fields that neither failed nor have the values and the shares of the answer without a fault. */
export function wrongFieldsOf(answer: AreaAnswer, faultless: AreaAnswer): string[] {
  return areaFieldNames.filter((name) => {
    const result = answer.fields[name]!
    return result.status !== 'failed' && !Bun.deepEquals(valuesOf(result), valuesOf(faultless.fields[name]!))
  })
}

function valuesOf({ status, value, covered_share, absent_parts }: AreaFieldResult): unknown[] {
  return [status, value, covered_share, absent_parts]
}
