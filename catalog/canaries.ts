import type { Canary } from '../src/catalog/records.ts'

const boulder = { place: 'Boulder', lat: 40.015, lng: -105.2705 }
const denver = { place: 'the Denver courthouse', lat: 39.7392, lng: -104.9903 }
const miamiBeach = { place: 'Miami Beach', lat: 25.7907, lng: -80.13 }
const manhattan = { place: 'the Empire State Building', lat: 40.7484, lng: -73.9857 }
const kansas = { place: 'Kansas', lat: 39.28, lng: -97.07 }
const paradise = { place: 'Paradise', lat: 39.7596, lng: -121.6219 }
const newOrleans = { place: 'New Orleans', lat: 29.9511, lng: -90.0715 }

/**
 * Questions that `fieldstone doctor --live` asks, one to three for each dataset. A `fact` does not change: `source`
 * says who states it. Without a fact the canary is structural: the answer is of the type, in the range and among the
 * classes that the field declares, or the publisher says that it has nothing at the place.
 */
export const canaries: Record<string, Canary[]> = {
  bls_qcew_county: [{ field: 'county_employment_total', ...boulder, fact: null }],
  bls_laus_county: [{ field: 'county_unemployment_rate_pct', ...boulder, fact: null }],
  bts_hpms: [{ field: 'nearest_road_annual_average_daily_traffic', ...boulder, fact: null }],
  bts_narn_rail: [
    {
      field: 'nearest_rail_line_distance_m',
      ...boulder,
      fact: {
        expected: { range: [500, 3000] },
        source: 'BNSF Railway: the line through Boulder passes Depot Square at 30th and Pearl Street',
      },
    },
  ],
  bts_transit_stops: [
    {
      field: 'nearest_transit_stop_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 1000] }, source: 'RTD: Downtown Boulder Station is at 14th and Walnut Street' },
    },
  ],
  census_counties: [
    {
      field: 'county_fips',
      ...denver,
      fact: { expected: { value: '08031' }, source: 'Census Bureau: 08031 is Denver County, Colorado' },
    },
  ],
  census_statistical_areas_2010: [
    {
      field: 'csa_code',
      ...boulder,
      fact: { expected: { value: '216' }, source: 'Census Bureau: 216 is the combined statistical area of Denver' },
    },
  ],
  census_tigerweb_tidal_water: [
    {
      field: 'coast_distance_m',
      ...miamiBeach,
      fact: {
        expected: { range: [0, 1000] },
        source: 'City of Miami Beach: the city is on islands between Biscayne Bay and the Atlantic Ocean',
      },
    },
  ],
  census_tiger_coastline: [
    {
      field: 'coast_distance_m',
      ...miamiBeach,
      fact: {
        expected: { range: [0, 1000] },
        source: 'City of Miami Beach: the city is on islands between Biscayne Bay and the Atlantic Ocean',
      },
    },
  ],
  census_geocoder_geographies: [
    {
      field: 'tract_geoid',
      ...boulder,
      fact: {
        expected: { pattern: '^08013[0-9]{6}$' },
        source: 'Census Bureau: tracts of Boulder County, Colorado, begin with 08013',
      },
    },
  ],
  census_tigerweb_states: [
    { field: 'state_fips', ...boulder, fact: { expected: { value: '08' }, source: 'Census Bureau: 08 is Colorado' } },
  ],
  census_tigerweb_counties: [
    {
      field: 'county_fips',
      ...boulder,
      fact: { expected: { value: '08013' }, source: 'Census Bureau: 08013 is Boulder County, Colorado' },
    },
  ],
  census_tigerweb_tracts: [
    {
      field: 'tract_geoid',
      ...boulder,
      fact: {
        expected: { pattern: '^08013[0-9]{6}$' },
        source: 'Census Bureau: tracts of Boulder County, Colorado, begin with 08013',
      },
    },
  ],
  census_tigerweb_major_roads: [
    {
      field: 'nearest_major_road_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1000] },
        source: 'Colorado DOT: State Highway 119 is Canyon Boulevard in downtown Boulder',
      },
    },
  ],
  census_tigerweb_roads: [
    {
      field: 'roads_within_500m_count',
      ...manhattan,
      fact: {
        expected: { range: [5, 1000] },
        source: 'City of New York: Fifth Avenue, Broadway and 30th to 38th Street are within 500 m',
      },
    },
  ],
  census_acs5: [
    {
      field: 'tract_population',
      ...boulder,
      fact: {
        expected: { range: [500, 12000] },
        source: 'Census Bureau: tracts are drawn for 1,200 to 8,000 inhabitants',
      },
    },
  ],
  census_pep_county: [{ field: 'county_population_growth_1y_pct', ...boulder, fact: null }],
  census_bps_county: [{ field: 'county_building_permits_total_units', ...boulder, fact: null }],
  census_saipe_county: [{ field: 'county_median_household_income_usd', ...boulder, fact: null }],
  nlr_solar_resource: [
    {
      field: 'solar_dni_kwh_m2_day',
      ...boulder,
      fact: { expected: { range: [5, 7.5] }, source: 'NLR: 6.06 at 40, -105 is the example of the documentation' },
    },
  ],
  nlr_pvwatts_v8: [
    {
      field: 'pv_specific_yield_kwh_kw_year',
      ...boulder,
      fact: {
        expected: { range: [1200, 1900] },
        source: 'NLR: the example of the documentation is near Boulder, at 40, -105',
      },
    },
  ],
  nrel_wtk_mean_80m: [{ field: 'wind_speed_80m_m_s', ...boulder, fact: null }],
  nrel_wtk_mean_100m: [{ field: 'wind_speed_100m_m_s', ...boulder, fact: null }],
  nlr_alt_fuel_stations: [
    {
      field: 'nearest_ev_charger_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 3000] }, source: 'City of Boulder: public chargers in the downtown garages' },
    },
  ],
  netl_coal_closure: [{ field: 'within_coal_closure_energy_community', ...boulder, fact: null }],
  netl_statistical_area: [{ field: 'within_statistical_area_energy_community', ...boulder, fact: null }],
  epa_streamcat: [{ field: 'watershed_impervious_pct', ...boulder, fact: null }],
  epa_attains_gis: [{ field: 'nearest_impaired_water_distance_m', ...boulder, fact: null }],
  epa_sole_source_aquifers: [{ field: 'within_sole_source_aquifer', ...boulder, fact: null }],
  epa_cws_service_areas: [
    {
      field: 'public_water_system_name',
      ...boulder,
      fact: {
        expected: { pattern: 'BOULDER|Boulder' },
        source: 'EPA: the City of Boulder is the public water system CO0107152',
      },
    },
  ],
  airnow_current: [{ field: 'air_quality_index_current', ...boulder, fact: null }],
  epa_aqs_annual: [{ field: 'pm25_annual_mean_ug_m3', ...boulder, fact: null }],
  epa_nonattainment_ozone_2015: [
    {
      field: 'ozone_nonattainment_classification',
      ...boulder,
      fact: {
        expected: { pattern: '^(Moderate|Serious|Severe|Extreme)' },
        source: 'EPA Green Book: Boulder is in the nonattainment area Denver Metro/North Front Range',
      },
    },
  ],
  epa_nonattainment_pm25: [
    {
      field: 'within_pm25_nonattainment_area',
      ...boulder,
      fact: { expected: { value: false }, source: 'EPA Green Book: Colorado has no nonattainment area for PM2.5' },
    },
  ],
  epa_radon_zones: [
    {
      field: 'radon_zone',
      ...boulder,
      fact: { expected: { value: 1 }, source: 'EPA: Boulder County is in radon zone 1' },
    },
  ],
  epa_ecoregions_l3: [
    {
      field: 'ecoregion_l3_name',
      ...boulder,
      fact: {
        expected: { pattern: '^(High Plains|Southern Rockies)$' },
        source: 'EPA: Boulder is where the High Plains meet the Southern Rockies',
      },
    },
  ],
  epa_ecoregions_l4: [
    {
      field: 'ecoregion_l4_name',
      ...boulder,
      fact: {
        expected: { pattern: '^(Front Range Fans|Foothill Shrublands)$' },
        source: 'EPA: Front Range Fans (25l) at Boulder, Foothill Shrublands (21d) west of it',
      },
    },
  ],
  epa_npl_sites: [
    {
      field: 'nearest_superfund_site_distance_m',
      ...boulder,
      fact: {
        expected: { range: [3000, 15000] },
        source: 'EPA: Marshall Landfill is three miles southeast of Boulder',
      },
    },
  ],
  epa_acres_brownfields: [{ field: 'nearest_brownfield_distance_m', ...boulder, fact: null }],
  epa_tri: [{ field: 'nearest_toxic_release_facility_distance_m', ...boulder, fact: null }],
  epa_ust_facilities: [{ field: 'underground_storage_tank_facilities_within_500m_count', ...boulder, fact: null }],
  epa_ust_releases: [{ field: 'underground_storage_tank_releases_within_500m_count', ...boulder, fact: null }],
  jrc_gsw: [
    {
      field: 'surface_water_permanence_pct',
      ...boulder,
      fact: { expected: { range: [0, 5] }, source: 'City of Boulder: the point is on land, in a built-up block' },
    },
  ],
  sentinel2_l2a: [{ field: 'ndvi_current', ...boulder, fact: null }],
  faa_nasr: [
    {
      field: 'nearest_airport_code',
      ...boulder,
      fact: { expected: { value: 'BDU' }, source: 'FAA: BDU is Boulder Municipal Airport' },
    },
  ],
  bts_aviation_facilities: [
    {
      field: 'nearest_airport_distance_m',
      ...boulder,
      fact: { expected: { range: [4000, 5500] }, source: 'FAA: Boulder Municipal Airport is at 40.0394, -105.2258' },
    },
  ],
  fcc_area_api: [
    {
      field: 'block_geoid',
      ...boulder,
      fact: {
        expected: { pattern: '^08013[0-9]{10}$' },
        source: 'Census Bureau: blocks of Boulder County, Colorado, begin with 08013',
      },
    },
  ],
  fcc_bdc_block_groups: [{ field: 'broadband_fiber_available_pct', ...boulder, fact: null }],
  fcc_asr: [{ field: 'nearest_antenna_structure_distance_m', ...boulder, fact: null }],
  fema_nfhl_zones: [
    {
      field: 'fema_flood_zone',
      ...boulder,
      fact: {
        expected: { pattern: '^(X|AE|AO|AH|A)$' },
        source: 'FEMA: the zones on the maps of Boulder, which has no coast',
      },
    },
  ],
  fema_nfhl_availability: [
    {
      field: 'is_flood_map_available',
      ...boulder,
      fact: { expected: { value: true }, source: 'FEMA: the flood map of Boulder County (08013C) is digital' },
    },
  ],
  fema_nfhl_panels: [
    {
      field: 'firm_panel_number',
      ...boulder,
      fact: {
        expected: { pattern: '^08013C[0-9]{4}[A-Z]$' },
        source: 'FEMA: the panels of Boulder County begin with 08013C',
      },
    },
  ],
  fema_nfhl_communities: [
    {
      field: 'nfip_community_id',
      ...boulder,
      fact: { expected: { value: '080024' }, source: 'FEMA: 080024 is the City of Boulder' },
    },
  ],
  openfema_nfip_csb: [
    {
      field: 'nfip_crs_class',
      ...boulder,
      fact: {
        expected: { range: [1, 9] },
        source: 'FEMA: the City of Boulder takes part in the Community Rating System',
      },
    },
  ],
  openfema_declarations: [{ field: 'disaster_declarations_10y_count', ...boulder, fact: null }],
  fema_nri_tracts: [{ field: 'nri_risk_rating', ...boulder, fact: null }],
  fema_usa_structures: [
    {
      field: 'nearest_building_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 300] }, source: 'City of Boulder: the point is in a built-up block' },
    },
  ],
  fhfa_hpi_county: [{ field: 'county_home_price_yoy_pct', ...boulder, fact: null }],
  computed: [
    {
      field: 'utc_offset_standard_hours',
      ...boulder,
      fact: { expected: { value: -7 }, source: 'NIST: Mountain Standard Time is UTC-7' },
    },
  ],
  geonames_places: [
    {
      field: 'nearest_place_name',
      ...boulder,
      fact: { expected: { value: 'Boulder' }, source: 'GeoNames: the city of Boulder, Colorado' },
    },
  ],
  geonames_cities_50k: [
    {
      field: 'nearest_city_50k_population',
      ...boulder,
      fact: {
        expected: { range: [90000, 125000] },
        source: 'Census Bureau: Boulder had 97,385 inhabitants in 2010 and 108,250 in 2020',
      },
    },
  ],
  geonames_cities_250k: [
    {
      field: 'nearest_city_250k_name',
      ...boulder,
      fact: { expected: { value: 'Denver' }, source: 'GeoNames: Denver is the nearest city of this size' },
    },
  ],
  geonames_postal_codes: [
    {
      field: 'nearest_zip_centroid',
      ...boulder,
      fact: { expected: { pattern: '^8030[0-9]$' }, source: 'USPS: 80301 to 80310 are the ZIP codes of Boulder' },
    },
  ],
  geoplatform_transmission_lines: [
    {
      field: 'nearest_transmission_line_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 7000] }, source: 'Xcel Energy: lines end at Valmont Station, 6 km east' },
    },
  ],
  geoplatform_power_plants: [
    {
      field: 'nearest_power_plant_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 7000] }, source: 'EIA: Valmont, 6 km east' },
    },
  ],
  geoplatform_gas_pipelines: [{ field: 'nearest_natural_gas_pipeline_distance_m', ...boulder, fact: null }],
  geoplatform_petroleum_pipelines: [{ field: 'nearest_petroleum_pipeline_distance_m', ...kansas, fact: null }],
  hifld_electric_territories: [{ field: 'electric_utility_name', ...boulder, fact: null }],
  hud_fair_market_rents: [{ field: 'fair_market_rent_2br_usd', ...boulder, fact: null }],
  hud_opportunity_zones: [{ field: 'opportunity_zone_tract_geoid', ...boulder, fact: null }],
  hud_qct: [{ field: 'within_lihtc_qualified_census_tract', ...boulder, fact: null }],
  hud_dda: [{ field: 'within_lihtc_difficult_development_area', ...boulder, fact: null }],
  hud_lihtc: [{ field: 'lihtc_properties_within_1km_count', ...boulder, fact: null }],
  landfire_evt: [{ field: 'existing_vegetation_type', ...boulder, fact: null }],
  landfire_evt_classes: [{ field: 'existing_vegetation_type', ...boulder, fact: null }],
  landfire_ch: [{ field: 'forest_canopy_height_m', ...boulder, fact: null }],
  landfire_cbh: [{ field: 'canopy_base_height_m', ...boulder, fact: null }],
  landfire_cbd: [{ field: 'canopy_bulk_density_kg_m3', ...boulder, fact: null }],
  landfire_fbfm40: [{ field: 'fuel_model_fbfm40', ...boulder, fact: null }],
  macrostrat_units_large: [{ field: 'bedrock_unit_name', ...boulder, fact: null }],
  macrostrat_units_medium: [{ field: 'bedrock_unit_name', ...boulder, fact: null }],
  nasa_power_climatology: [{ field: 'koppen_climate_class', ...boulder, fact: null }],
  nces_public_schools: [
    {
      field: 'nearest_public_school_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 1500] }, source: 'NCES: Boulder High School, 1604 Arapahoe Avenue' },
    },
  ],
  ndmc_usdm: [{ field: 'drought_category', ...boulder, fact: null }],
  nga_egm96: [
    {
      field: 'geoid_undulation_m',
      ...boulder,
      fact: {
        expected: { range: [-20, -10] },
        source: 'NGA: the geoid is 15 to 17 m below the ellipsoid around Denver',
      },
    },
  ],
  nifc_fire_history: [{ field: 'nearest_recent_fire_distance_m', ...boulder, fact: null }],
  nifc_wfigs_current: [{ field: 'active_fires_within_50km_count', ...boulder, fact: null }],
  noaa_tide_predictions: [
    {
      field: 'nearest_tide_prediction_station_distance_m',
      ...miamiBeach,
      fact: { expected: { range: [0, 5000] }, source: 'NOAA: station 8723170 is the city pier of Miami Beach' },
    },
  ],
  noaa_tidal_datums: [
    {
      field: 'nearest_tidal_datum_station_distance_m',
      ...miamiBeach,
      fact: { expected: { range: [0, 9000] }, source: 'NOAA: station 8723214 is Virginia Key, 7 km southwest' },
    },
  ],
  noaa_atlas14_pfds: [
    {
      field: 'rainfall_100yr_24h_mm',
      ...boulder,
      fact: { expected: { range: [100, 200] }, source: 'NOAA Atlas 14, volume 8: 4 to 8 inches on the Front Range' },
    },
  ],
  noaa_slr: [
    {
      field: 'sea_level_rise_inundation_ft',
      ...miamiBeach,
      fact: {
        expected: { range: [1, 10] },
        source: 'City of Miami Beach: the island is lower than 10 feet above high water',
      },
    },
  ],
  noaa_coops_stations: [
    {
      field: 'nearest_tide_station_distance_m',
      ...miamiBeach,
      fact: { expected: { range: [0, 9000] }, source: 'NOAA: station 8723214 is Virginia Key, 7 km southwest' },
    },
  ],
  nhc_slosh_mom: [
    {
      field: 'storm_surge_min_category',
      ...miamiBeach,
      fact: { expected: { range: [1, 5] }, source: 'Miami-Dade County: Miami Beach is a storm surge planning zone' },
    },
  ],
  noaa_nwps: [{ field: 'nearest_river_forecast_gauge_distance_m', ...boulder, fact: null }],
  noaa_normals_tavg_annual: [
    {
      field: 'annual_mean_temperature_c',
      ...boulder,
      fact: {
        expected: { range: [9.5, 12.5] },
        source: 'NOAA: normals of the station Boulder (USC00050848), 1991 to 2020',
      },
    },
  ],
  noaa_normals_prcp_annual: [
    {
      field: 'annual_precipitation_mm',
      ...boulder,
      fact: {
        expected: { range: [440, 620] },
        source: 'NOAA: normals of the station Boulder (USC00050848), 1991 to 2020',
      },
    },
  ],
  noaa_normals_tmin_january: [
    {
      field: 'january_min_temperature_c',
      ...boulder,
      fact: {
        expected: { range: [-9, -3] },
        source: 'NOAA: normals of the station Boulder (USC00050848), 1991 to 2020',
      },
    },
  ],
  noaa_normals_tmax_july: [
    {
      field: 'july_max_temperature_c',
      ...boulder,
      fact: {
        expected: { range: [28.5, 34] },
        source: 'NOAA: normals of the station Boulder (USC00050848), 1991 to 2020',
      },
    },
  ],
  nws_alerts: [{ field: 'active_weather_alerts_count', ...boulder, fact: null }],
  noaa_spc_tornado: [{ field: 'tornadoes_within_40km_count', ...boulder, fact: null }],
  noaa_spc_hail: [{ field: 'hail_reports_within_40km_count', ...boulder, fact: null }],
  noaa_spc_wind: [{ field: 'severe_wind_reports_within_40km_count', ...boulder, fact: null }],
  noaa_ibtracs: [
    {
      field: 'hurricanes_within_100km_count',
      ...miamiBeach,
      fact: {
        expected: { range: [10, 300] },
        source: 'NHC: hurricanes of 1906, 1926, 1935, 1945, 1947, 1948, 1950, 1964, 1965, 1992 and 2005, among others',
      },
    },
  ],
  open_meteo_air_quality: [{ field: 'pm25_current_ug_m3', ...boulder, fact: null }],
  osm_coastline: [
    {
      field: 'coast_distance_m',
      ...denver,
      fact: {
        expected: { range: [1150000, 1250000] },
        source: 'GSHHG 2.3.7: 1,176 km from Denver to the Gulf of California',
      },
    },
  ],
  tz_boundaries: [
    {
      field: 'timezone',
      ...boulder,
      fact: { expected: { value: 'America/Denver' }, source: 'IANA time zone database: Colorado has America/Denver' },
    },
  ],
  osm_substations: [
    {
      field: 'nearest_substation_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 7000] }, source: 'Xcel Energy: a substation at Valmont Station, 6 km east' },
    },
  ],
  osm_power_lines: [
    {
      field: 'nearest_transmission_line_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 7000] }, source: 'Xcel Energy: lines end at Valmont Station, 6 km east' },
    },
  ],
  osm_major_roads: [
    {
      field: 'nearest_major_road_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1000] },
        source: 'Colorado DOT: State Highway 119 is Canyon Boulevard in downtown Boulder',
      },
    },
  ],
  osm_roads: [{ field: 'roads_within_500m_count', ...boulder, fact: null }],
  regrid_parcels: [{ field: 'parcel_area_acres', ...boulder, fact: null }],
  gvp_holocene_volcanoes: [
    {
      field: 'nearest_volcano_name',
      ...paradise,
      fact: {
        expected: { value: 'Lassen Volcanic Center' },
        source: 'Smithsonian Institution: Lassen is the nearest Holocene volcano',
      },
    },
  ],
  usace_nid: [
    {
      field: 'nearest_dam_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 8000] },
        source: 'USACE: the dams of Valmont and Baseline Reservoir are within 7 km',
      },
    },
  ],
  usace_nld_leveed_areas: [{ field: 'levee_system_name', ...newOrleans, fact: null }],
  usace_nld_routes: [
    {
      field: 'nearest_levee_distance_m',
      ...newOrleans,
      fact: {
        expected: { range: [0, 3000] },
        source: 'USACE: the levee of the Mississippi at the French Quarter and the riverfront',
      },
    },
  ],
  usace_principal_ports: [{ field: 'nearest_principal_port_distance_m', ...boulder, fact: null }],
  usda_ssurgo_mapunit: [{ field: 'soil_drainage_class', ...boulder, fact: null }],
  usda_ssurgo_component: [{ field: 'soil_ph', ...boulder, fact: null }],
  usda_solus100: [{ field: 'modeled_bedrock_depth_cm', ...boulder, fact: null }],
  usda_cdl: [
    {
      field: 'cdl_class',
      ...manhattan,
      fact: { expected: { pattern: '^Developed' }, source: 'Empire State Building: a built-up block of Midtown' },
    },
  ],
  usda_phzm_2023: [
    {
      field: 'plant_hardiness_zone',
      ...boulder,
      fact: { expected: { pattern: '^(5b|6a|6b)$' }, source: 'USDA: Boulder is in zones 5b to 6b' },
    },
  ],
  usda_phzm_2023_grid: [
    {
      field: 'extreme_min_temperature_c',
      ...boulder,
      fact: { expected: { range: [-27, -17] }, source: 'USDA: Boulder is in zones 5b to 6b' },
    },
  ],
  usda_ers_rucc: [
    {
      field: 'county_rural_urban_continuum_code',
      ...boulder,
      fact: { expected: { value: 2 }, source: 'USDA ERS: Boulder County has code 2 in the table of 2023' },
    },
  ],
  usfs_lcms_landcover: [{ field: 'lcms_class', ...boulder, fact: null }],
  usfs_lcms_landuse: [{ field: 'land_use_class', ...boulder, fact: null }],
  usfs_lcms_change: [{ field: 'lcms_change_class', ...boulder, fact: null }],
  usfs_lcms_recent_fast_loss: [{ field: 'lcms_recent_fast_loss_year', ...boulder, fact: null }],
  usfs_nlcd_tcc: [{ field: 'tree_canopy_pct', ...boulder, fact: null }],
  usfs_whp_2023: [{ field: 'wildfire_hazard_potential_class', ...boulder, fact: null }],
  usfs_wrc_burn_probability: [{ field: 'burn_probability', ...boulder, fact: null }],
  usfs_wrc_whp: [{ field: 'wildfire_hazard_potential_index', ...boulder, fact: null }],
  usfs_wrc_cfl: [{ field: 'conditional_flame_length_m', ...boulder, fact: null }],
  usfs_wrc_rps: [{ field: 'risk_to_potential_structures_index', ...boulder, fact: null }],
  mtbs_boundaries: [
    {
      field: 'mtbs_last_burn_year',
      ...paradise,
      fact: { expected: { range: [2018, 2100] }, source: 'CAL FIRE: the Camp Fire burned Paradise in November 2018' },
    },
  ],
  usfws_nwi: [{ field: 'wetland_acres', ...newOrleans, fact: null }],
  usfws_cbrs: [{ field: 'cbrs_unit_type', ...miamiBeach, fact: null }],
  usfws_critical_habitat_areas: [{ field: 'critical_habitat_species', ...miamiBeach, fact: null }],
  usfws_critical_habitat_final: [{ field: 'nearest_critical_habitat_distance_m', ...boulder, fact: null }],
  usfws_ipac: [{ field: 'listed_species_count', ...boulder, fact: null }],
  usgs_nhd_area: [
    {
      field: 'intersects_nhd_area',
      ...boulder,
      fact: { expected: { value: false }, source: 'City of Boulder: the point is on land, in a built-up block' },
    },
  ],
  usgs_nhd_waterbody: [
    {
      field: 'intersects_nhd_waterbody',
      ...boulder,
      fact: { expected: { value: false }, source: 'City of Boulder: the point is on land, in a built-up block' },
    },
  ],
  usgs_nhd_flowline: [
    {
      field: 'nearest_stream_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 1000] }, source: 'USGS: Boulder Creek flows through downtown Boulder' },
    },
  ],
  usgs_3dhp_waterbody: [
    {
      field: 'intersects_nhd_waterbody',
      ...boulder,
      fact: { expected: { value: false }, source: 'City of Boulder: the point is on land, in a built-up block' },
    },
  ],
  usgs_3dhp_flowline: [
    {
      field: 'nearest_stream_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 1000] }, source: 'USGS: Boulder Creek flows through downtown Boulder' },
    },
  ],
  usgs_nhdplus_hr: [{ field: 'nearest_stream_order', ...boulder, fact: null }],
  usgs_nldi: [{ field: 'nhdplus_comid', ...boulder, fact: null }],
  usgs_wbd_huc8: [
    {
      field: 'huc8_name',
      ...boulder,
      fact: { expected: { value: 'St. Vrain' }, source: 'USGS: hydrologic unit 10190005, St. Vrain, contains Boulder' },
    },
  ],
  usgs_wbd_huc12: [
    {
      field: 'huc8_code',
      ...boulder,
      fact: { expected: { value: '10190005' }, source: 'USGS: hydrologic unit 10190005, St. Vrain, contains Boulder' },
    },
  ],
  usgs_waterdata_discharge: [
    {
      field: 'nearest_stream_gage_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 15000] },
        source: 'USGS: gage 06730200 is Boulder Creek at North 75th Street, 9 km east',
      },
    },
  ],
  usgs_waterdata_locations: [
    {
      field: 'nearest_stream_gage_name',
      ...boulder,
      fact: {
        expected: { pattern: 'CREEK' },
        source: 'USGS: the gages around Boulder are on Boulder, South Boulder and Fourmile Creek',
      },
    },
  ],
  usgs_waterdata_groundwater: [{ field: 'nearest_monitoring_well_distance_m', ...boulder, fact: null }],
  usgs_principal_aquifers: [{ field: 'principal_aquifer_name', ...boulder, fact: null }],
  usgs_3dep: [
    {
      field: 'elevation',
      ...boulder,
      fact: { expected: { range: [1600, 1700] }, source: 'USGS: Boulder, Colorado, is at 5,430 feet (1,655 m)' },
    },
  ],
  usgs_3dep_identify: [
    {
      field: 'elevation_source_resolution_m',
      ...boulder,
      fact: { expected: { range: [0.5, 10.5] }, source: 'USGS: the 48 states have a model of 10 m or better' },
    },
  ],
  usgs_3dep_catalog: [
    {
      field: 'elevation_source_resolution_m',
      ...boulder,
      fact: { expected: { range: [0.5, 10.5] }, source: 'USGS: the 48 states have a model of 10 m or better' },
    },
  ],
  usgs_3dep_index: [
    {
      field: 'lidar_quality_level',
      ...boulder,
      fact: { expected: { pattern: '^QL[0-3]$' }, source: 'USGS: lidar has covered Boulder since the flood of 2013' },
    },
  ],
  usgs_sgmc: [{ field: 'bedrock_unit_name', ...boulder, fact: null }],
  usgs_qfaults: [{ field: 'nearest_fault_distance_m', ...boulder, fact: null }],
  usgs_karst: [{ field: 'within_karst_area', ...boulder, fact: null }],
  usgs_landslide_point: [{ field: 'nearest_landslide_distance_m', ...boulder, fact: null }],
  usgs_landslide_poly: [{ field: 'within_mapped_landslide', ...boulder, fact: null }],
  usgs_designmaps_asce7_22: [
    {
      field: 'seismic_design_category',
      ...boulder,
      fact: {
        expected: { pattern: '^[ABC]$' },
        source: 'City of Boulder: seismic design category B in the design criteria of the building code',
      },
    },
  ],
  usgs_fdsn_event: [{ field: 'earthquakes_within_100km_count', ...boulder, fact: null }],
  annual_nlcd_landcover: [
    {
      field: 'nlcd_class',
      ...manhattan,
      fact: { expected: { pattern: '^Developed' }, source: 'Empire State Building: a built-up block of Midtown' },
    },
  ],
  annual_nlcd_impervious: [
    {
      field: 'impervious_surface_pct',
      ...manhattan,
      fact: { expected: { range: [60, 100] }, source: 'Empire State Building: a built-up block of Midtown' },
    },
  ],
  padus: [{ field: 'protected_area_gap_status', ...boulder, fact: null }],
  usgs_structures_hospitals: [
    {
      field: 'nearest_hospital_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 6000] },
        source: 'Boulder Community Health: Foothills Hospital, 4747 Arapahoe Avenue',
      },
    },
  ],
  usgs_structures_fire_stations: [
    {
      field: 'nearest_fire_station_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 4000] }, source: 'City of Boulder: Fire Station 1, 2441 13th Street' },
    },
  ],
  usgs_structures_police_stations: [
    {
      field: 'nearest_police_station_distance_m',
      ...boulder,
      fact: { expected: { range: [0, 4000] }, source: 'City of Boulder: Public Safety Building, 1805 33rd Street' },
    },
  ],
  usgs_uswtdb: [
    {
      field: 'nearest_wind_turbine_distance_m',
      ...boulder,
      fact: {
        expected: { range: [7000, 25000] },
        source: 'NLR: the turbines of the Flatirons Campus are 12 km south of Boulder',
      },
    },
  ],
  global_wind_atlas: [{ field: 'wind_power_density_100m_w_m2', ...boulder, fact: null }],
}
