import { documented, float, polygonAtPoint, rasterSample, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'habitat',
  lifecycle: 'stable',
  type: 'string',
  unit: null,
  ttl_seconds: 604_800,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const habitat: Field[] = fieldsSharing(shared, [
  ...polygonAtPoint(
    {
      layer: 'habitat',
      ttl_seconds: 604_800,
      evidence: documented,
      dataset: 'usfws_critical_habitat_areas',
      thing: 'critical habitat',
    },
    {
      intersects_critical_habitat: {
        within: true,
        description: 'True when the point lies in final or proposed critical habitat of a federally listed species.',
        hints:
          'Federal actions need consultation. Areas only: habitat that is mapped as lines is not tested. A few species are published only as separate shapefiles, so false is not a clearance.',
        lifecycle: 'stable',
      },
      critical_habitat_species: {
        pattern: '[a-z]',
        description:
          'Species whose critical habitat contains the point: common and scientific names, separated by semicolons.',
        spoken: 'the species whose critical habitat this is',
        hints: 'Final and proposed units together.',
        lifecycle: 'stable',
        null_meaning: 'The point is in no critical habitat.',
        read: { expression: "comname + ' (' + sciname + ')'", reducer: 'distinct_join', separator: '; ' },
      },
      critical_habitat_status: {
        attribute: 'status',
        description: 'Whether the critical habitat at the point is designated or only proposed.',
        hints: 'Final where a final and a proposed unit overlap.',
        enum: ['Final', 'Proposed'],
        read: { pick: ['status rank Final,Proposed'] },
      },
      critical_habitat_listing_status: {
        pattern: '[a-z]',
        attribute: 'listing_status',
        description:
          'Status under the Endangered Species Act of the species whose critical habitat contains the point.',
        hints: 'Of several species, that of the most endangered one.',
        read: { pick: ['listing_status rank Endangered,Threatened'] },
      },
    },
  ),

  {
    name: 'nearest_critical_habitat_distance_m',
    description: 'Distance to the nearest final critical habitat polygon or line within 25 km.',
    interpretation_hints: 'Line habitat (rivers) is included because much fish and mussel habitat is mapped as lines.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    null_meaning: 'No critical habitat within 25 km.',
    derivation:
      'Geodesic distance to the edge of the nearest area. Outlines from a network source are simplified to about 11 m, so the value can be off by that much.',
    valid_range: [0, 25_000],
    read: { dataset: 'usfws_critical_habitat_final', op: 'nearest_distance', search_radii_m: [10_000, 25_000] },
  },
  {
    name: 'listed_species_count',
    description: 'Number of endangered or threatened species that IPaC lists for a 100 m square around the point.',
    interpretation_hints:
      'A planning list of species that might occur, not of observed animals. Proposed and candidate species are not counted.',
    lifecycle: 'beta',
    type: 'integer',
    unit: 'count',
    null_meaning: 'The service did not return a list for the square around the point.',
    valid_range: [0, 5000],
    read: {
      dataset: 'usfws_ipac',
      op: 'path',
      json_path: '$.resources.populationsBySid.*.population',
      absent_when: ['empty'],
      filter: { listingStatusCode: ['E', 'T'] },
      reducer: 'count',
      fallback: [
        {
          dataset: 'usfws_ipac',
          op: 'path',
          json_path: '$.resources.populationsBySid.*.population',
          absent_when: ['empty'],
          filter: { listingStatusName: ['Endangered', 'Threatened'] },
          reducer: 'count',
        },
      ],
    },
  },
  {
    name: 'endangered_species_names',
    description: 'Common names of the endangered species on the IPaC list for the point, separated by semicolons.',
    spoken: 'the list of endangered species',
    interpretation_hints: 'Endangered only; threatened species are counted in listed_species_count.',
    lifecycle: 'beta',
    null_meaning: 'No endangered species on the list.',
    read: {
      dataset: 'usfws_ipac',
      op: 'path',
      json_path: '$.resources.populationsBySid.*.population',
      absent_when: ['empty'],
      filter: { listingStatusCode: ['E'] },
      attribute: 'optionalCommonName',
      reducer: 'distinct_join',
      separator: '; ',
      fallback: [
        {
          dataset: 'usfws_ipac',
          op: 'path',
          json_path: '$.resources.populationsBySid.*.population',
          absent_when: ['empty'],
          filter: { listingStatusName: ['Endangered'] },
          attribute: 'optionalCommonName',
          reducer: 'distinct_join',
          separator: '; ',
        },
      ],
    },
  },
  {
    name: 'ecoregion_l3_name',
    description: 'EPA level III ecoregion at the point.',
    interpretation_hints:
      '105 regions of similar climate, soils and vegetation; the usual frame for stream and habitat standards.',
    ttl_seconds: 7_776_000,
    null_meaning: 'Outside the conterminous US (other services cover Alaska).',
    read: { dataset: 'epa_ecoregions_l3', op: 'attribute', attribute: 'US_L3NAME' },
  },
  {
    name: 'ecoregion_l4_name',
    description: 'EPA level IV ecoregion at the point.',
    interpretation_hints: 'A finer subdivision of level III, compiled state by state.',
    ttl_seconds: 7_776_000,
    null_meaning: 'Outside the conterminous US.',
    read: { dataset: 'epa_ecoregions_l4', op: 'attribute', attribute: 'US_L4NAME' },
  },
  ...rasterSample(
    {
      layer: 'habitat',
      ttl_seconds: 31_536_000,
      evidence:
        'open point: no public address of the raster is known, so it comes only from a pack; its encoding is that of the published model, 0 to 1',
      dataset: 'usfws_goea_rnd',
      covers: ['conus'],
      none: 'Outside the modeled West.',
    },
    {
      golden_eagle_nest_density_index: {
        description: 'Relative density of golden eagle nest sites predicted for the western US.',
        hints:
          'From 0 to 1 within one of twelve model regions; values of different regions are not comparable. Most land is below 0.3.',
        ...float('index', 3, [0, 1]),
      },
    },
  ),
])
