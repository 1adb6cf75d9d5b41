import type { Field } from '../../src/catalog/records.ts'
import { airStandard, bySeverity, designValue } from '../families-subjects.ts'
import { documented, nearest, polygonAtPoint, fieldsSharing } from '../families.ts'

const greenBook = {
  dataset: 'epa_nonattainment',
  layer: 'air_quality',
  ttl_seconds: 604_800,
  evidence: documented,
  thing: 'such area of a standard in force',
}
const nonattainment = "current_status = 'Nonattainment'"
const maintenance = "current_status = 'Maintenance'"

const designValues = { layer: 'air_quality', ttl_seconds: 2_592_000, evidence: documented, radii_m: [50_000, 100_000] }
/** The newest of three years in which a monitor within 100 km has a value. `{year}` is the current year. */
const valueOfYears = {
  where: "DVYearText = '{year-1}' AND design_value IS NOT NULL",
  else_where: [
    "DVYearText = '{year-2}' AND design_value IS NOT NULL",
    "DVYearText = '{year-3}' AND design_value IS NOT NULL",
  ],
}

const shared = {
  layer: 'air_quality',
  lifecycle: 'stable',
  type: 'float',
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const air_quality: Field[] = fieldsSharing(shared, [
  {
    name: 'air_quality_index_current',
    description:
      'Current US air quality index at the nearest AirNow reporting area, the highest of ozone, PM2.5 and PM10.',
    spoken: 'the current US air quality index',
    interpretation_hints:
      '0-50 good, 51-100 moderate, 101-150 unhealthy for sensitive groups, above 150 unhealthy. Hourly NowCast, preliminary data.',
    type: 'integer',
    unit: 'index',
    ttl_seconds: 3_600,
    null_meaning:
      'No reporting monitor within 50 miles, or none of its readings is valid. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 2_000],
    read: {
      dataset: 'airnow_current',
      op: 'path',
      json_path: '$[*].nowcastAQI',
      reducer: 'max',
      sentinels: [-1, -999],
    },
  },
  {
    name: 'pm25_current_ug_m3',
    description: 'Modeled current PM2.5 at the point (CAMS through Open-Meteo).',
    interpretation_hints:
      'A roughly 10 to 40 km model cell, not a monitor; it misses local smoke plumes and roads. WHO annual guideline 5, US annual standard 9.',
    lifecycle: 'beta',
    unit: 'ug/m3',
    decimals: 1,
    ttl_seconds: 3_600,
    null_meaning: 'The model has no value for the hour.',
    valid_range: [0, 2_000],
    read: { dataset: 'open_meteo_air_quality', op: 'path', json_path: '$.current.pm2_5', absent_when: ['null'] },
  },
  {
    name: 'ozone_current_ug_m3',
    description: 'Modeled current ground-level ozone at the point (CAMS through Open-Meteo).',
    interpretation_hints: '140 ug/m3 is about the US 8-hour standard of 70 ppb. Peaks on hot afternoons.',
    lifecycle: 'beta',
    unit: 'ug/m3',
    decimals: 1,
    ttl_seconds: 3_600,
    null_meaning: 'The model has no value for the hour.',
    valid_range: [0, 1_000],
    read: { dataset: 'open_meteo_air_quality', op: 'path', json_path: '$.current.ozone', absent_when: ['null'] },
  },
  {
    name: 'pm25_annual_mean_ug_m3',
    description: 'Annual mean PM2.5 of the nearest EPA monitor within 50 km, newest complete year.',
    interpretation_hints:
      'Measured, unlike the modeled current value. The US annual standard is 9 ug/m3. Complex terrain can make the nearest monitor unrepresentative.',
    unit: 'ug/m3',
    decimals: 2,
    ttl_seconds: 2_592_000,
    null_meaning:
      'No complete PM2.5 monitor within 50 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 200],
    read: {
      dataset: 'epa_aqs_annual',
      op: 'nearest_attribute',
      attribute: 'Arithmetic Mean',
      where:
        "\"Parameter Code\" = '88101' AND \"Completeness Indicator\" = 'Y' AND \"Pollutant Standard\" LIKE 'PM25 Annual%' AND \"Event Type\" IN ('No Events', 'Events Included')",
      search_radii_m: [2_000, 10_000, 50_000],
      cast: 'float',
    },
  },
  {
    name: 'nearest_air_monitor_distance_m',
    description: 'Distance to the nearest EPA PM2.5 monitor that reported in the newest year.',
    interpretation_hints: 'Says how far pm25_annual_mean_ug_m3 is extrapolated.',
    unit: 'm',
    decimals: 1,
    ttl_seconds: 2_592_000,
    null_meaning:
      'No monitor within 200 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 200_000],
    read: {
      dataset: 'epa_aqs_annual',
      op: 'nearest_distance',
      where: '"Parameter Code" = \'88101\'',
      search_radii_m: [2_000, 10_000, 50_000, 200_000],
    },
  },
  {
    name: 'within_ozone_nonattainment_area',
    description: 'True when the point lies in an area designated nonattainment for the 2015 8-hour ozone standard.',
    interpretation_hints: 'Maintenance areas count as false. Nonattainment triggers stricter air permits.',
    type: 'boolean',
    unit: null,
    ttl_seconds: 604_800,
    null_meaning: null,
    read: {
      dataset: 'epa_nonattainment_ozone_2015',
      op: 'within',
      attribute: 'current_status',
      true_values: ['Nonattainment'],
      false_values: ['Maintenance'],
      none: false,
    },
  },
  {
    name: 'ozone_nonattainment_classification',
    description: 'Classification of the ozone nonattainment area that contains the point (Marginal to Extreme).',
    interpretation_hints: 'Higher classes mean lower permit thresholds.',
    type: 'string',
    unit: null,
    pattern: '^(Marginal|Moderate|Serious|Severe|Extreme)',
    ttl_seconds: 604_800,
    null_meaning: 'The point is not in a 2015 ozone nonattainment area.',
    read: {
      dataset: 'epa_nonattainment_ozone_2015',
      op: 'attribute',
      attribute: 'classification',
      where: "current_status = 'Nonattainment'",
    },
  },
  {
    name: 'within_pm25_nonattainment_area',
    description:
      'True when the point lies in an area designated nonattainment for a PM2.5 standard (2012 annual or 2006 24-hour).',
    interpretation_hints: 'Designations for the 2024 annual standard of 9 ug/m3 are not in these layers.',
    type: 'boolean',
    unit: null,
    ttl_seconds: 604_800,
    null_meaning: null,
    read: {
      dataset: 'epa_nonattainment_pm25',
      op: 'within',
      attribute: 'current_status',
      true_values: ['Nonattainment'],
      false_values: ['Maintenance'],
      none: false,
    },
  },
  {
    name: 'radon_zone',
    description: 'EPA radon zone (1 to 3) of the county.',
    interpretation_hints:
      'Zone 1 has a predicted average indoor level above 4 pCi/L, zone 2 between 2 and 4, zone 3 below 2. Homes vary within a zone; only a test shows the level of one home.',
    type: 'integer',
    unit: 'class',
    ttl_seconds: 7_776_000,
    null_meaning:
      'County not in the EPA table (territories, renamed counties). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [1, 3],
    read: {
      dataset: 'epa_radon_zones',
      op: 'row',
      key: ['political_region', 'county'],
      column: 'Zone',
      cast: 'integer',
    },
  },
  ...polygonAtPoint(greenBook, {
    in_air_quality_nonattainment: {
      within: true,
      description: 'Whether the point is in an EPA nonattainment area of an air standard in force.',
      hints:
        'Ozone, PM2.5, PM10, carbon monoxide, lead, sulfur dioxide and nitrogen dioxide. Nonattainment means stricter air permits. A maintenance area alone is false.',
      read: {
        attribute: 'current_status',
        true_values: ['Nonattainment'],
        false_values: ['Maintenance'],
        none: false,
      },
    },
    in_air_quality_maintenance: {
      within: true,
      description: 'Whether the point is in an EPA maintenance area of an air standard in force.',
      hints: 'A former nonattainment area with a maintenance plan. A nonattainment area alone is false.',
      read: {
        attribute: 'current_status',
        true_values: ['Maintenance'],
        false_values: ['Nonattainment'],
        none: false,
      },
    },
    air_quality_nonattainment_pollutants: {
      pattern: '[A-Za-z]',
      attribute: 'pollutant_name',
      description: 'Pollutants, with their standards, whose EPA nonattainment area contains the point.',
      hints: 'Names of the Green Book, such as "8-Hour Ozone (2015 Standard)", separated by commas.',
      read: { where: nonattainment, reducer: 'distinct_join', separator: ',' },
    },
    air_quality_maintenance_pollutants: {
      pattern: '[A-Za-z]',
      attribute: 'pollutant_name',
      description: 'Pollutants, with their standards, whose EPA maintenance area contains the point.',
      hints: 'Names of the Green Book, such as "8-Hour Ozone (2008 Standard)", separated by commas.',
      read: { where: maintenance, reducer: 'distinct_join', separator: ',' },
    },
    air_quality_worst_classification: {
      pattern: '[a-z]',
      attribute: 'classification',
      description: 'Most severe class of the ozone and carbon monoxide nonattainment areas at the point.',
      hints: 'Extreme, Severe, Serious, Moderate or Marginal. Higher classes mean lower permit thresholds.',
      derivation: 'Severe 15 and Severe 17 of the Green Book are Severe. Areas of other pollutants do not count.',
      null_meaning: 'The point is in no ozone or carbon monoxide nonattainment area that has a class.',
      read: {
        where: `(pollutant_name LIKE '%Ozone%' OR pollutant_name LIKE 'Carbon Monoxide%') AND ${nonattainment}`,
        ...bySeverity,
      },
    },
  }),
  ...airStandard(greenBook, {
    ozone: {
      pollutant: 'ozone',
      like: '%Ozone%',
      hints:
        'The 8-hour standards of 2008 and 2015; the more severe area counts. Classes: Extreme, Severe, Serious, Moderate, Marginal.',
    },
    pm25: {
      pollutant: 'PM2.5',
      like: 'PM-2.5%',
      hints: 'The standards of 1997, 2006 and 2012, not the annual standard of 2024. Classes: Serious, Moderate.',
    },
    pm10: { pollutant: 'PM10', like: 'PM-10%', hints: 'The standard of 1987. Classes: Serious, Moderate.' },
    co: {
      pollutant: 'carbon monoxide',
      like: 'Carbon Monoxide%',
      hints: 'The standard of 1971. Classes: Serious, Moderate.',
    },
    lead: { pollutant: 'lead', like: 'Lead%', hints: 'The standard of 2008. Its areas have no classes.' },
    so2: {
      pollutant: 'sulfur dioxide',
      like: 'Sulfur Dioxide%',
      hints: 'The standard of 2010. Its areas have no classes.',
    },
    no2: {
      pollutant: 'nitrogen dioxide',
      like: 'Nitrogen Dioxide%',
      hints: 'The standard of 1971. Its areas have no classes.',
    },
  }),
  ...designValue({ ...designValues, ...valueOfYears, dataset: 'epa_design_values_no2_1hr' }, 'ppb', {
    prefix: 'no2_1hr',
    pollutant: '1-hour NO2',
    value: 'design_value',
    site: 'AQSID',
    hints: 'The 98th percentile of the daily maxima, mean of three years. The standard is 100 ppb.',
  }),
  ...designValue({ ...designValues, ...valueOfYears, dataset: 'epa_design_values_no2_annual' }, 'ppb', {
    prefix: 'no2_annual',
    pollutant: 'annual NO2',
    value: 'design_value',
    site: 'AQSID',
    hints: 'The mean of one year. The standard is 53 ppb.',
  }),
  ...designValue(
    {
      ...designValues,
      dataset: 'epa_design_values_pm25_24hr',
      where: "DVYearText = '{year-1}' AND daily_design_value IS NOT NULL AND dv_validity_ind = 'Y'",
      else_where: [
        "DVYearText = '{year-2}' AND daily_design_value IS NOT NULL AND dv_validity_ind = 'Y'",
        "DVYearText = '{year-3}' AND daily_design_value IS NOT NULL AND dv_validity_ind = 'Y'",
      ],
    },
    'ugm3',
    {
      prefix: 'pm25_24hr',
      pollutant: '24-hour PM2.5',
      value: 'daily_design_value',
      site: 'AQSID',
      hints: 'The 98th percentile of the daily means, mean of three years. The standard is 35 ug/m3.',
    },
  ),
  ...designValue(
    {
      ...designValues,
      dataset: 'epa_design_values_pm25_annual',
      where: "DVYearText = '{year-1}' AND design_value IS NOT NULL AND dv_validity_ind = 'Y'",
      else_where: [
        "DVYearText = '{year-2}' AND design_value IS NOT NULL AND dv_validity_ind = 'Y'",
        "DVYearText = '{year-3}' AND design_value IS NOT NULL AND dv_validity_ind = 'Y'",
      ],
    },
    'ugm3',
    {
      prefix: 'pm25_annual',
      valid_range: [0, 100],
      pollutant: 'annual PM2.5',
      value: 'design_value',
      site: 'AQSID',
      hints: 'The mean of three yearly means. The standard is 9.0 ug/m3.',
    },
  ),
  ...nearest(
    {
      dataset: 'epa_class_i_areas',
      layer: 'air_quality',
      ttl_seconds: 7_776_000,
      evidence: documented,
      thing: 'mandatory Class I area',
      radii_m: [50_000, 150_000, 300_000],
    },
    {
      nearest_class_i_area_name: {
        attribute: 'NAME',
        of: 'Name of',
        hints:
          'The short form of the EPA list, such as "Shenandoah NP". The list has the national parks above 6,000 acres and the wilderness areas above 5,000 acres of 1977.',
      },
      nearest_class_i_area_distance_m: {
        distance: true,
        hints:
          'Federal land managers review large new sources of air pollution within about 100 km, also up to 300 km.',
        derivation:
          'Geodesic distance to the edge; 0 inside. Outlines from a network source are simplified to about 55 m, so the distance can be off by that much.',
      },
      nearest_class_i_area_agency: {
        pattern: '[A-Z]',
        attribute: 'AGENCY',
        of: 'Federal agency in charge of',
        hints: 'USDI-NPS (parks), USDA-FS (forests), USDI-FWS (wildlife) or BIA (tribes).',
      },
    },
  ),
  ...polygonAtPoint(
    {
      dataset: 'carb_air_districts',
      layer: 'air_quality',
      ttl_seconds: 5_184_000,
      evidence: documented,
      thing: 'air district',
    },
    {
      air_district_name: {
        attribute: 'NAME',
        description: 'Name of the California air district at the point.',
        hints:
          'Short names, such as "South Coast" and "Bay Area". The district issues air permits. Lines of March 2004.',
        null_meaning: 'Outside California, or in no air district.',
        read: { skip_when: "state && state != 'CA'", from: { state: 'state' } },
      },
    },
  ),
])
