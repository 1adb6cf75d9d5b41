import type { Field, FallbackSpec } from '../../src/catalog/records.ts'
import type { Region } from '../../src/model/place.ts'
import { computed, documentPath, documented, float, nearest, rasterSample, fieldsSharing } from '../families.ts'

const solar = { layer: 'energy_resource', ttl_seconds: 7_776_000, lifecycle: 'stable', evidence: documented } as const

const typicalYear = {
  dataset: 'nlr_nsrdb_tmy',
  layer: 'energy_resource',
  ttl_seconds: 31_536_000,
  evidence: documented,
  root: '$.statistics',
  none: 'The source has no typical year here.',
  covers: ['conus', 'hi', 'pr', 'vi'] as Region[],
}
const hourOfYear = { dataset: 'nlr_nsrdb_tmy', op: 'path' } as const
/** From the mean of the hours in W/m2. */
const perDay = { expression: 'value * 0.024' }

const withoutPack = { when: ['failed', 'outside_coverage'], op: 'path' } satisfies Partial<FallbackSpec>

const windHints =
  'Below 6 poor, 6.5 to 7.5 usable with modern turbines, above 8 excellent. A 2 km model mean: ridges and valleys inside the cell differ by 1 m/s or more.'
const windSpeed = { layer: 'energy_resource', ttl_seconds: 7_776_000, evidence: documented } as const
const windGrid = {
  ...windSpeed,
  none: 'Outside the WIND Toolkit grid (Alaska, Hawaii, territories).',
  read: { resampling: 'bilinear' as const, nodata: [0] },
}

/** The cells of the supply curve are 11.5 km wide, so a place in a cell is at most 8.2 km from its center. */
const nearestSupplyPoint = {
  dataset: 'nrel_rev_onshore_wind',
  op: 'nearest_attribute' as const,
  search_radii_m: [8_200],
}

const sectors = ['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW']

