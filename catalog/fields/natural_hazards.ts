import type { Field } from '../../src/catalog/records.ts'
import { documented, float, integer, polygonAtPoint, rasterSample, fieldsSharing } from '../families.ts'

const riskIndex = {
  dataset: 'fema_nri_tracts',
  layer: 'natural_hazards',
  lifecycle: 'stable',
  ttl_seconds: 2_592_000,
  evidence: documented,
  thing: 'census tract of the index',
} as const

const rating = {
  hints:
    "Ratings rank places against each other (Very Low to Very High) and are not probabilities. 'No Rating', 'Not Applicable' and 'Insufficient Data' in the source become null.",
  null_meaning:
    'No census tract at the point, or the source gives no rating (No Rating, Not Applicable, Insufficient Data).',
  enum: ['Very Low', 'Relatively Low', 'Relatively Moderate', 'Relatively High', 'Very High'],
}

const hazardCurve = { dataset: 'usgs_nshm_2023', op: 'path' } as const

const karstExposure = {
  E: 'exposed',
  B1: 'buried_under_thin_glacial_cover',
  B2: 'buried_under_thick_glacial_cover',
  B3: 'buried_under_insoluble_cover',
}

const shared = {
  layer: 'natural_hazards',
  lifecycle: 'stable',
  type: 'float',
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const natural_hazards: Field[] = fieldsSharing(shared, [
  {
    name: 'seismic_design_category',
    description: 'ASCE 7-22 seismic design category for risk category II and site class D.',
    interpretation_hints:
      'A (negligible) to F (near major faults, critical structures). D and above changes foundations and bracing. A geotechnical site class can change it.',
    type: 'string',
    unit: null,
    ttl_seconds: 7_776_000,
    null_meaning:
      'Outside the USGS hazard model regions. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands, Guam, American Samoa).',
    enum: ['A', 'B', 'C', 'D', 'E', 'F'],
    read: { dataset: 'usgs_designmaps_asce7_22', op: 'path', json_path: '$.response.data.sdc', absent_when: ['null'] },
  },
  {
    name: 'seismic_pga_2pct_50yr_g',
    description:
      'Peak ground acceleration that is exceeded with a chance of 2% in 50 years, on firm rock (USGS NSHM 2023).',
    interpretation_hints:
      'A hazard value on rock (VS30 760 m/s, site class BC, return period 2,475 years), not a design value: see peak_ground_acceleration_g. Below 0.1 low, above 0.6 very high.',
    lifecycle: 'beta',
    unit: 'g',
    decimals: 4,
    ttl_seconds: 7_776_000,
    null_meaning: 'Outside the coverage of the source (48 states and DC).',
    derivation: 'Level of the total hazard curve at the rate 0.00040405 a year, interpolated on logarithmic scales.',
    valid_range: [0, 5],
    read: {
      dataset: 'usgs_nshm_2023',
      op: 'computed',
      function: 'hazard_curve_level',
      arguments: { annual_rate: 0.00040405, measure: 'PGA', component: 'Total' },
      from: {
        levels: {
          ...hazardCurve,
          json_path: '$.response.hazardCurves[0].data[0].values.xs[*]',
          reducer: 'join',
          separator: ',',
        },
        rates: {
          ...hazardCurve,
          json_path: '$.response.hazardCurves[0].data[0].values.ys[*]',
          reducer: 'join',
          separator: ',',
        },
        measure: { ...hazardCurve, json_path: '$.response.hazardCurves[0].imt.value' },
        component: { ...hazardCurve, json_path: '$.response.hazardCurves[0].data[0].component' },
      },
    },
    evidence: documented,
  },
  {
    name: 'peak_ground_acceleration_g',
    description: 'ASCE 7-22 site-modified peak ground acceleration (PGAM) for site class D.',
    interpretation_hints:
      'Below 0.1 low, 0.2 to 0.5 moderate, above 0.6 very high. A design-level motion, not a forecast.',
    unit: 'g',
    decimals: 3,
    ttl_seconds: 7_776_000,
    null_meaning:
      'Outside the USGS hazard model regions. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands, Guam, American Samoa).',
    valid_range: [0, 5],
    read: { dataset: 'usgs_designmaps_asce7_22', op: 'path', json_path: '$.response.data.pgam', absent_when: ['null'] },
  },
  {
    name: 'design_spectral_acceleration_short_g',
    description: 'ASCE 7-22 design spectral acceleration at short periods (SDS).',
    interpretation_hints: 'Governs low, stiff buildings. Above 0.5 is high.',
    unit: 'g',
    decimals: 3,
    ttl_seconds: 7_776_000,
    null_meaning:
      'Outside the USGS hazard model regions. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands, Guam, American Samoa).',
    valid_range: [0, 5],
    read: { dataset: 'usgs_designmaps_asce7_22', op: 'path', json_path: '$.response.data.sds', absent_when: ['null'] },
  },
  {
    name: 'design_spectral_acceleration_1s_g',
    description: 'ASCE 7-22 design spectral acceleration at one second (SD1).',
    interpretation_hints: 'Governs tall, flexible buildings. Above 0.3 is high.',
    unit: 'g',
    decimals: 3,
    ttl_seconds: 7_776_000,
    null_meaning:
      'Outside the USGS hazard model regions. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands, Guam, American Samoa).',
    valid_range: [0, 5],
    read: { dataset: 'usgs_designmaps_asce7_22', op: 'path', json_path: '$.response.data.sd1', absent_when: ['null'] },
  },
  {
    name: 'nearest_fault_name',
    description: 'Name of the nearest Quaternary fault within 100 km.',
    interpretation_hints:
      'Faults known or thought to have moved in the last 1.6 million years; most rupture rarely. Naming can be broad (a fault zone). Absence in the eastern states mostly reflects missing study, not missing hazard. Read the name together with nearest_fault_distance_m and nearest_fault_age.',
    type: 'string',
    unit: null,
    null_meaning:
      'No mapped Quaternary fault within 100 km, or the nearest one has no name. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Nearest line by geodesic distance, searched within 50 km, then 100 km.',
    read: {
      dataset: 'usgs_qfaults',
      op: 'nearest_attribute',
      attribute: 'fault_name',
      search_radii_m: [50_000, 100_000],
    },
  },
  {
    name: 'nearest_fault_distance_m',
    description: 'Distance to the nearest mapped Quaternary fault trace within 100 km.',
    interpretation_hints:
      'Under 15 m (50 ft): inside the setback from active faults that is usual in California. Under 1 km: ask for a site study. Traces are mapped at 1:24,000 to 1:250,000, so short distances are uncertain by tens to hundreds of meters. Not a measure of shaking hazard.',
    unit: 'm',
    decimals: 1,
    null_meaning:
      'No mapped Quaternary fault within 100 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Geodesic distance to the nearest line, searched within 50 km, then 100 km.',
    valid_range: [0, 100_000],
    read: { dataset: 'usgs_qfaults', op: 'nearest_distance', search_radii_m: [50_000, 100_000] },
  },
  {
    name: 'nearest_fault_age',
    description: 'Age class of the last movement of the nearest Quaternary fault.',
    interpretation_hints:
      "historic, latest Quaternary, late Quaternary, middle and late Quaternary, undifferentiated Quaternary or class B. Historic and latest Quaternary (under 15,000 years) are the active ones; undifferentiated Quaternary can be much older. For 'class B' it is not shown that earthquakes moved the fault in the Quaternary.",
    type: 'string',
    unit: null,
    pattern: '[a-z]',
    null_meaning:
      'No mapped Quaternary fault within 100 km, or the nearest one has no age class. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    read: {
      dataset: 'usgs_qfaults',
      op: 'nearest_attribute',
      attribute: 'age',
      sentinels: ['unspecified'],
      stand_ins: { 'Late Quaternary': 'late Quaternary' },
      search_radii_m: [50_000, 100_000],
    },
  },
  {
    name: 'earthquakes_within_100km_count',
    description: 'Number of magnitude 4 and larger earthquakes within 100 km since 1975.',
    interpretation_hints:
      'Counts include aftershocks and induced events. Catalog completeness for M4 is good over the US in this period. Explosions, quarry blasts and other events do not count.',
    type: 'integer',
    unit: 'count',
    ttl_seconds: 86_400,
    null_meaning: null,
    valid_range: [0, 1_000_000],
    read: { dataset: 'usgs_fdsn_event', op: 'path', json_path: '$.count', cast: 'integer' },
  },
  {
    name: 'within_mapped_landslide',
    description: 'True when the point lies inside a mapped landslide polygon of the USGS national inventory.',
    interpretation_hints:
      'The inventory joins state and federal maps of very uneven completeness: false is weak evidence. Only records of confidence 3 (likely) and more are used.',
    type: 'boolean',
    unit: null,
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    read: {
      dataset: 'usgs_landslide_poly',
      op: 'within',
      attribute: 'Confidence',
      true_values: [3, 5, 8],
      false_values: [1, 2],
      none: false,
    },
  },
  {
    name: 'landslides_within_10km_count',
    description: 'Number of inventoried landslide points within 10 km.',
    interpretation_hints: 'High counts often reflect good mapping (Oregon, Washington, Kentucky) as much as hazard.',
    type: 'integer',
    unit: 'count',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 1_000_000],
    read: { dataset: 'usgs_landslide_point', op: 'count', radius_m: 10_000 },
  },
  {
    name: 'nearest_landslide_distance_m',
    description: 'Distance to the nearest inventoried landslide point within 25 km.',
    interpretation_hints: 'Points mark the feature center; long slides reach further.',
    unit: 'm',
    decimals: 1,
    null_meaning:
      'No inventoried landslide within 25 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 25_000],
    read: { dataset: 'usgs_landslide_point', op: 'nearest_distance', search_radii_m: [10_000, 25_000] },
  },
  ...rasterSample(
    {
      dataset: 'usgs_landslide_susceptibility',
      layer: 'natural_hazards',
      ttl_seconds: 31_536_000,
      evidence: documented,
      covers: ['conus', 'pr'],
      none: 'Open water, or a cell without a value.',
      read: { nodata: [255, 2_147_483_647] },
    },
    {
      landslide_susceptibility_index: {
        description:
          'USGS landslide susceptibility (2024): how many of the 81 cells of 10 m in the 90 m cell are susceptible.',
        hints:
          '0: the cell is not susceptible. 81: all of it is. By slope and relief only, without soil, rain or cuts.',
        ...integer('index', [0, 81]),
      },
    },
  ),
  ...polygonAtPoint(
    {
      dataset: 'noaa_asce_wind',
      layer: 'natural_hazards',
      ttl_seconds: 31_536_000,
      evidence: 'open point: the number and the name of the layer for the return period of 700 years were not seen',
      thing: 'mapped band',
    },
    {
      design_wind_speed_mph: {
        attribute: 'gridcode',
        description: 'Basic design wind speed of ASCE 7-22 for risk category II.',
        hints:
          'A gust of 3 seconds in open country (exposure C), return period 700 years. Bands of the maps: the local code can require more, and special wind regions need a study.',
        ...float('mph', 0, [50, 250]),
        null_meaning: 'Outside the mapped area, such as offshore.',
      },
    },
  ),
  {
    name: 'tornadoes_within_40km_count',
    description: 'Number of tornado tracks since 1950 that pass within 40 km.',
    interpretation_hints:
      '40 km (25 miles) is the usual climatology radius. Reporting improved over time, so weak tornadoes of early decades are missing.',
    type: 'integer',
    unit: 'count',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 10_000],
    read: { dataset: 'noaa_spc_tornado', op: 'count', radius_m: 40_000 },
  },
  {
    name: 'max_tornado_ef_within_40km',
    description: 'Highest F or EF rating of the tornado tracks within 40 km since 1950.',
    interpretation_hints: '0 to 5. Ratings before 2007 use the old F scale. -9 in the source (unknown) is ignored.',
    type: 'integer',
    unit: 'class',
    null_meaning:
      'No rated tornado track within 40 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 5],
    read: {
      dataset: 'noaa_spc_tornado',
      op: 'aggregate',
      attribute: 'mag',
      where: 'mag >= 0',
      reducer: 'max',
      radius_m: 40_000,
    },
  },
  {
    name: 'nearest_tornado_track_distance_m',
    description: 'Distance to the nearest tornado track since 1950, searched within 100 km.',
    interpretation_hints: 'Tracks are straight lines from touchdown to end point; real paths bend.',
    unit: 'm',
    decimals: 0,
    null_meaning:
      'No tornado track within 100 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 100_000],
    read: { dataset: 'noaa_spc_tornado', op: 'nearest_distance', search_radii_m: [2_000, 10_000, 50_000, 100_000] },
  },
  {
    name: 'hail_reports_within_40km_count',
    description: 'Number of severe hail reports (1 inch or larger) within 40 km since 2010.',
    interpretation_hints: 'Reports follow population: rural counts are low.',
    type: 'integer',
    unit: 'count',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 100_000],
    read: { dataset: 'noaa_spc_hail', op: 'count', where: 'yr >= 2010 AND mag >= 1.0', radius_m: 40_000 },
  },
  {
    name: 'max_hail_size_within_40km_cm',
    description: 'Largest hail size reported within 40 km since 1955.',
    interpretation_hints:
      '4.4 cm (golf ball) dents cars, 7 cm breaks roofs. A single report, often an estimate by comparison.',
    unit: 'cm',
    decimals: 2,
    null_meaning:
      'No hail report within 40 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Inches x 2.54.',
    valid_range: [0, 60],
    read: {
      dataset: 'noaa_spc_hail',
      op: 'aggregate',
      attribute: 'mag',
      reducer: 'max',
      radius_m: 40_000,
      scale: 2.54,
    },
  },
  {
    name: 'severe_wind_reports_within_40km_count',
    description: 'Number of severe thunderstorm wind reports within 40 km since 2010.',
    interpretation_hints: 'Includes damage reports with estimated speeds; not a measured wind climatology.',
    lifecycle: 'beta',
    type: 'integer',
    unit: 'count',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 100_000],
    read: { dataset: 'noaa_spc_wind', op: 'count', where: 'yr >= 2010', radius_m: 40_000 },
  },
  {
    name: 'hurricanes_within_100km_count',
    description:
      'Number of tropical cyclones of hurricane strength (64 kt or more) whose center passed within 100 km since 1950.',
    interpretation_hints:
      'Damaging winds can reach more than 100 km from the center, so 0 inland does not exclude damage.',
    type: 'integer',
    unit: 'count',
    null_meaning:
      'Outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands).',
    valid_range: [0, 10_000],
    read: {
      dataset: 'noaa_ibtracs',
      op: 'count',
      where: 'USA_WIND >= 64 AND SEASON >= 1950',
      radius_m: 100_000,
      distinct: 'SID',
    },
  },
  {
    name: 'max_hurricane_wind_within_100km_m_s',
    description: 'Highest best-track sustained wind of a tropical cyclone center within 100 km since 1950.',
    interpretation_hints:
      '33 m/s is hurricane strength, 50 m/s category 3. It is the storm maximum, not the wind at the point.',
    unit: 'm/s',
    decimals: 1,
    null_meaning:
      'No tropical cyclone within 100 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands).',
    derivation: 'Knots x 0.514444.',
    valid_range: [0, 150],
    read: {
      dataset: 'noaa_ibtracs',
      op: 'aggregate',
      attribute: 'USA_WIND',
      where: 'SEASON >= 1950',
      reducer: 'max',
      radius_m: 100_000,
      scale: 0.514444,
    },
  },
  {
    name: 'nearest_volcano_name',
    description: 'Name of the nearest Holocene volcano.',
    interpretation_hints: 'Volcanoes with known or likely activity in the last 12,000 years; most are dormant.',
    type: 'string',
    unit: null,
    null_meaning: 'No Holocene volcano within 500 km.',
    read: {
      dataset: 'gvp_holocene_volcanoes',
      op: 'nearest_attribute',
      attribute: 'Volcano_Name',
      search_radii_m: [2_000, 10_000, 50_000, 500_000],
    },
  },
  {
    name: 'nearest_volcano_distance_m',
    description: 'Distance to the nearest Holocene volcano.',
    interpretation_hints: 'Ashfall reaches hundreds of kilometers; lava and mudflows stay within tens.',
    unit: 'm',
    decimals: 0,
    null_meaning: 'No Holocene volcano within 500 km.',
    valid_range: [0, 500_000],
    read: {
      dataset: 'gvp_holocene_volcanoes',
      op: 'nearest_distance',
      search_radii_m: [2_000, 10_000, 50_000, 500_000],
    },
  },
  ...polygonAtPoint(
    {
      dataset: 'usgs_karst',
      layer: 'natural_hazards',
      ttl_seconds: 7_776_000,
      evidence: documented,
      thing: 'karst area',
      covers: ['conus'],
    },
    {
      karst_type: {
        attribute: 'KARST_TYPE',
        description: 'Collapse process of the karst or pseudokarst unit mapped at the point.',
        hints:
          'Where units overlap, evaporite comes first: it dissolves faster and collapses more suddenly than carbonate rock. Volcanic and piping units are pseudokarst: lava tubes and washed-out sediment. Thermokarst is in Alaska only, which is not covered.',
        derivation: 'The layer of the map.',
        enum: [
          'carbonate',
          'evaporite',
          'sandstone_solution',
          'volcanic_pseudokarst',
          'piping_pseudokarst',
          'thermokarst',
        ],
        read: { pick: ['KARST_TYPE rank evaporite,carbonate'] },
      },
      karst_exposure_class: {
        attribute: 'Exposure',
        description: 'How deep the soluble rock of the karst unit at the point lies below the surface.',
        hints:
          'exposed; buried_under_insoluble_cover (less than 300 ft); buried_under_thin_glacial_cover (50 ft or less); buried_under_thick_glacial_cover (more than 50 ft), where sinkholes are rare.',
        null_meaning:
          'The point is in no karst area, or in pseudokarst, which has no soluble rock. Also null outside the coverage of the source (48 states and DC).',
        enum: Object.values(karstExposure),
        evidence: 'open point: the codes B1 and B3 were not seen with their meaning; E and B2 were',
        read: { pick: ['KARST_TYPE rank evaporite,carbonate'], classes: karstExposure },
      },
    },
  ),
  ...polygonAtPoint(riskIndex, {
    nri_risk_score: {
      attribute: 'RISK_SCORE',
      description: 'FEMA National Risk Index composite score of the census tract.',
      hints:
        '0 to 100, a national percentile among tracts. It mixes hazard, value at stake, vulnerability and resilience, so a dense city scores high.',
      ...float('index', 3, [0, 100]),
    },
    nri_risk_rating: {
      attribute: 'RISK_RATNG',
      description: 'FEMA National Risk Index composite rating of the census tract.',
      ...rating,
    },
    nri_expected_annual_loss_usd: {
      attribute: 'EAL_VALT',
      description: 'Expected annual loss of the census tract from all 18 hazards.',
      hints:
        'Losses of buildings and agriculture, and losses of life converted to dollars, per year. For the whole tract, not per property.',
      ...float('USD/year', 2, [0, 2_000_000_000]),
    },
    nri_social_vulnerability_score: {
      attribute: 'SOVI_SCORE',
      description: 'FEMA National Risk Index social vulnerability score of the census tract.',
      hints: '0 to 100; higher means residents are less able to cope.',
      ...float('index', 3, [0, 100]),
    },
    nri_community_resilience_score: {
      attribute: 'RESL_SCORE',
      description: 'FEMA National Risk Index community resilience score of the census tract.',
      hints:
        '0 to 100; higher means better able to recover. The source has county values and repeats them for each tract.',
      ...float('index', 3, [0, 100]),
    },
    nri_wildfire_risk_rating: {
      attribute: 'WFIR_RISKR',
      description: 'FEMA National Risk Index wildfire rating of the census tract.',
      ...rating,
    },
    nri_hurricane_risk_rating: {
      attribute: 'HRCN_RISKR',
      description: 'FEMA National Risk Index hurricane rating of the census tract.',
      ...rating,
    },
    nri_tornado_risk_rating: {
      attribute: 'TRND_RISKR',
      description: 'FEMA National Risk Index tornado rating of the census tract.',
      ...rating,
    },
    nri_hail_risk_rating: {
      attribute: 'HAIL_RISKR',
      description: 'FEMA National Risk Index hail rating of the census tract.',
      ...rating,
    },
    nri_strong_wind_risk_rating: {
      attribute: 'SWND_RISKR',
      description: 'FEMA National Risk Index strong wind rating of the census tract.',
      ...rating,
    },
    nri_earthquake_risk_rating: {
      attribute: 'ERQK_RISKR',
      description: 'FEMA National Risk Index earthquake rating of the census tract.',
      ...rating,
    },
    nri_landslide_risk_rating: {
      attribute: 'LNDS_RISKR',
      description: 'FEMA National Risk Index landslide rating of the census tract.',
      ...rating,
    },
    nri_inland_flood_risk_rating: {
      attribute: 'IFLD_RISKR',
      description: 'FEMA National Risk Index inland flooding rating of the census tract.',
      ...rating,
      hints:
        "Ratings rank places against each other (Very Low to Very High) and are not probabilities. 'No Rating', 'Not Applicable' and 'Insufficient Data' in the source become null. Version 1.20 replaced riverine flooding (RFLD) with inland flooding (IFLD).",
    },
    nri_drought_risk_rating: {
      attribute: 'DRGT_RISKR',
      description: 'FEMA National Risk Index drought rating of the census tract.',
      ...rating,
    },
    nri_heat_wave_risk_rating: {
      attribute: 'HWAV_RISKR',
      description: 'FEMA National Risk Index heat wave rating of the census tract.',
      ...rating,
    },
    wildfire_annual_frequency: {
      attribute: 'WFIR_AFREQ',
      description: 'Wildfire events a year in the census tract, FEMA National Risk Index.',
      hints: 'Modeled from burn probability. 0.01 is one in 100 years.',
      ...float('events/year', 9, [0, 0.3]),
      lifecycle: 'beta',
    },
    tornado_annual_frequency: {
      attribute: 'TRND_AFREQ',
      description: 'Tornado events a year in the census tract, FEMA National Risk Index.',
      hints: 'Reports since 1986, spread over the neighborhood. A tract is small, so values are far below 1.',
      ...float('events/year', 9, [0, 10]),
      lifecycle: 'beta',
    },
    hail_annual_frequency: {
      attribute: 'HAIL_AFREQ',
      description: 'Hail events a year in the census tract, FEMA National Risk Index.',
      hints: 'Severe hail on record, which follows population.',
      ...float('events/year', 9, [0, 50]),
      lifecycle: 'beta',
    },
    lightning_annual_flash_days: {
      attribute: 'LTNG_AFREQ',
      description: 'Days with lightning a year in the census tract, FEMA National Risk Index.',
      hints: 'It counts days, not flashes, in spite of its name.',
      ...float('days', 3, [0, 250]),
      lifecycle: 'beta',
    },
  }),
  {
    name: 'disaster_declarations_10y_count',
    description:
      'Number of distinct federal disaster declarations for the county or its whole state in the last ten years.',
    interpretation_hints:
      'Includes storms, fires and emergencies such as COVID-19 in 2020. One disaster counts once even when several programs were declared.',
    type: 'integer',
    unit: 'count',
    ttl_seconds: 86_400,
    null_meaning: 'The county could not be resolved.',
    valid_range: [0, 1000],
    read: {
      dataset: 'openfema_declarations',
      op: 'path',
      key: 'county_fips',
      json_path: '$.DisasterDeclarationsSummaries[*].disasterNumber',
      absent_when: ['empty'],
      cast: 'integer',
      reducer: 'count_distinct',
    },
  },
])
