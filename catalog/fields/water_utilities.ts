import type { Field } from '../../src/catalog/records.ts'
import type { Region } from '../../src/model/place.ts'
import { computed, documented, documentPath, float, integer, nearest, polygonAtPoint, tableRow } from '../families.ts'

const shared = { layer: 'water_utilities', ttl_seconds: 2_592_000, evidence: documented }
const covers: Region[] = ['conus', 'ak', 'hi']
const provenance = ['utility_sourced', 'ml_modeled']
const mostPeople = ['Population_Served_Count desc']
const serviceAreas = { ...shared, covers, dataset: 'epa_cws_service_areas', lifecycle: 'stable' as const }
const sewersheds = { ...shared, covers, dataset: 'epa_sewersheds' }
const usgsGage = 'active USGS streamgage'
const gages = {
  layer: shared.layer,
  evidence: documented,
  dataset: 'usgs_waterdata_daily_discharge',
  ttl_seconds: 86_400,
}
const gageRadii_m = [10_000]

export const water_utilities: Field[] = [
  ...polygonAtPoint(
    { ...serviceAreas, thing: 'service area of a community water system', pick: mostPeople },
    {
      within_water_service_area: {
        within: true,
        description: 'Whether the point is in the service area of a community water system.',
        hints:
          'true: piped water is probably available. false: expect a private well, or one of some 5,000 systems that are not mapped. Many boundaries are modeled, so a rural edge can be wrong by a kilometer; ask the utility.',
        derivation: 'Point in any community water system polygon.',
      },
      water_system_name: {
        attribute: 'PWS_Name',
        description: 'Name of the community water system that serves the point.',
        hints:
          'In capitals. Where areas overlap, the system with the larger population served is named. Boundaries can be modeled.',
        derivation: 'PWS_Name; pick the largest Population_Served_Count.',
      },
      public_water_system_population_served: {
        attribute: 'Population_Served_Count',
        ...integer('count', [0, 20_000_000]),
        description: 'Number of people that the community water system at the point serves.',
        hints: 'As reported to the EPA. The system is that of water_system_name. A reported 0 counts as not reported.',
        read: { cast: 'integer', sentinels: [0] },
      },
      water_service_area_provenance: {
        attribute: 'Model_Method',
        description:
          'Whether the service area at the point was published by a utility or state, or modeled by the EPA.',
        hints: 'ml_modeled areas, some 43 percent, are estimates from buildings, parcels and places.',
        lifecycle: 'beta',
        enum: provenance,
        evidence:
          'open point: the texts of Model_Method are those that the publisher documents for its first edition; those of version 3 were not seen',
        read: {
          classes: {
            'State*': 'utility_sourced',
            'Census Place*': 'ml_modeled',
            'Decision Tree*': 'ml_modeled',
            'Random Forest*': 'ml_modeled',
            'Parcel*': 'ml_modeled',
            'OSM*': 'ml_modeled',
            'OpenStreetMap*': 'ml_modeled',
          },
        },
      },
    },
  ),
  ...nearest(
    { ...serviceAreas, thing: 'service area of a community water system', radii_m: [5_000, 50_000] },
    {
      nearest_water_service_area_distance_m: {
        distance: true,
        hints: 'To the edge of the area; 0 inside one. Says nothing about whether a main can be extended.',
        derivation:
          'Geodesic distance to the edge; 0 inside. Outlines from a network source are simplified to about 6 m, so the distance can be off by that much.',
      },
    },
  ),
  ...nearest(
    {
      ...serviceAreas,
      thing: 'community water system that serves more than 10,000 people',
      where: 'Population_Served_Count > 10000',
      radii_m: [10_000, 50_000],
    },
    {
      nearest_public_water_system_name: {
        of: 'Name of',
        attribute: 'PWS_Name',
        hints:
          'The system with the nearest service area, which can be in another state. No proof that it serves the place, see water_system_name.',
      },
    },
  ),
  ...polygonAtPoint(
    { ...sewersheds, thing: 'mapped sewershed' },
    {
      within_sewer_service_area: {
        within: true,
        description: 'Whether the point is in the area that drains to a publicly owned wastewater treatment plant.',
        hints:
          'true: sewers are probably near, no proof of a connection. false: expect a septic system, a private sewer, or one that is not mapped. Four areas of five are modeled.',
      },
      sewer_service_area_provider: {
        attribute: 'FACILITY_NAME',
        pattern: '[A-Za-z0-9]',
        description: 'Name of the wastewater treatment plant whose area contains the point.',
        hints: 'As the survey spells it, and never the nearest plant: see nearest_wastewater_plant_name.',
      },
      sewer_service_area_provenance: {
        attribute: 'Method',
        description: 'Whether the sewershed at the point was published by a utility or state, or modeled by the EPA.',
        hints: 'ml_modeled areas, four of five, are estimates in cells of some 0.1 km2.',
        enum: provenance,
        read: { classes: { Sourced: 'utility_sourced', Modeled: 'ml_modeled' } },
      },
    },
  ),
  ...nearest(
    { ...sewersheds, thing: 'mapped sewershed', radii_m: [5_000, 50_000] },
    {
      nearest_sewer_service_area_distance_m: {
        distance: true,
        hints: 'To the edge of the area; 0 inside one. Says nothing about whether a sewer can be extended.',
        derivation:
          'Geodesic distance to the edge; 0 inside. Outlines from a network source are simplified to about 6 m, so the distance can be off by that much.',
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      covers,
      dataset: 'epa_cwns_plants',
      thing: 'publicly owned wastewater treatment plant',
      where: "POPULATION_TYPE = 'Total Receiving Treatment'",
      radii_m: [10_000, 50_000],
    },
    {
      nearest_wastewater_plant_distance_m: {
        distance: true,
        hints: 'To the point of the plant. Odor matters within some hundred meters.',
      },
      nearest_wastewater_plant_name: {
        of: 'Name of',
        attribute: 'FACILITY_NAME',
        hints: 'As the survey spells it. The nearest plant is not always the one that serves the place.',
      },
      nearest_wastewater_plant_population_served: {
        of: 'Number of residents served by',
        attribute: 'TOTAL_RES_POPULATION_2022',
        ...integer('count', [0, 20_000_000]),
        read: { cast: 'integer' },
        hints: 'Includes systems that deliver their wastewater to the plant. A measure of size, not of free capacity.',
      },
    },
  ),
  ...nearest(
    { ...gages, thing: usgsGage, radii_m: gageRadii_m },
    {
      nearest_usgs_gage_distance_m: {
        distance: true,
        hints:
          'Active: it has a daily mean discharge of the last 7 days. Searched within 10 km; nearest_stream_gage_distance_m looks farther, for gages that report several times an hour. It can sit on another river.',
      },
      nearest_usgs_gage_id: {
        of: 'Identifier of',
        attribute: 'monitoring_location_id',
        pattern: '^[A-Z0-9]+-[0-9A-Za-z]',
        hints: 'Agency, hyphen and site number, such as USGS-08075900.',
      },
      nearest_usgs_gage_daily_discharge_cfs: {
        of: 'Last daily mean discharge at',
        attribute: 'value',
        ...float('ft3/s', 2, [-500_000, 5_000_000]),
        read: { cast: 'float' },
        hints:
          'Cubic feet per second, provisional, of the last day with a value; nearest_stream_gage_discharge_cfs is the latest reading. Can be negative where the tide turns a river.',
        derivation: 'Parameter 00060, statistic 00003, of the nearest latest-daily feature.',
      },
    },
  ),
  ...documentPath(
    {
      ...gages,
      dataset: 'usgs_waterdata_locations',
      root: '$.properties.',
      none: 'No active USGS streamgage within 10 km.',
      read: {
        key: 'monitoring_location_id',
        from: {
          monitoring_location_id: {
            dataset: gages.dataset,
            op: 'nearest_attribute',
            attribute: 'monitoring_location_id',
            search_radii_m: gageRadii_m,
          },
        },
      },
    },
    {
      nearest_usgs_gage_name: {
        path: 'monitoring_location_name',
        description: `Name of the nearest ${usgsGage}.`,
        hints: 'Stream and place in one text, as the USGS spells it.',
      },
    },
  ),
  ...nearest(
    {
      layer: shared.layer,
      evidence: documented,
      ttl_seconds: 86_400,
      dataset: 'usgs_waterdata_field_levels',
      thing: 'USGS well with a field measurement of its water level',
      radii_m: [10_000],
    },
    {
      nearest_groundwater_well_depth_to_water_m: {
        of: 'Last measured depth to water in',
        ...float('m', 2, [-100, 1_200]),
        read: { expression: 'value * 0.3048' },
        hints:
          'Meters below land surface; negative means that the well flows. The measurement can be decades old, see the vintage of the value. For wells that report continuously see nearest_monitoring_well_water_depth_ft.',
        derivation: 'The newest value of parameter 72019 in feet, times 0.3048.',
      },
    },
  ),
  ...tableRow(
    {
      ...shared,
      covers: ['conus'],
      ttl_seconds: 31_536_000,
      dataset: 'usgs_thermoelectric_water_use',
      key: 'huc12_code',
      none: 'The model has no row for the subwatershed.',
    },
    {
      huc12_thermoelectric_consumptive_use_m3_per_day: {
        read: { expression: 'tecuftot_mgd * 3785.411784' },
        ...float('m3/day', 2, [0, 10_000_000]),
        description: 'Fresh water that thermoelectric power plants in the subwatershed (HUC12) consume per day.',
        hints:
          'Modeled, for the calendar year 2020; older copies of this data use 2015. 0 where there is no such plant. Plants that use reclaimed or saline water are not included.',
        derivation: 'tecuftot_mgd, million gallons per day, times 3785.411784.',
      },
    },
  ),
  ...tableRow(
    {
      ...shared,
      covers: ['conus'],
      ttl_seconds: 31_536_000,
      dataset: 'usgs_water_supply_use_index',
      key: 'huc12_code',
      none: 'The model has no row for the subwatershed.',
    },
    {
      surface_water_supply_use_index_huc12: {
        read: { column: 'sui_frac', cast: 'float' },
        ...float('ratio', 4, [0, 1]),
        description: 'Index of the use of surface water against its supply in the subwatershed (HUC12).',
        hints:
          'From 0 (use does not limit supply) to 1 (all local water is used). Modeled, for the water year 2020; values of single months differ.',
      },
    },
  ),
  {
    name: 'domestic_well_households_per_km2',
    description: 'Households with a private well per square kilometer around the point.',
    interpretation_hints:
      'Modeled for census blocks of 2020. Households, not wells; 0 is an answer. It comes only from a pack.',
    layer: shared.layer,
    lifecycle: 'beta',
    ...float('households/km2', 2, [0, 10_000]),
    ttl_seconds: 31_536_000,
    null_meaning: 'Outside the 48 states, or the model has no value at the point.',
    derivation: 'Mean of the nine cells of 1 km around the point.',
    read: { dataset: 'usgs_self_supplied_households', op: 'window', cells: 3, method: 'mean_of_nine' },
    evidence: 'open point: the files of the data release were not seen, so it comes only from a pack',
  },
  ...computed(
    { ...shared, dataset: 'usgs_self_supplied_households', ttl_seconds: 31_536_000 },
    {
      domestic_well_household_density_class: {
        description: 'How many households with a private well there are around the point, in five classes.',
        hints:
          'none: 0; sparse: up to 1 household per km2; moderate: up to 10; dense: up to 50; very_dense: more. It comes only from a pack.',
        derivation: 'Classes of domestic_well_households_per_km2.',
        null_meaning: 'Outside the 48 states, or the model has no value at the point.',
        enum: ['none', 'sparse', 'moderate', 'dense', 'very_dense'],
        from: { homes: 'domestic_well_households_per_km2' },
        expression:
          "homes > 50 ? 'very_dense' : homes > 10 ? 'dense' : homes > 1 ? 'moderate' : homes > 0 ? 'sparse' : 'none'",
      },
    },
  ),
]