const shared = {
  layer: 'energy_resource',
  lifecycle: 'stable',
  type: 'float',
  ttl_seconds: 7_776_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const energy_resource: Field[] = fieldsSharing(shared, [
  ...rasterSample(
    {
      ...solar,
      dataset: 'nlr_psm3_ghi',
      none: 'No source has a value for the cell.',
      read: { nodata: [0, 'nan'] },
    },
    {
      ghi_annual_kwh_m2_day: {
        description: 'Mean daily global horizontal solar irradiation, NLR (formerly NREL) PSM v3 1998-2016, 4 km.',
        hints:
          'US range about 3 (Seattle) to 6.5 (desert Southwest). Without the pack it comes from the NLR service (10 km, 1998-2009) or NASA POWER (half-degree cells, 2001-2020): see source.',
        ...float('kWh/m2/day', 2, [0, 10]),
        read: {
          fallback: [
            {
              ...withoutPack,
              dataset: 'nlr_solar_resource',
              json_path: '$.outputs.avg_ghi.annual',
              fallback: [
                {
                  when: ['failed', 'absent', 'outside_coverage'],
                  op: 'path',
                  dataset: 'nasa_power_climatology',
                  json_path: '$.properties.parameter.ALLSKY_SFC_SW_DWN.ANN',
                },
              ],
            },
          ],
        },
      },
    },
  ),
  ...rasterSample(
    {
      ...solar,
      dataset: 'nlr_psm3_dni',
      none: 'No source has a value for the cell.',
      read: { nodata: [0, 'nan'] },
    },
    {
      dni_annual_kwh_m2_day: {
        description: 'Mean daily direct normal irradiation, NLR (formerly NREL) PSM v3 1998-2016, 4 km.',
        hints:
          'Matters for tracking and concentrating systems. Above 6 is excellent. Without the pack it comes from the NLR services (10 km, 1998-2009, or a typical year): see source.',
        ...float('kWh/m2/day', 2, [0, 12]),
        read: {
          fallback: [
            { ...withoutPack, dataset: 'nlr_solar_resource', json_path: '$.outputs.avg_dni.annual' },
            { ...withoutPack, ...perDay, dataset: 'nlr_nsrdb_tmy', json_path: '$.statistics.dni_w_m2' },
          ],
        },
      },
    },
  ),
  ...documentPath(typicalYear, {
    dhi_annual_kwh_m2_day: {
      path: '.dhi_w_m2',
      description: 'Mean daily diffuse horizontal irradiation of a typical year (NSRDB).',
      hints: 'The sum of the year / 365. Light of the sky without the sun itself.',
      ...float('kWh/m2/day', 3, [0, 8]),
      read: perDay,
    },
    clearsky_ghi_annual_kwh_m2_day: {
      path: '.clearsky_ghi_w_m2',
      description: 'Mean daily global horizontal irradiation of a typical year if there were no clouds (NSRDB).',
      hints: 'The sum of the year / 365.',
      ...float('kWh/m2/day', 3, [0, 20]),
      read: perDay,
    },
    clearsky_dni_annual_kwh_m2_day: {
      path: '.clearsky_dni_w_m2',
      description: 'Mean daily direct normal irradiation of a typical year if there were no clouds (NSRDB).',
      hints: 'The sum of the year / 365.',
      ...float('kWh/m2/day', 3, [0, 20]),
      read: perDay,
    },
    clear_sky_ratio_ghi_annual: {
      path: '.ghi_w_m2',
      description:
        'Share of the cloud-free global horizontal irradiation that really arrives in a typical year (NSRDB).',
      hints: '1 would be a year without clouds.',
      derivation: 'Sum of the year / cloud-free sum of the year.',
      ...float('ratio', 3, [0, 1.2]),
      read: {
        expression: 'value / clear',
        from: { clear: { ...hourOfYear, json_path: '$.statistics.clearsky_ghi_w_m2' } },
      },
    },
    dni_clear_sky_ratio_annual: {
      path: '.dni_w_m2',
      description: 'Share of the cloud-free direct normal irradiation that really arrives in a typical year (NSRDB).',
      hints: 'Clouds take more of the direct than of the global irradiation.',
      derivation: 'Sum of the year / cloud-free sum of the year.',
      ...float('ratio', 3, [0, 1.2]),
      read: {
        expression: 'value / clear',
        from: { clear: { ...hourOfYear, json_path: '$.statistics.clearsky_dni_w_m2' } },
      },
    },
    diffuse_fraction_annual: {
      path: '.dhi_w_m2',
      description: 'Diffuse share of the global horizontal irradiation of a typical year (NSRDB).',
      hints: 'Above 0.5 is a cloudy climate, where tracking gains little.',
      derivation: 'Diffuse sum of the year / global sum of the year.',
      ...float('ratio', 3, [0, 1]),
      read: {
        expression: 'value / global',
        from: { global: { ...hourOfYear, json_path: '$.statistics.ghi_w_m2' } },
      },
    },
  }),
  ...documentPath(
    {
      ...solar,
      dataset: 'nlr_pvwatts_v8',
      root: '$.outputs',
      none: 'No weather file near the point.',
      covers: ['conus', 'ak', 'hi'],
    },
    {
      pv_specific_yield_kwh_per_kw: {
        path: '.ac_annual',
        description:
          'Yearly AC energy for each kW of a fixed open-rack solar system, tilted at the latitude, facing south, 14% losses (PVWatts v8).',
        hints: 'US range about 1300 to 1900. Multiply by system size for a first estimate; shading is not included.',
        ...float('kWh/kW', 1, [0, 4_000]),
      },
      pv_capacity_factor_pct: {
        path: '.capacity_factor',
        description: 'AC capacity factor of the same system in its first year (PVWatts v8).',
        hints: 'US range about 15 to 26. AC energy in relation to the DC size.',
        ...float('%', 1, [0, 60]),
        lifecycle: 'beta',
      },
      poa_irradiance_optimal_tilt_kwh_m2_yr: {
        path: '.poa_monthly[*]',
        description: 'Yearly irradiation in the plane of the same system, tilted at the latitude (PVWatts v8).',
        hints: 'US range about 1200 to 2500.',
        derivation: 'Sum of the twelve months.',
        ...float('kWh/m2/yr', 1, [0, 5_000]),
        lifecycle: 'beta',
        read: { reducer: 'sum' },
      },
    },
  ),
  ...computed(
    { layer: 'energy_resource', ttl_seconds: 31_536_000 },
    {
      optimal_fixed_tilt_degrees: {
        ...float('degrees', 2, [0, 90]),
        description: 'Tilt of a fixed solar array from horizontal by the rule that it equals the latitude.',
        hints: 'A rule of thumb without terrain and weather; the best tilt is often some degrees lower.',
        derivation: 'The latitude without its sign.',
        null_meaning: null,
        from: { lat: 'lat' },
        expression: 'lat < 0 ? -lat : lat',
      },
    },
  ),
  ...rasterSample(
    { ...windGrid, dataset: 'nrel_wtk_mean_80m' },
    {
      wind_speed_80m_m_s: {
        description: 'Mean wind speed at 80 m above ground, NREL WIND Toolkit 2007-2013 (2 km grid).',
        hints: windHints,
        ...float('m/s', 2, [0, 25]),
        lifecycle: 'stable',
      },
    },
  ),
  ...rasterSample(
    { ...windGrid, dataset: 'nrel_wtk_mean_100m' },
    {
      mean_wind_speed_100m_ms: {
        description: 'Mean wind speed at 100 m above ground, NREL WIND Toolkit 2007-2013 (2 km grid).',
        hints: windHints,
        ...float('m/s', 2, [0, 25]),
        lifecycle: 'stable',
      },
    },
  ),
  ...rasterSample(
    { ...windGrid, dataset: 'nrel_wtk_mean_120m' },
    {
      mean_wind_speed_120m_ms: {
        description: 'Mean wind speed at 120 m above ground, NREL WIND Toolkit 2007-2013 (2 km grid).',
        hints: windHints,
        ...float('m/s', 2, [0, 25]),
      },
    },
  ),
  ...rasterSample(
    { ...windGrid, dataset: 'nrel_wtk_mean_160m' },
    {
      mean_wind_speed_160m_ms: {
        description: 'Mean wind speed at 160 m above ground, NREL WIND Toolkit 2007-2013 (2 km grid).',
        hints: windHints,
        ...float('m/s', 2, [0, 25]),
      },
    },
  ),
  ...documentPath(
    {
      ...windSpeed,
      dataset: 'nlr_wtk_hours',
      root: '$.statistics',
      none: 'The source has no hours here.',
      covers: ['conus'],
    },
    {
      weibull_k_100m: {
        path: '.weibull_k',
        description:
          'Shape k of the Weibull distribution of wind speeds at 100 m, WIND Toolkit, hours of 2012 to 2014.',
        hints: 'About 2 in most places. Higher is steadier wind.',
        derivation: '(Standard deviation / mean) to the power of -1.086.',
        ...float('ratio', 2, [0.5, 10]),
      },
      prevailing_wind_direction_100m_cardinal: {
        path: '.prevailing_sector',
        description: 'Compass sector from which most of the wind energy at 100 m comes, WIND Toolkit, 2012 to 2014.',
        hints: 'One of 16 sectors, the direction that the wind blows from.',
        derivation: 'The sector with the largest sum of cubed speeds.',
        enum: sectors,
        read: { classes: Object.fromEntries(sectors.entries()) },
      },
    },
  ),
  ...computed(
    {
      dataset: 'nrel_rev_onshore_wind',
      layer: 'energy_resource',
      ttl_seconds: 31_536_000,
      evidence: documented,
      covers: ['conus'],
    },
    {
      wind_capacity_factor_pct: {
        ...float('%', 1, [0, 80]),
        description:
          'Modeled mean capacity factor of a wind turbine (115 m hub, 170 m rotor) at the nearest reV point.',
        hints:
          'NLR reV supply curve of 2024 for onshore wind with open access to land. Above 40 is very good. The point is the center of a cell of about 11.5 km.',
        derivation: 'Fraction x 100.',
        null_meaning: 'No point of the supply curve here: excluded land. Also null outside the 48 states.',
        from: { fraction: { ...nearestSupplyPoint, attribute: 'capacity_factor_ac' } },
        expression: 'fraction * 100',
      },
      wind_least_cost_interconnect_distance_m: {
        ...float('m', 0, [0, 1_000_000]),
        description: 'Length of the cheapest spur line from the nearest reV wind point to a substation with capacity.',
        hints:
          'NLR reV supply curve of 2024 for onshore wind. A modeled route, not a straight line. It starts at the center of a cell of about 11.5 km, not at the place.',
        derivation: 'Kilometers x 1000.',
        null_meaning: 'No point of the supply curve here: excluded land. Also null outside the 48 states.',
        evidence: 'open point: the column dist_spur_km is that of reV, but was not seen in this file',
        from: { spur_km: { ...nearestSupplyPoint, attribute: 'dist_spur_km' } },
        expression: 'spur_km * 1000',
      },
    },
  ),
  {
    name: 'wind_speed_50m_m_s',
    description: 'Mean wind speed at 50 m, NASA POWER climatology 2001-2020.',
    interpretation_hints:
      'Half-degree reanalysis: good for comparing regions, weak for a single hill. Available for all states without a local pack.',
    unit: 'm/s',
    decimals: 2,
    null_meaning: 'The source has no value for the cell (-999).',
    valid_range: [0, 25],
    read: {
      dataset: 'nasa_power_climatology',
      op: 'path',
      json_path: '$.properties.parameter.WS50M.ANN',
    },
  },
  {
    name: 'wind_shear_exponent',
    description:
      'Power-law wind shear exponent between 80 m and 100 m, or between 10 m and 50 m when only NASA POWER is available.',
    interpretation_hints:
      'About 0.14 over open land, 0.25 and more over forest or towns, near 0.1 over water. Use it to move a mean speed to another hub height.',
    lifecycle: 'beta',
    unit: 'ratio',
    decimals: 3,
    null_meaning: 'Neither pair of speeds is available.',
    derivation: 'Power law between two heights.',
    valid_range: [-5, 5],
    read: {
      dataset: 'nrel_wtk_mean_100m',
      op: 'computed',
      expression: 'ln(v100/v80)/ln(100/80)',
      from: { v80: 'wind_speed_80m_m_s', v100: 'mean_wind_speed_100m_ms' },
      fallback: [
        {
          when: ['failed', 'absent', 'outside_coverage'],
          dataset: 'nasa_power_climatology',
          op: 'computed',
          expression: 'ln(v50/v10)/ln(5)',
          stand_in: 'Winds between 10 and 50 m of a coarse grid instead of winds between 80 and 100 m.',
          from: {
            v10: {
              dataset: 'nasa_power_climatology',
              op: 'path',
              json_path: '$.properties.parameter.WS10M.ANN',
            },
            v50: {
              dataset: 'nasa_power_climatology',
              op: 'path',
              json_path: '$.properties.parameter.WS50M.ANN',
            },
          },
        },
      ],
    },
  },
  {
    name: 'wind_power_density_100m_wm2',
    description: 'Mean wind power density at 100 m from the Global Wind Atlas (250 m grid).',
    interpretation_hints:
      'Includes air density, so high plateaus score lower than the speed suggests. Above 500 is very good.',
    lifecycle: 'beta',
    unit: 'W/m2',
    decimals: 1,
    null_meaning: 'Outside the country raster.',
    valid_range: [0, 50_000],
    read: { dataset: 'global_wind_atlas', op: 'sample', resampling: 'bilinear', nodata: ['nan'] },
  },
  {
    name: 'wind_turbines_within_10km_count',
    description: 'Number of turbines of the US Wind Turbine Database within 10 km.',
    interpretation_hints: 'Dismantled turbines are removed in the quarterly releases.',
    type: 'integer',
    unit: 'count',
    ttl_seconds: 2_592_000,
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, Guam).',
    valid_range: [0, 20_000],
    read: { dataset: 'usgs_uswtdb', op: 'count', radius_m: 10_000 },
  },
  ...nearest(
    {
      layer: 'energy_resource',
      ttl_seconds: 2_592_000,
      evidence: documented,
      dataset: 'usgs_uswtdb',
      thing: 'utility-scale wind turbine',
      radii_m: [50_000, 100_000],
      covers: ['conus', 'ak', 'hi', 'pr', 'gu'],
    },
    {
      nearest_wind_project_name: {
        attribute: 'p_name',
        of: 'Project name of',
        hints: "Single turbines often carry an 'unknown' project name.",
        lifecycle: 'stable',
      },
      nearest_wind_turbine_hub_height_m: {
        attribute: 't_hh',
        of: 'Hub height of',
        hints:
          'Of the turbine that nearest_wind_turbine_distance_m measures to. Hub heights of 80 to 100 m are current onshore practice: the height suggests which wind speed field to use.',
        lifecycle: 'stable',
        ...float('m', 1, [0, 200]),
        read: { sentinels: [-9999] },
      },
      nearest_wind_turbine_total_height_m: {
        attribute: 't_ttlh',
        of: 'Height to the blade tip of',
        hints: 'Above the ground. 150 m and more need special lighting for aircraft.',
        ...float('m', 1, [0, 350]),
        read: { sentinels: [-9999] },
      },
      nearest_wind_project_capacity_mw: {
        attribute: 'p_cap',
        of: 'Capacity of the whole project of',
        hints: 'Nameplate megawatts of all turbines of the project.',
        ...float('MW', 2, [0, 4_000]),
        read: { sentinels: [-9999] },
      },
    },
  ),
  ...nearest(
    {
      layer: 'energy_resource',
      ttl_seconds: 2_592_000,
      evidence: documented,
      dataset: 'usgs_uspvdb',
      thing: 'ground-mounted solar plant of 1 MW or more',
      radii_m: [50_000],
      covers: ['conus', 'ak', 'hi', 'pr'],
    },
    {
      nearest_utility_solar_facility_distance_m: {
        distance: true,
        hints: 'Straight line to the center of the plant; its edge is nearer. Plants that operate only.',
      },
      nearest_utility_solar_facility_capacity_mw: {
        attribute: 'p_cap_ac',
        of: 'Capacity of',
        hints: 'Nameplate megawatts of alternating current, of the plant that the distance measures to.',
        ...float('MW', 2, [0, 2_000]),
        read: { sentinels: [-9999] },
      },
    },
  ),
])
