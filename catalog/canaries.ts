import type { Canary } from '../src/catalog/records.ts'

/**
 * Questions that `fieldstone doctor --live` asks, one to three for each dataset. A `fact` does not change: `source`
 * says who states it. Without a fact the canary is structural: the answer is of the type, in the range and among the
 * classes that the field declares, or the publisher says that it has nothing at the place.
 */
export const canaries: Record<string, Canary[]> = {
  bls_qcew_county: [{ field: 'county_employment_total', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  bls_laus_county: [
    { field: 'county_unemployment_rate_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  bts_hpms: [
    { field: 'nearest_road_annual_average_daily_traffic', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  bts_narn_rail: [{ field: 'nearest_rail_line_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  bts_transit_stops: [
    { field: 'nearest_transit_stop_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  census_counties: [
    {
      field: 'county_fips',
      place: 'the Denver courthouse',
      lat: 39.7392,
      lng: -104.9903,
      fact: { expected: { value: '08031' }, source: 'Census Bureau: 08031 is Denver County, Colorado' },
    },
  ],
  census_statistical_areas_2010: [
    {
      field: 'csa_code',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: '216' }, source: 'Census Bureau: 216 is the combined statistical area of Denver' },
    },
  ],
  census_tigerweb_tidal_water: [
    {
      field: 'coast_distance_m',
      place: 'Miami Beach',
      lat: 25.7907,
      lng: -80.13,
      fact: {
        expected: { range: [0, 1_000] },
        source: 'City of Miami Beach: the city is on islands between Biscayne Bay and the Atlantic Ocean',
      },
    },
  ],
  census_tiger_coastline: [{ field: 'coast_distance_m', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null }],
  census_geocoder_geographies: [
    {
      field: 'tract_geoid',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: {
        expected: { pattern: '^08013[0-9]{6}$' },
        source: 'Census Bureau: tracts of Boulder County, Colorado, begin with 08013',
      },
    },
  ],
  census_tigerweb_states: [
    {
      field: 'state_fips',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: '08' }, source: 'Census Bureau: 08 is Colorado' },
    },
  ],
  census_tigerweb_counties: [
    {
      field: 'county_fips',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: '08013' }, source: 'Census Bureau: 08013 is Boulder County, Colorado' },
    },
  ],
  census_tigerweb_tracts: [
    {
      field: 'tract_geoid',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: {
        expected: { pattern: '^08013[0-9]{6}$' },
        source: 'Census Bureau: tracts of Boulder County, Colorado, begin with 08013',
      },
    },
  ],
  census_tigerweb_major_roads: [
    { field: 'nearest_major_road_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  census_tigerweb_roads: [
    { field: 'roads_within_500m_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  census_acs5: [{ field: 'tract_median_age_years', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  census_pep_county: [
    { field: 'county_population_growth_1y_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  census_bps_county: [
    { field: 'county_building_permits_total_units', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  census_saipe_county: [
    { field: 'county_median_household_income_usd', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  nlr_solar_resource: [{ field: 'solar_dni_kwh_m2_day', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  nlr_pvwatts_v8: [
    { field: 'pv_specific_yield_kwh_kw_year', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  nrel_wtk_mean_80m: [{ field: 'wind_speed_80m_m_s', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  nrel_wtk_mean_100m: [{ field: 'wind_speed_100m_m_s', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  nlr_alt_fuel_stations: [
    { field: 'nearest_ev_charger_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  netl_coal_closure: [
    { field: 'within_coal_closure_energy_community', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  netl_statistical_area: [
    { field: 'within_statistical_area_energy_community', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_streamcat: [{ field: 'watershed_impervious_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  epa_attains_gis: [
    { field: 'nearest_impaired_water_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_sole_source_aquifers: [
    { field: 'within_sole_source_aquifer', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_cws_service_areas: [
    { field: 'public_water_system_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  airnow_current: [{ field: 'air_quality_index_current', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  epa_aqs_annual: [{ field: 'pm25_annual_mean_ug_m3', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  epa_nonattainment_ozone_2015: [
    { field: 'ozone_nonattainment_classification', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_nonattainment_pm25: [
    { field: 'within_pm25_nonattainment_area', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_radon_zones: [{ field: 'radon_zone', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  epa_ecoregions_l3: [{ field: 'ecoregion_l3_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  epa_ecoregions_l4: [{ field: 'ecoregion_l4_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  epa_npl_sites: [
    { field: 'nearest_superfund_site_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_acres_brownfields: [
    { field: 'nearest_brownfield_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_tri: [
    { field: 'nearest_toxic_release_facility_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  epa_ust_facilities: [
    {
      field: 'underground_storage_tank_facilities_within_500m_count',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: null,
    },
  ],
  epa_ust_releases: [
    {
      field: 'underground_storage_tank_releases_within_500m_count',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: null,
    },
  ],
  jrc_gsw: [{ field: 'surface_water_permanence_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  sentinel2_l2a: [{ field: 'ndvi_current', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  faa_nasr: [
    {
      field: 'nearest_airport_code',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: 'BDU' }, source: 'FAA: BDU is Boulder Municipal Airport' },
    },
  ],
  bts_aviation_facilities: [
    { field: 'nearest_airport_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  fcc_area_api: [{ field: 'census_block_population_2020', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  fcc_bdc_block_groups: [
    { field: 'broadband_fiber_available_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  fcc_asr: [
    { field: 'nearest_antenna_structure_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  fema_nfhl_zones: [{ field: 'fema_flood_zone', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  fema_nfhl_availability: [
    { field: 'is_flood_map_available', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  fema_nfhl_panels: [{ field: 'firm_panel_number', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  fema_nfhl_communities: [{ field: 'nfip_community_id', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  openfema_nfip_csb: [{ field: 'nfip_crs_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  openfema_declarations: [
    { field: 'disaster_declarations_10y_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  fema_nri_tracts: [{ field: 'nri_risk_rating', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  fema_usa_structures: [
    { field: 'nearest_building_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  fhfa_hpi_county: [{ field: 'county_home_price_yoy_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  computed: [{ field: 'utc_offset_standard_hours', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  geonames_places: [
    {
      field: 'nearest_place_name',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: 'Boulder' }, source: 'GeoNames: the city of Boulder, Colorado' },
    },
  ],
  geonames_cities_50k: [
    { field: 'nearest_city_50k_population', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  geonames_cities_250k: [
    {
      field: 'nearest_city_250k_name',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: 'Denver' }, source: 'GeoNames: Denver is the nearest city of this size' },
    },
  ],
  geonames_postal_codes: [
    { field: 'nearest_zip_centroid_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  geoplatform_transmission_lines: [
    { field: 'nearest_transmission_line_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  geoplatform_power_plants: [
    { field: 'nearest_power_plant_primary_fuel', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  geoplatform_gas_pipelines: [
    { field: 'nearest_natural_gas_pipeline_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  geoplatform_petroleum_pipelines: [
    { field: 'nearest_petroleum_pipeline_distance_m', place: 'Kansas', lat: 39.28, lng: -97.07, fact: null },
  ],
  hifld_electric_territories: [
    { field: 'electric_utility_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  hud_fair_market_rents: [
    { field: 'fair_market_rent_2br_usd', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  hud_opportunity_zones: [
    { field: 'opportunity_zone_tract_geoid', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  hud_qct: [
    { field: 'within_lihtc_qualified_census_tract', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  hud_dda: [
    { field: 'within_lihtc_difficult_development_area', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  hud_lihtc: [
    { field: 'lihtc_properties_within_1km_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  landfire_evt: [{ field: 'existing_vegetation_type', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  landfire_evt_classes: [
    { field: 'existing_vegetation_type', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  landfire_ch: [{ field: 'forest_canopy_height_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  landfire_cbh: [{ field: 'canopy_base_height_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  landfire_cbd: [{ field: 'canopy_bulk_density_kg_m3', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  landfire_fbfm40: [{ field: 'fuel_model_fbfm40', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  macrostrat_units_large: [{ field: 'bedrock_unit_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  macrostrat_units_medium: [{ field: 'bedrock_unit_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  nasa_power_climatology: [
    { field: 'koppen_climate_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  nces_public_schools: [
    { field: 'nearest_public_school_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  ndmc_usdm: [{ field: 'drought_category', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  nga_egm96: [
    {
      field: 'geoid_undulation_m',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: {
        expected: { range: [-20, -10] },
        source: 'NGA: the geoid is 15 to 17 m below the ellipsoid around Denver',
      },
    },
  ],
  nifc_fire_history: [
    { field: 'nearest_recent_fire_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  nifc_wfigs_current: [
    { field: 'active_fires_within_50km_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_tide_predictions: [
    {
      field: 'nearest_tide_prediction_station_distance_m',
      place: 'Miami Beach',
      lat: 25.7907,
      lng: -80.13,
      fact: null,
    },
  ],
  noaa_tidal_datums: [
    { field: 'nearest_tidal_datum_station_distance_m', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null },
  ],
  noaa_atlas14_pfds: [{ field: 'rainfall_100yr_24h_mm', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  noaa_slr: [{ field: 'sea_level_rise_inundation_ft', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null }],
  noaa_coops_stations: [
    { field: 'nearest_tide_station_distance_m', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null },
  ],
  nhc_slosh_mom: [{ field: 'storm_surge_min_category', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null }],
  noaa_nwps: [
    { field: 'nearest_river_forecast_gauge_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_normals_tavg_annual: [
    { field: 'annual_mean_temperature_c', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_normals_prcp_annual: [
    { field: 'annual_precipitation_mm', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_normals_tmin_january: [
    { field: 'january_min_temperature_c', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_normals_tmax_july: [
    { field: 'july_max_temperature_c', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  nws_alerts: [{ field: 'active_weather_alerts_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  noaa_spc_tornado: [
    { field: 'tornadoes_within_40km_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_spc_hail: [
    { field: 'hail_reports_within_40km_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_spc_wind: [
    { field: 'severe_wind_reports_within_40km_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  noaa_ibtracs: [
    { field: 'hurricanes_within_100km_count', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null },
  ],
  open_meteo_air_quality: [{ field: 'pm25_current_ug_m3', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  osm_coastline: [{ field: 'coast_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  tz_boundaries: [
    {
      field: 'timezone',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: 'America/Denver' }, source: 'IANA time zone database: Colorado has America/Denver' },
    },
  ],
  osm_substations: [
    { field: 'nearest_substation_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  osm_power_lines: [
    { field: 'nearest_transmission_line_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  osm_major_roads: [
    { field: 'nearest_major_road_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  osm_roads: [{ field: 'roads_within_500m_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  regrid_parcels: [{ field: 'parcel_area_acres', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  gvp_holocene_volcanoes: [
    {
      field: 'nearest_volcano_name',
      place: 'Paradise',
      lat: 39.7596,
      lng: -121.6219,
      fact: {
        expected: { value: 'Lassen Volcanic Center' },
        source: 'Smithsonian Institution: Lassen is the nearest Holocene volcano',
      },
    },
  ],
  usace_nid: [{ field: 'nearest_dam_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usace_nld_leveed_areas: [
    { field: 'levee_system_name', place: 'New Orleans', lat: 29.9511, lng: -90.0715, fact: null },
  ],
  usace_nld_routes: [
    { field: 'nearest_levee_distance_m', place: 'New Orleans', lat: 29.9511, lng: -90.0715, fact: null },
  ],
  usace_principal_ports: [
    { field: 'nearest_principal_port_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usda_ssurgo_mapunit: [{ field: 'soil_drainage_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usda_ssurgo_component: [{ field: 'soil_ph', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usda_solus100: [{ field: 'modeled_bedrock_depth_cm', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usda_cdl: [{ field: 'cropland_within_1km_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usda_phzm_2023: [{ field: 'plant_hardiness_zone', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usda_phzm_2023_grid: [
    { field: 'extreme_min_temperature_c', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usda_ers_rucc: [
    { field: 'county_rural_urban_continuum_code', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usfs_lcms_landcover: [{ field: 'lcms_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usfs_lcms_landuse: [{ field: 'land_use_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usfs_lcms_change: [{ field: 'lcms_change_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usfs_lcms_recent_fast_loss: [
    { field: 'lcms_recent_fast_loss_year', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usfs_nlcd_tcc: [{ field: 'tree_canopy_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usfs_whp_2023: [
    { field: 'wildfire_hazard_potential_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usfs_wrc_burn_probability: [{ field: 'burn_probability', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usfs_wrc_whp: [
    { field: 'wildfire_hazard_potential_index', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usfs_wrc_cfl: [{ field: 'conditional_flame_length_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usfs_wrc_rps: [
    { field: 'risk_to_potential_structures_index', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  mtbs_boundaries: [{ field: 'mtbs_last_burn_year', place: 'Paradise', lat: 39.7596, lng: -121.6219, fact: null }],
  usfws_nwi: [{ field: 'wetland_acres', place: 'New Orleans', lat: 29.9511, lng: -90.0715, fact: null }],
  usfws_cbrs: [{ field: 'cbrs_unit_type', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null }],
  usfws_critical_habitat_areas: [
    { field: 'critical_habitat_species', place: 'Miami Beach', lat: 25.7907, lng: -80.13, fact: null },
  ],
  usfws_critical_habitat_final: [
    { field: 'nearest_critical_habitat_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usfws_ipac: [{ field: 'listed_species_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_nhd_area: [{ field: 'intersects_nhd_area', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_nhd_waterbody: [{ field: 'nearest_waterbody_type', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_nhd_flowline: [
    { field: 'nearest_stream_permanence', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_3dhp_waterbody: [
    { field: 'nearest_waterbody_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_3dhp_flowline: [
    { field: 'nearest_stream_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_nhdplus_hr: [{ field: 'nearest_stream_order', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_nldi: [{ field: 'nhdplus_comid', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_wbd_huc8: [
    {
      field: 'huc8_name',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: 'St. Vrain' }, source: 'USGS: hydrologic unit 10190005, St. Vrain, contains Boulder' },
    },
  ],
  usgs_wbd_huc12: [
    {
      field: 'huc8_code',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { value: '10190005' }, source: 'USGS: hydrologic unit 10190005, St. Vrain, contains Boulder' },
    },
  ],
  usgs_waterdata_discharge: [
    { field: 'nearest_stream_gage_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_waterdata_locations: [
    { field: 'nearest_stream_gage_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_waterdata_groundwater: [
    { field: 'nearest_monitoring_well_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_principal_aquifers: [
    { field: 'principal_aquifer_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_3dep: [
    {
      field: 'elevation',
      place: 'Boulder',
      lat: 40.015,
      lng: -105.2705,
      fact: { expected: { range: [1600, 1700] }, source: 'USGS: Boulder, Colorado, is at 5,430 feet (1,655 m)' },
    },
  ],
  usgs_3dep_identify: [
    { field: 'elevation_source_resolution_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_3dep_catalog: [
    { field: 'elevation_source_resolution_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_3dep_index: [{ field: 'lidar_quality_level', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_sgmc: [{ field: 'bedrock_unit_name', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_qfaults: [{ field: 'nearest_fault_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_karst: [{ field: 'within_karst_area', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_landslide_point: [
    { field: 'nearest_landslide_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_landslide_poly: [
    { field: 'within_mapped_landslide', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_designmaps_asce7_22: [
    { field: 'seismic_design_category', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_fdsn_event: [
    { field: 'earthquakes_within_100km_count', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  annual_nlcd_landcover: [{ field: 'nlcd_class', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  annual_nlcd_impervious: [
    { field: 'impervious_surface_pct', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  padus: [{ field: 'protected_area_gap_status', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null }],
  usgs_structures_hospitals: [
    { field: 'nearest_hospital_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_structures_fire_stations: [
    { field: 'nearest_fire_station_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_structures_police_stations: [
    { field: 'nearest_police_station_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  usgs_uswtdb: [
    { field: 'nearest_wind_turbine_distance_m', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
  global_wind_atlas: [
    { field: 'wind_power_density_100m_w_m2', place: 'Boulder', lat: 40.015, lng: -105.2705, fact: null },
  ],
}
