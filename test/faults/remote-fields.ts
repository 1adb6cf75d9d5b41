import { words } from '../support/words.ts'
/**
 * Fields at Boulder by driver: at least one for each driver that calls a server, and for each kind of request of a
 * driver.
 */
export const remoteFieldsByDriver = {
  arcgis: ['in_opportunity_zone', 'buildings_within_100m_count', 'within_pm25_nonattainment_area', 'drought_category'],
  arcgis_identify: ['within_slr_3ft_inundation'],
  imageserver: ['lcms_class', 'land_use_class', 'tree_canopy_change_10y_pct'],
  cog: ['modeled_bedrock_depth_cm', 'elevation'],
  stac: ['ndvi_current'],
  stac_point: ['mean_annual_dry_bulb_temperature_degc', 'annual_precipitation_mm'],
  rest: words`
    tract_population_acs5 air_quality_index_current pm25_current_ug_m3 heating_degree_days_c
    active_weather_alerts_count census_block_population_2020 is_nfip_participating listed_species_count nhdplus_comid
  `,
  rest_features: ['nearest_wind_turbine_distance_m', 'nearest_river_forecast_gauge_name', 'nearest_tide_station_name'],
  rest_text: ['rainfall_100yr_24h_mm'],
  sda: ['soil_map_unit_name', 'soil_surface_texture'],
  ogc_features: ['nearest_stream_gage_distance_m', 'nearest_monitoring_well_distance_m'],
  geojson_file: ['nearest_volcano_name'],
  wms_feature_info: ['nlcd_class'],
  cropscape: ['cdl_class'],
  table: words`
    radon_zone county_population county_building_permits_total_annual county_hpi_yoy_pct county_employment_total
    county_rural_urban_continuum_code
  `,
  overpass: ['nearest_osm_substation_distance_m'],
} as const
export type RemoteDriver = keyof typeof remoteFieldsByDriver

export const remoteFieldNames: string[] = Object.values(remoteFieldsByDriver).flat()

export function driverOf(field: string): RemoteDriver {
  return (Object.keys(remoteFieldsByDriver) as RemoteDriver[]).find((driver) =>
    (remoteFieldsByDriver[driver] as readonly string[]).includes(field),
  )!
}
