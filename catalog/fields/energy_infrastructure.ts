import type { Field } from '../../src/catalog/records.ts'
import type { Region } from '../../src/model/place.ts'
import { computed, documented, float, integer, nearest, polygonAtPoint } from '../families.ts'

const shared = { layer: 'energy_infrastructure', ttl_seconds: 2_592_000, evidence: documented }
const covers: Region[] = ['conus', 'ak', 'hi']
const voltageBands = ['UNDER 100', '100-161', '220-287', '345', '500', '735 AND ABOVE', 'DC']
const fuels = ['batteries', 'biomass', 'coal', 'geothermal', 'hydroelectric', 'natural gas', 'nuclear', 'other']
const sectors = [
  'IPP Non-CHP',
  'IPP CHP',
  'Commercial Non-CHP',
  'Commercial CHP',
  'Industrial Non-CHP',
  'Industrial CHP',
]
const gridRadius_m = 10_000
const grid = { ...shared, radii_m: [gridRadius_m] }
const mapped = 'Null if nobody has mapped it.'
const openStations = "fuel_type_code = 'ELEC' AND status_code = 'E' AND access_code = 'public'"

export const energy_infrastructure: Field[] = [
  ...nearest(
    {
      ...shared,
      covers,
      lifecycle: 'stable',
      dataset: 'geoplatform_transmission_lines',
      thing: 'mapped electric transmission line',
      radii_m: [5_000, 25_000, 100_000],
    },
    {
      nearest_transmission_line_distance_m: {
        distance: true,
        hints:
          'Straight line, measured on an archived copy of the lines of 2024; closeness says nothing about spare capacity or interconnection. Lines of every status count, see nearest_transmission_line_status. Copies of this data that look only 2 km far report nothing beyond.',
        read: {
          fallback: [
            { dataset: 'osm_power_lines', op: 'nearest_distance', search_radii_m: [1_000, 5_000, 25_000, 100_000] },
          ],
        },
      },
      nearest_transmission_line_voltage_kv: {
        of: 'Published voltage of',
        attribute: 'VOLTAGE',
        ...float('kV', 1, [0, 1_000]),
        hints:
          'Of the one nearest line; many lines publish a band only, see nearest_transmission_line_voltage_basis. Unknown voltage is stored as -999999 upstream and comes back as null, never as a number.',
      },
      nearest_transmission_line_voltage_class: {
        of: 'Voltage band in kilovolts of',
        attribute: 'VOLT_CLASS',
        enum: voltageBands,
        hints: 'DC is direct current, of any voltage. A line can have a band but no published voltage.',
      },
      nearest_transmission_line_voltage_basis: {
        of: 'What the source publishes of the voltage of',
        read: {
          expression:
            "VOLTAGE > 0 ? 'numeric' : VOLT_CLASS != null && VOLT_CLASS != 'NOT AVAILABLE' ? 'class_band' : 'not_published'",
        },
        enum: ['numeric', 'class_band', 'not_published'],
        null_meaning:
          'No mapped electric transmission line within 100 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
        hints: 'numeric: a voltage; class_band: only a band of voltages; not_published: neither.',
        derivation: 'From VOLTAGE and VOLT_CLASS of the nearest line.',
      },
      nearest_transmission_line_owner: {
        of: 'Owner or operator of',
        attribute: 'OWNER',
        pattern: '[A-Za-z]',
        hints: 'In capitals, as of 2024; the owner can have changed its name since.',
      },
      nearest_transmission_line_status: {
        of: 'Operating status of',
        attribute: 'STATUS',
        enum: ['IN SERVICE', 'UNDER CONSTRUCTION', 'INACTIVE'],
        hints: 'As of 2024. A line whose status is not published has none here.',
      },
      transmission_lines_within_radius_count: {
        within_m: 2_000,
        description: 'Number of segments of electric transmission lines within 2 km.',
        hints: 'Segments between two substations or taps, of any status, not circuits.',
      },
      max_transmission_line_voltage_kv_within_radius: {
        within_m: 2_000,
        description: 'Highest published voltage of the electric transmission lines within 2 km.',
        attribute: 'VOLTAGE',
        reducer: 'max',
        ...float('kV', 1, [0, 1_000]),
        hints: 'Lines that publish only a band are left out, see max_transmission_line_voltage_class_within_radius.',
      },
      max_transmission_line_voltage_class_within_radius: {
        within_m: 2_000,
        description: 'Highest voltage band in kilovolts of the electric transmission lines within 2 km.',
        attribute: 'VOLT_CLASS',
        reducer: 'first',
        pick: [`VOLT_CLASS rank ${['735 AND ABOVE', '500', '345', '220-287', '100-161', 'UNDER 100', 'DC'].join(',')}`],
        enum: voltageBands,
        hints: 'Direct current ranks last, because its band has no limits.',
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      covers,
      dataset: 'hifld_substations',
      thing: 'electric substation of 69 kV and more',
      where: 'MAX_VOLT >= 69 OR MAX_VOLT < 0',
      radii_m: [10_000, 30_000, 100_000],
    },
    {
      nearest_substation_distance_m: {
        distance: true,
        hints:
          'Substations that publish no voltage count too. From a copy of a closed federal layer; nearest_osm_substation_distance_m is more current, and includes small distribution sites.',
      },
      nearest_substation_max_voltage_kv: {
        of: 'Highest voltage of',
        attribute: 'MAX_VOLT',
        ...float('kV', 1, [69, 1_000]),
        hints: 'The highest of the lines at the substation. Null if it is not published.',
      },
      nearest_substation_status: {
        of: 'Operating status of',
        attribute: 'STATUS',
        enum: ['IN SERVICE', 'UNDER CONST', 'PROPOSED'],
        hints: 'UNDER CONST is under construction. Null if it is not published.',
      },
      substations_within_radius_count: {
        within_m: gridRadius_m,
        description: 'Number of electric substations of 69 kV and more within 10 km.',
        hints: 'Substations that publish no voltage count too. The radius is substations_radius_m.',
      },
    },
  ),
  ...nearest(
    { ...grid, dataset: 'osm_substations', thing: 'electric substation in OpenStreetMap' },
    {
      nearest_osm_substation_distance_m: {
        distance: true,
        hints:
          'To the outline, 0 inside. Includes small distribution sites; how complete the map is varies from place to place.',
      },
      nearest_osm_substation_max_voltage_kv: {
        of: 'Highest voltage of',
        attribute: 'voltage',
        ...float('kV', 1, [0, 1_000]),
        read: { transform: 'volts_to_kv' },
        hints: `The largest of the voltages of the tag. ${mapped}`,
      },
      nearest_osm_substation_name: { of: 'Name of', attribute: 'name', hints: mapped },
      nearest_osm_substation_operator: {
        of: 'Operator of',
        attribute: 'operator',
        pattern: '[A-Za-z0-9]',
        hints: mapped,
      },
      nearest_osm_substation_type: {
        of: 'Kind of',
        attribute: 'substation',
        pattern: '[a-z]',
        hints: `The tag substation, such as transmission, distribution, minor_distribution, industrial or traction. ${mapped}`,
      },
    },
  ),
  ...nearest(
    { ...grid, dataset: 'osm_transmission_lines', thing: 'power line in OpenStreetMap' },
    {
      nearest_osm_transmission_line_distance_m: {
        distance: true,
        hints:
          'Lines of every stage, see nearest_osm_transmission_line_lifecycle; not minor lines, and not cables. How complete the map is varies from place to place.',
      },
      nearest_osm_transmission_line_voltage_kv: {
        of: 'Highest voltage of',
        attribute: 'voltage',
        ...float('kV', 1, [0, 1_000]),
        read: { transform: 'volts_to_kv' },
        hints: `The largest of the voltages of the tag. ${mapped}`,
      },
      nearest_osm_transmission_line_circuits: {
        of: 'Number of circuits of',
        ...integer('count', [0, 20]),
        read: { expression: 'circuits != null ? circuits : floor(cables / 3)', cast: 'integer' },
        hints: `The tag circuits, or else a third of the cables. ${mapped}`,
      },
      nearest_osm_transmission_line_operator: {
        of: 'Operator of',
        attribute: 'operator',
        pattern: '[A-Za-z0-9]',
        hints: mapped,
      },
      nearest_osm_transmission_line_lifecycle: {
        of: 'Stage of life of',
        attribute: 'lifecycle',
        enum: ['operating', 'construction', 'proposed', 'planned', 'disused', 'abandoned'],
        hints: 'From the prefix of the tag, such as construction:power; operating without a prefix.',
      },
    },
  ),
  ...nearest(
    { ...grid, dataset: 'osm_transmission_transformers', thing: 'transmission transformer in OpenStreetMap' },
    {
      nearest_osm_transmission_transformer_distance_m: {
        distance: true,
        hints: 'Transformers whose primary voltage is at least 69 kV. Few are mapped one by one.',
      },
      nearest_osm_transmission_transformer_primary_voltage_kv: {
        of: 'Primary voltage of',
        attribute: 'voltage:primary',
        ...float('kV', 1, [0, 1_000]),
        read: { transform: 'volts_to_kv' },
        hints: 'The side of the higher voltage.',
      },
      nearest_osm_transmission_transformer_secondary_voltage_kv: {
        of: 'Secondary voltage of',
        attribute: 'voltage:secondary',
        ...float('kV', 1, [0, 1_000]),
        read: { transform: 'volts_to_kv' },
        hints: `The side of the lower voltage; the largest of several. ${mapped}`,
      },
      nearest_osm_transmission_transformer_rating_mva: {
        of: 'Power rating of',
        attribute: 'rating',
        ...float('MVA', 3, [0, 5_000]),
        read: { transform: 'power_to_mva' },
        hints: `A rating without a unit is rejected. ${mapped}`,
      },
    },
  ),
  ...computed(
    { layer: shared.layer, ttl_seconds: shared.ttl_seconds },
    {
      osm_grid_search_radius_m: {
        description: 'Radius of the search of the nearest_osm_ fields about the grid.',
        hints: 'A constant, so that a client can show what absent means.',
        derivation: 'The constant 10000.',
        null_meaning: null,
        from: {},
        expression: String(gridRadius_m),
        ...float('m', 0, [0, 100_000]),
      },
      substations_radius_m: {
        description: 'Radius of substations_within_radius_count.',
        hints: 'A constant, so that a client can show the count with its radius.',
        derivation: 'The constant 10000.',
        null_meaning: null,
        from: {},
        expression: String(gridRadius_m),
        ...float('m', 0, [0, 100_000]),
      },
      transmission_redundancy_flag: {
        description:
          'Whether several transmission lines and substations are close: a first sign of a redundant supply.',
        hints:
          'Counts segments and sites only. It says nothing about spare capacity, or whether the lines belong to different circuits.',
        derivation: 'At least 2 segments of transmission lines within 2 km, and at least 3 substations within 10 km.',
        null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
        from: { lines: 'transmission_lines_within_radius_count', substations: 'substations_within_radius_count' },
        expression: 'lines >= 2 && substations >= 3',
        type: 'boolean',
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      covers,
      lifecycle: 'stable',
      dataset: 'geoplatform_power_plants',
      thing: 'power plant',
      radii_m: [50_000, 200_000],
    },
    {
      nearest_power_plant_name: {
        of: 'Name of',
        attribute: 'Plant_Name',
        hints: 'Plants of at least 1 MW, including ones on standby.',
      },
      nearest_power_plant_distance_m: {
        distance: true,
        hints: 'Distance to the point of a plant of at least 1 MW; large sites extend well beyond it.',
      },
      nearest_power_plant_primary_fuel: {
        of: 'Primary energy source of',
        attribute: 'PrimSource',
        enum: [...fuels, 'petroleum', 'pumped storage', 'solar', 'wind'],
        hints: 'In lower case, as the source has it. A plant can burn other fuels too.',
      },
      nearest_power_plant_technology: {
        of: 'Generation technology of',
        attribute: 'tech_desc',
        pattern: '[A-Za-z]',
        hints: 'The terms of form EIA-860, such as Natural Gas Fired Combined Cycle; several are joined by semicolons.',
      },
      nearest_power_plant_operator: {
        of: 'Company that operates',
        attribute: 'Utility_Na',
        pattern: '[A-Za-z0-9]',
        hints: 'The utility of form EIA-860: not the owner, and not the utility that serves the place.',
      },
      nearest_power_plant_sector: {
        of: 'Sector of',
        attribute: 'sector_nam',
        enum: ['Electric Utility', ...sectors],
        hints: 'IPP is an independent power producer; CHP plants also sell or use heat.',
      },
      nearest_power_plant_capacity_mw: {
        of: 'Net summer capacity of',
        attribute: 'Total_MW',
        read: { cast: 'float' },
        ...float('MW', 1, [0, 7_500]),
        hints: 'Net summer capacity, often some 10 percent below nameplate, and not output.',
      },
      power_plants_within_25km_count: {
        within_m: 25_000,
        description: 'Number of utility-scale power plants within 25 km.',
        hints: 'Counts sites, not units or megawatts.',
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      lifecycle: 'stable',
      covers: [...covers, 'pr', 'gu'],
      dataset: 'usgs_uswtdb',
      thing: 'utility-scale wind turbine',
      radii_m: [50_000, 100_000],
    },
    {
      nearest_wind_turbine_distance_m: {
        distance: true,
        hints: 'Matters for noise, shadow flicker and wake studies.',
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      covers,
      ttl_seconds: 86_400,
      dataset: 'nlr_alt_fuel_stations',
      thing: 'public electric vehicle charging station that is open',
      where: openStations,
      radii_m: [5_000, 50_000, 300_000],
      evidence: 'working public queries use the attributes fuel_type_code, status_code and access_code of the mirror',
    },
    {
      nearest_ev_charger_distance_m: {
        distance: true,
        hints:
          'Only stations with fuel type ELEC, status E (open) and access public. Planned, private and temporarily closed stations and other fuels do not count.',
      },
      ev_chargers_within_5km_count: {
        within_m: 5_000,
        description: 'Number of public charging stations within 5 km that are open.',
        hints:
          'Only stations with fuel type ELEC, status E (open) and access public. Counts stations, not ports: one station can hold many plugs. Zero is common outside towns.',
      },
    },
  ),
  ...polygonAtPoint(
    {
      ...shared,
      covers,
      ttl_seconds: 7_776_000,
      dataset: 'hifld_electric_territories',
      thing: 'mapped retail territory',
      pick: ['area asc'],
    },
    {
      electric_utility_service_territory: {
        attribute: 'NAME',
        pattern: '[A-Z]',
        description: 'Electric utility whose retail territory contains the point.',
        hints:
          'In capitals. Territories overlap, and then the smallest is named. They date from a 2025 snapshot; confirm with the utility.',
      },
    },
  ),
]
