import type { Field } from '../../src/catalog/records.ts'
import { computed, documented, float, integer, nearest, polygonAtPoint } from '../families.ts'

const shared = { layer: 'telecom', evidence: documented }
const noLocations = 'No serviceable locations in the block group.'
const masts = { ...shared, ttl_seconds: 604_800, dataset: 'fcc_asr', where: "status_code IN ('C','G')" }
const registered = 'Registration is needed above 200 feet (61 m) or near airports; most small cells are absent.'

export const telecom: Field[] = [
  ...polygonAtPoint(
    { ...shared, ttl_seconds: 7_776_000, dataset: 'fcc_bdc_block_groups', thing: 'block group' },
    {
      broadband_providers_count: {
        attribute: 'UniqueProviders',
        ...integer('count', [0, 100]),
        description: 'Number of fixed broadband providers that report service in the block group.',
        hints:
          'Provider claims for the block group, not a check of this address. For fiber alone, closer to the point, see fiber_provider_count.',
        null_meaning: noLocations,
      },
      broadband_fiber_available_pct: {
        ...float('%', 1, [0, 100]),
        description: 'Share of serviceable locations in the block group with fiber available.',
        hints: 'Availability as filed with the FCC; take-up is not included.',
        null_meaning: noLocations,
        derivation: 'Fiber-served locations divided by all serviceable locations, in percent.',
        read: { expression: '100*ServedBSLsFiber/TotalBSLs' },
      },
    },
  ),
  ...polygonAtPoint(
    { ...shared, ttl_seconds: 2_592_000, dataset: 'fcc_bdc_h3', thing: 'hexagon with serviceable locations' },
    {
      fiber_broadband_available: {
        type: 'boolean',
        description: 'Whether a provider reports fiber to the premises in the hexagon at the point.',
        hints:
          'A hexagon of H3 resolution 8 has some 0.7 km2. Provider claims for homes and small businesses: a business can be served by carriers that do not report here.',
        derivation: 'fiber_provider_count is at least 1.',
        read: { expression: 'UniqueProvidersFiber == null ? null : UniqueProvidersFiber > 0' },
      },
      fiber_provider_count: {
        attribute: 'UniqueProvidersFiber',
        ...integer('count', [0, 50]),
        description: 'Number of providers that report fiber to the premises in the hexagon at the point.',
        hints: 'A hexagon of H3 resolution 8 has some 0.7 km2. Provider claims, not a check of this address.',
      },
    },
  ),
  ...polygonAtPoint(
    {
      ...shared,
      ttl_seconds: 2_592_000,
      dataset: 'fcc_bdc_mobile_5g',
      thing: 'hexagon with modeled 5G coverage',
      pick: ['mindown desc', 'minup desc'],
    },
    {
      mobile_5g_coverage_class: {
        description: 'Best modeled class of 5G coverage of any carrier at the point.',
        hints:
          '5g_high_speed: at least 35 Mbit/s down and 3 up; 5g_basic: 7 and 1; 5g_marginal: less. As modeled by the carriers, outdoors or in a vehicle, and not measured.',
        enum: ['5g_high_speed', '5g_basic', '5g_marginal'],
        derivation: 'From mindown and minup of the fastest layer that covers the hexagon of H3 resolution 9.',
        read: {
          expression:
            "mindown >= 35 && minup >= 3 ? '5g_high_speed' : mindown >= 7 && minup >= 1 ? '5g_basic' : '5g_marginal'",
        },
      },
    },
  ),
  ...nearest(
    { ...masts, thing: 'FCC-registered antenna structure', radii_m: [2_000] },
    {
      nearest_antenna_structure_distance_m: { distance: true, hints: registered },
      nearest_antenna_structure_height_m: {
        of: 'Height above ground of',
        attribute: 'overall_height_above_ground',
        ...float('m', 1, [0, 700]),
        read: { cast: 'float' },
        hints: 'With all appurtenances, such as the antenna on top.',
      },
      nearest_antenna_structure_type: {
        of: 'Type code of',
        attribute: 'structure_type',
        pattern: '^[0-9]*[A-Z]',
        hints:
          'The codes of the FCC: TOWER free standing, GTOWER guyed, MTOWER monopole, BTWR tower on a building, BANT antenna on a building, POLE, TANK and others.',
      },
      nearest_antenna_structure_owner: {
        of: 'Owner of',
        attribute: 'entity_name',
        pattern: '[A-Za-z0-9]',
        hints:
          'The name of the registered owner, where other services answer with the number of the registration. Owners lease space to carriers.',
      },
      antenna_structures_within_500m_count: {
        within_m: 500,
        description: 'Number of FCC-registered antenna structures within 500 m.',
        hints: `Structures, not transmitters. ${registered}`,
      },
      antenna_structures_within_2km_count: {
        within_m: 2_000,
        description: 'Number of FCC-registered antenna structures within 2 km.',
        hints: `Structures, not transmitters. ${registered}`,
      },
      antenna_structures_within_5km_count: {
        within_m: 5_000,
        description: 'Number of FCC-registered antenna structures within 5 km.',
        hints: `Structures, not transmitters. ${registered}`,
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      ttl_seconds: 31_536_000,
      dataset: 'census_urban_areas',
      thing: 'urban area of the census of 2020',
      radii_m: [25_000, 100_000],
    },
    {
      nearest_urban_area_distance_m: {
        distance: true,
        hints: 'To the outline of the area; 0 inside one.',
        derivation:
          'Geodesic distance to the edge; 0 inside. Outlines from a network source are simplified to about 6 m, so the distance can be off by that much.',
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      ttl_seconds: 2_592_000,
      dataset: 'noaa_submarine_cables',
      thing: 'charted corridor of a submarine cable',
      radii_m: [50_000, 300_000],
    },
    {
      nearest_submarine_cable_distance_m: {
        distance: true,
        hints: 'To the edge of the corridor, 0 inside one. Cables that are retired or being built count too.',
        derivation:
          'Geodesic distance to the edge; 0 inside. Outlines from a network source are simplified to about 11 m, so the distance can be off by that much.',
      },
      nearest_submarine_cable_name: {
        of: 'Cable system of',
        read: { expression: "cablesystem != null && cablesystem != '' ? cablesystem : shortname" },
        hints: 'As charted. Null where the chart has no name.',
      },
    },
  ),
  ...computed(
    { layer: shared.layer, ttl_seconds: 31_536_000 },
    {
      nearest_urban_area_rtt_floor_ms: {
        description: 'Least possible time of a round trip over straight fiber to the nearest urban area.',
        hints: 'A lower bound: real routes are longer and pass through equipment. 0 inside an urban area.',
        derivation: 'Twice nearest_urban_area_distance_m, divided by 200,000 km/s, the speed of light in fiber.',
        null_meaning: 'No urban area of the census of 2020 within 100 km.',
        from: { distance_m: 'nearest_urban_area_distance_m' },
        expression: 'distance_m * 2 / 200000',
        ...float('ms', 3, [0, 10]),
      },
    },
  ),
]
