import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { words } from '../support/words.ts'

/**
 * Lies that cannot be told from a right answer, and why. `fields`: those that have the reason, or all.
 * `outcome`: the only status that the reason allows.
 */
type Undetectable = { reason: string; lies: RegExp; fields?: RegExp; outcome?: FieldResult['status'] }

const plausibleNumbers: Record<string, string[]> = {
  'many places have such a number': words`
    fair_market_rent_2br_usd fema_base_flood_elevation nearest_power_plant_capacity_mw
    nearest_road_annual_average_daily_traffic nearest_stream_drainage_area_km2
    nearest_wastewater_plant_population_served nri_expected_annual_loss_usd primary_building_footprint_sqm
    primary_building_height_m wetland_acres .*_voltage_kv max_transmission_line_voltage_kv_within_radius
  `,
  'it is computed from plausible numbers': [
    'broadband_fiber_available_pct',
    'elevation_above_nearest_stream_m',
    'housing_units_(within_1km|density_per_km2)',
    'nearest_shale_play_name',
    'residential_context_class_1km',
  ],
}

export const undetectable: Undetectable[] = [
  ...Object.entries(plausibleNumbers).map(([reason, fields]) => ({
    reason,
    lies: /^numbers of records are (255|999|65535|times 1,000|negative)$/,
    fields: new RegExp(`^(${fields.join('|')})$`),
  })),
  {
    reason: 'a capacity can be a fraction',
    lies: /^counts are fractions$/,
    fields: /^nearest_power_plant_capacity_mw$/,
  },
  {
    reason: 'null and blank text are how publishers write that a record has no value',
    lies: /^(attributes|numbers|texts) of records are (null|""|" ")$/,
    outcome: 'absent',
  },
  {
    reason: 'a line without a voltage has a band of voltages, or none',
    lies: /^(attributes|numbers) of records are (null|"")$/,
    fields: /^nearest_transmission_line_voltage_basis$/,
  },
  {
    reason: 'without their areas, the plays have the order of the service',
    lies: /^numbers of records are ""$/,
    fields: /^nearest_shale_play_name$/,
  },
  {
    reason: 'its publisher writes -9999 for no value',
    lies: /^numbers of records are -9999$/,
    fields: /^(fema_base_flood_elevation|nearest_stream_(order|drainage_area_km2)|elevation_above_nearest_stream_m)$/,
    outcome: 'absent',
  },
  {
    reason: 'its publisher writes 255 for no data',
    lies: /^numbers of records are 255$/,
    fields: /^impervious_surface_pct$/,
    outcome: 'absent',
  },
  {
    reason: 'a name can be any text',
    lies: /^(texts of records are ("ZZ9"|42|false)|features have the attributes of another layer)$/,
    fields: /_(name|owner|operator|agency|provider|service_territory|technology)$/,
  },
  {
    reason: 'the publisher writes the number as text, and 42 is one',
    lies: /^texts of records are 42$/,
    fields: /^(egrid_co2_output_rate_kg_per_mwh|within_slr_3ft_inundation|sea_level_rise_inundation_ft)$/,
  },
  {
    reason: 'features that moved within the area of the query are elsewhere in it',
    lies: /^features are (10 degrees east|5 degrees south)$/,
    fields: /^nearest_port_(distance_m|name)$/,
  },
  {
    reason: 'the answer of this service has no member that says that there is more',
    lies: /^half of the features, and more could be listed$/,
    fields: /^(nhdplus_comid|impervious_surface_pct)$/,
    outcome: 'absent',
  },
  {
    reason: 'borders are not exact enough to compare codes with the state of a place',
    lies: /^features are of California$/,
    fields: /^opportunity_zone_tract_geoid$/,
  },
]

/** Returns the rule by which a field may believe a lie; null if it must not. */
export function ruleFor(lie: string, field: string, { status }: FieldResult): Undetectable | null {
  const allows = ({ lies, fields = /./, outcome = status }: Undetectable) =>
    lies.test(lie) && fields.test(field) && outcome === status
  return undetectable.find(allows) ?? null
}
