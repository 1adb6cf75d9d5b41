import type { App } from '../../src/app.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { datasetsUsedBy, type Question } from './lying-network.ts'
import { words } from '../support/words.ts'

/**
 * The bodies that are a service's own "nothing here", with the datasets whose records or protocols say so. A field that
 * uses one of them may then be absent, false or 0.
 */
export const declaredAbsences: Record<string, string[]> = {
  // PostgREST: the list is the whole document.
  '[]': ['usgs_uspvdb', 'usgs_uswtdb'],
  // Soil Data Access: no statement has rows.
  '{}': ['usda_ssurgo_component', 'usda_ssurgo_mapunit'],
  // `absent_when: ['empty']`, or a protocol whose answers are GeoJSON collections.
  'an empty collection': words`
    annual_nlcd_impervious annual_nlcd_landcover nws_alerts sentinel2_l2a usgs_nldi usgs_waterdata_daily_discharge
    usgs_waterdata_discharge usgs_waterdata_field_levels usgs_waterdata_groundwater usgs_waterdata_locations
  `,
  // Layers whose queries request all attributes, so that any attribute fits.
  'a feature set without outlines': ['hud_dda', 'hud_qct', 'usfws_nwi'],
  '{"results":[]}': ['fcc_area_api'],
  // `absent_when: ['empty']`, where no other source covers the place.
  '{"success":{"data":[]}}': ['macrostrat_units_large'],
  // `absent_when: ['empty']` of the image service.
  '{"samples":[]}': ['usgs_3dep'],
  // Titiler writes NaN for a cell without data.
  'a NaN literal': ['noaa_normals_tavg_annual', 'noaa_normals_tmax_july', 'noaa_normals_tmin_january'],
  'status 204': ['census_acs5', 'census_saipe_county'],
  'status 404': ['usgs_nldi'],
}

/**
 * Judges the results of a lie. `believed`: fields that took it for a value or an absence that no record declares.
 * `used`: the datasets whose declaration applied.
 */
export function judge(
  name: string,
  questions: Question[],
  results: FieldResult[],
  app: Pick<App, 'catalog'>,
): { believed: string[]; used: Set<string> } {
  const declared = declaredAbsences[name] ?? []
  const used = new Set<string>()
  const believed = questions.flatMap(({ field }, i) => {
    const { status, value } = results[i]!
    if (status === 'failed') return []
    const datasets = datasetsUsedBy(field, app)
    const declaring = declared.filter((dataset) => datasets.has(dataset))
    declaring.forEach((dataset) => used.add(dataset))
    return declaring.length > 0 ? [] : [`${field.name}: ${status} ${JSON.stringify(value)}`]
  })
  return { believed, used }
}
