import type { Preset } from '../src/catalog/records.ts'

export const presets: Record<string, Preset> = {
  terrain: {
    reason: 'The shape of the ground and what it stands on.',
    phrases: ['terrain', 'topography', 'lay of land', 'buildable', 'flat enough'],
    fields: ['elevation', 'slope_degrees', 'aspect_cardinal', 'coast_distance_m', 'soil_drainage_class', 'bedrock_depth_cm'],
  },
  flood_risk: {
    reason: 'Whether water can reach the place: height, coast, floodplain, wetlands, surface water.',
    phrases: ['flood risk', 'flooding risk', 'risk of flooding', 'risk of flood', 'flood exposure', 'flood hazard', 'flood prone', 'flood insurance'],
    fields: [
      'elevation', 'coast_distance_m', 'within_floodplain_polygon', 'intersects_nhd_area', 'intersects_wetland', 'wetland_type', 'wetland_subtype',
      'wetland_acres', 'nearest_wetland_distance_m', 'wetlands_within_100m_count', 'wetlands_within_500m_count', 'surface_water_permanence_pct',
      'nearest_waterbody_name',
    ],
  },
  wildfire_underwrite: {
    reason: 'What grows there and how the ground lies: the fuel and the slope of a fire.',
    phrases: ['fuel and slope', 'wildfire underwriting', 'fuel load', 'brush clearance'],
    fields: ['lcms_class', 'tree_canopy_pct', 'ndvi_current', 'ndvi_change_5y', 'slope_degrees', 'elevation'],
  },
  land_cover: {
    reason: 'What covers the ground and what it is used for.',
    phrases: ['land cover', 'landcover', 'land use', 'what covers the ground'],
    fields: ['lcms_class', 'land_use_class', 'tree_canopy_pct', 'cdl_class', 'dominant_crop_5y'],
  },
  site_selection: {
    reason: 'A first look at a site to build on: ground, water, roads, power, and what would forbid it.',
    phrases: ['site selection', 'building site', 'suitable for building', 'develop', 'development', 'warehouse', 'factory', 'build here', 'construction site', 'due diligence'],
    fields: [
      'elevation', 'slope_degrees', 'lcms_class', 'within_floodplain_polygon', 'intersects_wetland', 'wetland_type', 'nearest_wetland_distance_m',
      'wetlands_within_100m_count', 'nearest_major_road_distance_m', 'nearest_major_road_class', 'roads_within_500m_count',
      'nearest_transmission_line_distance_m', 'nearest_transmission_line_voltage_kv', 'nearest_substation_distance_m', 'nearest_power_plant_name',
      'nearest_power_plant_distance_m', 'nearest_power_plant_primary_fuel', 'nearest_natural_gas_pipeline_distance_m', 'nearest_rail_line_distance_m',
      'nearest_airport_distance_m', 'fema_flood_zone', 'soil_drainage_class', 'bedrock_depth_cm', 'within_protected_area', 'within_critical_habitat',
      'county_fips', 'county', 'in_opportunity_zone',
    ],
  },
  data_center_siting: {
    reason: 'Power, water, fibre and hazards for a data center.',
    phrases: ['data center', 'data centre', 'datacenter', 'server farm', 'crypto mine', 'hyperscale'],
    fields: [
      'elevation', 'slope_degrees', 'local_relief_500m_m', 'nearest_transmission_line_distance_m', 'nearest_transmission_line_voltage_kv',
      'nearest_substation_distance_m', 'electric_utility_name', 'power_plants_within_25km_count', 'nearest_power_plant_primary_fuel',
      'nearest_power_plant_capacity_mw', 'nearest_natural_gas_pipeline_distance_m', 'broadband_providers_count', 'broadband_fiber_available_pct',
      'nearest_major_road_distance_m', 'nearest_airport_distance_m', 'fema_flood_zone', 'within_floodplain_polygon', 'intersects_wetland',
      'nearest_waterbody_distance_m', 'within_public_water_service_area', 'principal_aquifer_name', 'drought_category', 'peak_ground_acceleration_g',
      'tornadoes_within_40km_count', 'wildfire_hazard_potential_class', 'nri_risk_score', 'annual_mean_temperature_c', 'cooling_degree_days_c',
      'bedrock_depth_cm', 'soil_drainage_class', 'within_protected_area', 'within_ozone_nonattainment_area', 'county_fips', 'county', 'timezone',
    ],
  },
  wind_siting: {
    reason: 'Wind, grid and neighbours for a wind farm.',
    phrases: ['wind farm', 'wind project', 'wind siting', 'wind development', 'wind park'],
    fields: [
      'wind_speed_80m_m_s', 'wind_speed_100m_m_s', 'wind_shear_exponent', 'wind_power_density_100m_w_m2', 'elevation', 'slope_degrees',
      'local_relief_500m_m', 'lcms_class', 'tree_canopy_pct', 'nearest_transmission_line_distance_m', 'nearest_transmission_line_voltage_kv',
      'nearest_substation_distance_m', 'nearest_wind_turbine_distance_m', 'nearest_wind_project_name', 'nearest_wind_turbine_hub_height_m',
      'wind_turbines_within_10km_count', 'nearest_major_road_distance_m', 'nearest_building_distance_m', 'buildings_within_500m_count',
      'nearest_airport_distance_m', 'nearest_antenna_structure_distance_m', 'intersects_wetland', 'within_protected_area', 'within_critical_habitat',
      'bedrock_depth_cm', 'county_fips', 'county',
    ],
  },
  solar_siting: {
    reason: 'Sun, ground, grid and constraints for a solar farm.',
    phrases: ['solar farm', 'solar project', 'solar siting', 'solar site', 'solar plant', 'solar park', 'solar development', 'solar array', 'utility scale solar', 'photovoltaic plant'],
    fields: [
      'solar_ghi_kwh_m2_day', 'solar_dni_kwh_m2_day', 'pv_specific_yield_kwh_kw_year', 'winter_solstice_solar_noon_elevation_degrees',
      'winter_solstice_day_length_hours', 'elevation', 'slope_degrees', 'slope_pct', 'aspect_cardinal', 'lcms_class', 'nlcd_class', 'tree_canopy_pct',
      'cdl_class', 'is_cultivated_cropland', 'soil_farmland_class', 'soil_drainage_class', 'bedrock_depth_cm', 'within_floodplain_polygon',
      'intersects_wetland', 'nearest_wetland_distance_m', 'nearest_transmission_line_distance_m', 'nearest_transmission_line_voltage_kv',
      'nearest_substation_distance_m', 'nearest_major_road_distance_m', 'within_protected_area', 'within_critical_habitat', 'hail_reports_within_40km_count',
      'within_coal_closure_energy_community', 'in_opportunity_zone', 'county_fips', 'county',
    ],
  },
  place_context: {
    reason: 'Where this is: the most useful of what the embedded data answers with no network.',
    phrases: ['tell me about', 'where am i', 'where is this', 'where do i live', 'what is this place', 'what is here', 'describe', 'overview', 'summary', 'context', 'what do you know'],
    fields: [
      'state', 'state_fips', 'county', 'county_fips', 'cbsa_code', 'timezone', 'utc_offset_standard_hours', 'is_daylight_saving_time_observed',
      'county_land_area_km2', 'nearest_place_name', 'nearest_place_state', 'nearest_place_population', 'nearest_place_distance_m', 'places_within_25km_count',
      'nearest_city_50k_name', 'nearest_city_50k_distance_m', 'nearest_city_250k_name', 'nearest_city_250k_distance_m', 'nearest_zip_centroid',
      'coast_distance_m', 'nearest_tide_prediction_station_name', 'nearest_tide_prediction_station_distance_m', 'tidal_great_diurnal_range_m',
      'nearest_airport_name', 'nearest_airport_code', 'nearest_airport_distance_m', 'nearest_airport_longest_runway_ft', 'nearest_jet_runway_airport_name',
      'nearest_jet_runway_airport_distance_m', 'nearest_heliport_distance_m', 'airports_within_25km_count', 'magnetic_declination_degrees',
      'geoid_undulation_m', 'winter_solstice_solar_noon_elevation_degrees', 'winter_solstice_day_length_hours', 'summer_solstice_day_length_hours', 'geohash',
      'h3_cell_res9', 'plus_code', 'mgrs', 'utm_zone', 'utm_easting_m', 'utm_northing_m',
    ],
  },
  environmental_screening: {
    reason: 'What a first environmental review asks: contamination, waters, habitat, protected land, air.',
    phrases: ['environmental screening', 'environmental review', 'phase i', 'phase 1', 'environmental assessment', 'environmental site assessment', 'nepa', 'esa', 'environmental concern', 'environmental issue', 'environmental risk'],
    fields: [
      'nearest_superfund_site_distance_m', 'nearest_superfund_site_name', 'nearest_superfund_site_status', 'nearest_brownfield_distance_m',
      'brownfields_within_1km_count', 'nearest_toxic_release_facility_distance_m', 'underground_storage_tank_facilities_within_500m_count',
      'underground_storage_tank_releases_within_500m_count', 'intersects_wetland', 'wetland_type', 'nearest_wetland_distance_m', 'intersects_nhd_area',
      'nearest_waterbody_name', 'nearest_waterbody_distance_m', 'nearest_impaired_water_name', 'nearest_impaired_water_distance_m', 'within_floodplain_polygon',
      'principal_aquifer_name', 'within_sole_source_aquifer', 'within_critical_habitat', 'critical_habitat_species', 'listed_species_count',
      'within_protected_area', 'protected_area_name', 'ecoregion_l3_name', 'within_ozone_nonattainment_area', 'within_pm25_nonattainment_area', 'radon_zone',
      'soil_hydric_pct', 'within_karst_area',
    ],
  },
  natural_hazards: {
    reason: 'Every hazard of nature that the catalog knows, at a glance.',
    phrases: ['natural hazard', 'natural disaster', 'danger', 'dangerous', 'hazard', 'disaster', 'safe', 'safety', 'threat', 'catastrophe', 'emergency plan', 'emergency planning', 'what could go wrong', 'peril', 'nat cat', 'acts of god'],
    fields: [
      'fema_flood_zone', 'within_floodplain_polygon', 'coastal_high_hazard', 'storm_surge_min_category', 'sea_level_rise_inundation_ft',
      'wildfire_hazard_potential_class', 'burn_probability', 'nearest_recent_fire_distance_m', 'peak_ground_acceleration_g', 'seismic_design_category',
      'nearest_fault_distance_m', 'earthquakes_within_100km_count', 'within_mapped_landslide', 'landslides_within_10km_count', 'karst_type',
      'tornadoes_within_40km_count', 'max_tornado_ef_within_40km', 'hail_reports_within_40km_count', 'max_hail_size_within_40km_cm',
      'severe_wind_reports_within_40km_count', 'hurricanes_within_100km_count', 'max_hurricane_wind_within_100km_m_s', 'nearest_volcano_name',
      'nearest_volcano_distance_m', 'drought_category', 'rainfall_100yr_24h_mm', 'nri_risk_score', 'nri_risk_rating', 'nri_expected_annual_loss_usd',
      'disaster_declarations_10y_count', 'active_weather_alerts_count',
    ],
  },
  property_basics: {
    reason: 'What a buyer or an underwriter asks first about a property.',
    phrases: ['buy', 'buying', 'purchase', 'move here', 'moving here', 'live here', 'good place to live', 'good place', 'nice place', 'nice here', 'home buyer', 'homebuyer', 'underwrite', 'underwriting', 'homeowner policy', 'property report', 'ho 3', 'ho3', 'homeowners policy', 'home insurance', 'insure', 'rent here', 'neighborhood', 'neighbourhood'],
    fields: [
      'state', 'county', 'county_fips', 'place_name', 'zcta5', 'tract_geoid', 'timezone', 'elevation', 'slope_degrees', 'fema_flood_zone',
      'within_floodplain_polygon', 'coast_distance_m', 'wildfire_hazard_potential_class', 'school_district_name', 'nearest_public_school_distance_m',
      'nearest_hospital_distance_m', 'nearest_fire_station_distance_m', 'nearest_police_station_distance_m', 'nearest_major_road_distance_m',
      'nearest_transit_stop_distance_m', 'public_water_system_name', 'soil_septic_suitability', 'radon_zone', 'tract_median_home_value_usd',
      'tract_median_household_income_usd', 'county_home_price_yoy_pct', 'fair_market_rent_2br_usd', 'in_opportunity_zone',
    ],
  },
  climate_profile: {
    reason: 'The climate of the place in normal years, and the weather of now.',
    phrases: ['climate', 'weather like', 'climate profile', 'what is the weather', 'seasons'],
    fields: [
      'koppen_climate_class', 'annual_mean_temperature_c', 'january_min_temperature_c', 'july_max_temperature_c', 'annual_precipitation_mm',
      'heating_degree_days_c', 'cooling_degree_days_c', 'frost_days_per_year', 'extreme_min_temperature_c', 'plant_hardiness_zone', 'rainfall_100yr_24h_mm',
      'solar_ghi_kwh_m2_day', 'wind_speed_50m_m_s', 'drought_category', 'winter_solstice_day_length_hours', 'active_weather_alerts_count',
      'most_severe_weather_alert', 'elevation', 'coast_distance_m',
    ],
  },
}
