import type { Field } from '../../src/catalog/records.ts'
import { documented, nearest, fieldsSharing } from '../families.ts'

const sites = { layer: 'environment', ttl_seconds: 604_800, evidence: documented }
const tanks = { layer: 'environment', ttl_seconds: 2_592_000, lifecycle: 'stable', evidence: documented } as const
/** 27 states listed their orphaned wells. */
const listedStates = {
  skip_when:
    "state && !one_of(state, 'AL,AK,AR,CA,CO,IL,IN,KS,KY,LA,MI,MS,MO,MT,NE,NV,NM,NY,ND,OH,OK,PA,TN,TX,UT,WV,WY')",
  skip_reason: 'outside_coverage',
  from: { state: 'state' },
} as const

const shared = {
  layer: 'environment',
  lifecycle: 'stable',
  ttl_seconds: 604_800,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const environment: Field[] = fieldsSharing(shared, [
  {
    name: 'nearest_superfund_site_distance_m',
    description: 'Distance to the nearest site on the Superfund National Priorities List.',
    interpretation_hints: 'Site points only; contamination can extend further. Includes proposed and deleted sites.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    null_meaning: 'No listed site within 400 km.',
    valid_range: [0, 400_000],
    read: { dataset: 'epa_npl_sites', op: 'nearest_distance', search_radii_m: [100_000, 400_000] },
  },
  {
    name: 'nearest_superfund_site_name',
    description: 'Name of the nearest National Priorities List site.',
    interpretation_hints: 'Look it up by name or EPA id for the remedy status.',
    type: 'string',
    unit: null,
    null_meaning: 'No listed site within 400 km.',
    read: {
      dataset: 'epa_npl_sites',
      op: 'nearest_attribute',
      attribute: 'Site_Name',
      search_radii_m: [100_000, 400_000],
    },
  },
  {
    name: 'nearest_superfund_site_status',
    description: 'Listing status of the nearest National Priorities List site.',
    interpretation_hints: 'NPL Site, Proposed NPL Site or Deleted NPL Site.',
    type: 'string',
    unit: null,
    pattern: 'NPL',
    null_meaning: 'No listed site within 400 km.',
    read: {
      dataset: 'epa_npl_sites',
      op: 'nearest_attribute',
      attribute: 'Status',
      search_radii_m: [100_000, 400_000],
    },
  },
  {
    name: 'nearest_toxic_release_facility_distance_m',
    description: 'Distance to the nearest facility that reports to the Toxics Release Inventory.',
    interpretation_hints: 'Reporting is by industry and threshold; it is not a measure of exposure.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    null_meaning: 'No reporting facility within 100 km.',
    valid_range: [0, 100_000],
    read: { dataset: 'epa_tri', op: 'nearest_distance', search_radii_m: [25_000, 100_000] },
  },
  ...nearest(
    { ...sites, dataset: 'epa_sems_sites', thing: 'site of the Superfund inventory', radii_m: [8_000] },
    {
      nearest_superfund_distance_m: {
        distance: true,
        hints:
          'All of the inventory: sites that were only assessed, archived sites and the National Priorities List. Site points; contamination can extend further.',
      },
      superfund_sites_within_radius_count: {
        within_m: 8_000,
        description: 'Number of sites of the Superfund inventory (SEMS) within 8 km.',
        hints: 'Sites assessed, archived and on the National Priorities List. Counts of brownfields overlap with it.',
        derivation: 'Distinct site numbers (PGM_SYS_ID).',
        read: { distinct: 'PGM_SYS_ID' },
      },
    },
  ),
  ...nearest(
    { ...sites, dataset: 'epa_acres_brownfields', lifecycle: 'stable', thing: 'brownfield', radii_m: [8_000] },
    {
      nearest_brownfield_distance_m: {
        distance: true,
        description: 'Distance to the nearest brownfield property in EPA ACRES.',
        hints: 'Grant-funded properties only; no cleanup status is given.',
      },
      brownfields_within_radius_count: {
        within_m: 8_000,
        description: 'Number of ACRES brownfield properties within 8 km.',
        hints: 'Neighboring lots of one project can be listed separately.',
      },
    },
  ),
  ...nearest(
    {
      ...sites,
      dataset: 'epa_rcra_tsd_facilities',
      thing: 'hazardous waste treatment, storage or disposal facility',
      radii_m: [8_000],
    },
    {
      nearest_rcra_tsd_distance_m: {
        distance: true,
        hints: 'About 2,000 facilities with a permit for hazardous waste. Generators and transporters are not in it.',
      },
      rcra_tsd_facilities_within_radius_count: {
        within_m: 8_000,
        description: 'Number of hazardous waste treatment, storage or disposal facilities within 8 km.',
        hints: 'Facilities can also be in the Superfund and brownfield counts: do not add them up.',
      },
    },
  ),
  ...nearest(
    { ...sites, dataset: 'epa_rmp_facilities', thing: 'facility of the Risk Management Program', radii_m: [10_000] },
    {
      nearest_hazardous_facility_name: {
        attribute: 'PRIMARY_NAME',
        of: 'Registered name of',
        hints:
          'Facilities with large amounts of toxic or flammable substances, such as ammonia for cooling. Closed ones may be among them.',
      },
      nearest_hazardous_facility_distance_m: {
        distance: true,
        hints: 'To the address of the facility, which can be far from its tanks. Closed facilities may be among them.',
      },
    },
  ),
  ...nearest(
    { ...tanks, dataset: 'epa_ust_facilities', thing: 'underground storage tank facility', radii_m: [2_000, 8_000] },
    {
      nearest_ust_facility_distance_m: {
        distance: true,
        hints: 'Mostly fuel stations; open and closed facilities both count.',
        lifecycle: 'beta',
      },
      ust_facilities_within_1km_count: {
        within_m: 1_000,
        description: 'Number of underground storage tank facilities within 1 km.',
        hints: 'Mostly fuel stations; open and closed facilities both count.',
      },
    },
  ),
  ...nearest(
    {
      ...tanks,
      dataset: 'epa_ust_releases',
      thing: 'open release of an underground tank',
      where: "Status = 'Open'",
      radii_m: [1_000],
    },
    {
      open_lust_sites_within_1km_count: {
        within_m: 1_000,
        description: 'Number of underground tank releases within 1 km whose cleanup is open.',
        hints: 'A snapshot of 2018 to 2021; state programs hold the current status. Closed cases do not count.',
      },
    },
  ),
  ...nearest(
    {
      dataset: 'usgs_orphaned_wells',
      layer: 'environment',
      ttl_seconds: 2_592_000,
      evidence: documented,
      thing: 'documented orphaned well',
      radii_m: [50_000],
    },
    {
      nearest_documented_orphaned_well_distance_m: {
        distance: true,
        hints:
          'Unplugged oil and gas wells without an owner, as 27 states listed them in 2022. The nearest may lie in another state. In Kansas and Montana many positions are only those of a survey section.',
        null_meaning: 'No documented orphaned well within 50 km, or in a state without a list.',
        read: listedStates,
      },
      documented_orphaned_wells_within_1km_count: {
        within_m: 1_000,
        description: 'Number of documented, unplugged orphaned oil and gas wells within 1 km.',
        hints: 'As 27 states listed them in 2022. Undocumented wells are many times more.',
        null_meaning: 'In a state without a list.',
        read: listedStates,
      },
    },
  ),
])
