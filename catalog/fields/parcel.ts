import { overlapOfParcel } from '../families-subjects.ts'
import { computed, documented, documentPath, float, integer } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

/** The parcel that contains the point. Only the request for it is billed: all fields share it. */
const parcelFamily = {
  dataset: 'regrid_parcels',
  layer: 'parcel',
  lifecycle: 'stable' as const,
  ttl_seconds: 2_592_000,
  evidence: documented,
  root: '$.parcels.features[0].properties.fields',
  read: { absent_when: ['empty' as const, 'null' as const] },
}
const beta = { lifecycle: 'beta' as const }

export const parcel: Field[] = [
  ...documentPath(
    { ...parcelFamily, none: 'Not in the record. Also null when no parcel contains the point.' },
    {
      parcel_zoning: {
        path: '.zoning',
        pattern: '[A-Za-z0-9]',
        description: 'Local zoning code of the parcel at the point.',
        hints: 'Code of the governing municipality; meanings differ between places. Read with the description.',
      },
      parcel_zoning_description: {
        path: '.zoning_description',
        pattern: '[A-Za-z0-9]',
        description: "Description of the parcel's zoning code.",
        hints: 'Wording of the municipality or of the data provider.',
        ...beta,
      },
      parcel_apn: {
        path: '.parcelnumb',
        pattern: '[A-Za-z0-9]',
        description: 'Assessor parcel number of the parcel at the point.',
        hints: 'Text, with its leading zeros and punctuation. Unique only inside a county.',
      },
      parcel_address: {
        path: '.address',
        pattern: '[A-Za-z0-9]',
        description: 'Street address of the parcel at the point.',
        hints: 'The address of the site, not the mailing address of the owner.',
        ...beta,
      },
      parcel_owner: {
        path: '.owner',
        pattern: '[A-Za-z0-9]',
        description: 'Owner of record of the parcel at the point.',
        hints: 'As the assessor writes it, often in capitals. It can lag behind a recent sale.',
        ...beta,
      },
      parcel_area_m2: {
        path: '.ll_gisacre',
        description: 'Area of the parcel computed from its polygon.',
        hints: 'Of the one parcel at the point, also if a site has several. May differ from the deeded area.',
        derivation: 'll_gisacre times 4046.8564224.',
        ...float('m2', 2, [0, 1_000_000_000_000]),
        read: { expression: 'value * 4046.8564224' },
      },
      parcel_land_use_description: {
        path: '.usedesc',
        pattern: '[A-Za-z0-9]',
        description: 'Land use of the parcel as recorded by the assessor.',
        hints: 'Assessor vocabulary, not standardized between counties.',
        ...beta,
      },
      parcel_assessed_value_usd: {
        path: '.parval',
        description: "Total value of the parcel in the assessor's roll.",
        hints: 'Could be assessed, appraised or market value by county; zero means not recorded.',
        ...beta,
        ...float('USD', 2, [0, 100_000_000_000]),
        read: { sentinels: [0] },
      },
      parcel_year_built: {
        path: '.yearbuilt',
        description: 'Year in which the main structure on the parcel was built.',
        hints: 'Some counties give the effective year instead.',
        ...beta,
        ...integer('year', [1600, 2100]),
        read: { sentinels: [0] },
      },
    },
  ),
  ...documentPath(
    {
      ...parcelFamily,
      lifecycle: 'beta',
      root: '$.parcels.features[0]',
      none: 'No parcel contains the point.',
      read: { absent_when: ['empty', 'null', 'missing'] },
    },
    {
      parcel_id: {
        pattern: '^[0-9a-fA-F-]{36}$',
        path: '.properties.ll_uuid',
        description: 'Lasting key of the parcel at the point.',
        hints: 'A UUID that Regrid keeps when the parcel number changes.',
        read: {
          fallback: [
            {
              dataset: 'regrid_parcels',
              op: 'path',
              json_path: '$.parcels.features[0].properties.fields.ll_uuid',
              absent_when: ['empty', 'null', 'missing'],
              when: ['absent'],
            },
          ],
        },
      },
      parcel_data_source: {
        path: '.properties.fields.ll_gisacre',
        description: 'Which access to Regrid delivered the record: with all attributes, or shape and number only.',
        hints:
          'On regrid_free_tier a null owner, zoning or value is unknown, not absent. A local pack counts as regrid_paid if its records have an area; the member driver says that a pack answered.',
        derivation: 'regrid_paid if the record has an area, else regrid_free_tier.',
        enum: ['regrid_paid', 'regrid_free_tier'],
        read: {
          expression: "'regrid_paid'",
          fallback: [
            {
              dataset: 'regrid_parcels',
              op: 'computed',
              from: { outline: 'parcel_boundary_geojson' },
              expression: "'regrid_free_tier'",
              when: ['absent'],
            },
          ],
        },
      },
      parcel_boundary_geojson: {
        pattern: '^\\{',
        path: '.geometry',
        description: 'Outline of the parcel at the point, as GeoJSON in a text.',
        spoken: 'the outline of the parcel',
        hints:
          'A Polygon or MultiPolygon in WGS 84, longitude first. Your contract with the provider says what you may show to others.',
        read: { outline: 'geojson' },
      },
      parcel_geometry_wkt: {
        pattern: '^POLYGON ',
        path: '.geometry',
        description: 'Outline of the parcel at the point, as well-known text.',
        spoken: 'the outline of the parcel',
        hints:
          'One POLYGON in WGS 84, longitude first: of a parcel with several parts the largest. parcel_boundary_geojson has all parts.',
        read: { outline: 'wkt' },
      },
    },
  ),
  ...computed(
    { layer: 'parcel', ttl_seconds: 2_592_000, dataset: 'regrid_parcels' },
    {
      parcel_match_type: {
        description: 'How the parcel was chosen.',
        hints: 'Always exact_intersect: only the parcel that contains the point is answered, never a nearby one.',
        derivation: 'exact_intersect if parcel_boundary_geojson has a value.',
        null_meaning: 'No parcel contains the point.',
        enum: ['exact_intersect', 'nearest_within_radius'],
        from: { outline: 'parcel_boundary_geojson' },
        expression: "'exact_intersect'",
      },
      parcel_match_distance_m: {
        description: 'Distance from the point to the chosen parcel.',
        hints: 'Always 0: the parcel contains the point.',
        derivation: '0 if parcel_boundary_geojson has a value.',
        null_meaning: 'No parcel contains the point.',
        ...float('m', 1, [0, 1_000]),
        from: { outline: 'parcel_boundary_geojson' },
        expression: '0',
      },
      parcel_match_radius_m: {
        description: 'Radius of the search for a nearby parcel that chose the parcel.',
        hints: 'Always 0: nearby parcels are not searched.',
        derivation: '0 if parcel_boundary_geojson has a value.',
        null_meaning: 'No parcel contains the point.',
        ...float('m', 1, [0, 1_000]),
        from: { outline: 'parcel_boundary_geojson' },
        expression: '0',
      },
      developable_acres_proxy: {
        description: 'Rough area of the parcel that is not wetland, conservation easement or floodplain.',
        hints:
          'A screening value: slope, setbacks and access are not considered, and constraints that overlap count twice.',
        stand_in: 'A screening value without slope, setbacks and access.',
        derivation:
          'parcel_area_m2 in acres, times 1 minus the shares of the parcel in wetlands, conservation easements and the 1-percent floodplain, at least 0.',
        null_meaning: 'No parcel contains the point.',
        ...float('acres', 2, [0, 100_000_000]),
        from: {
          area_m2: 'parcel_area_m2',
          wetland: 'wetland_fraction_of_parcel',
          easement: 'easement_fraction_of_parcel',
          flood: {
            dataset: 'fema_nfhl_zones',
            op: 'overlap_area',
            measure: 'share',
            where: "SFHA_TF = 'T'",
            from: { outline: 'parcel_boundary_geojson' },
          },
        },
        expression: 'area_m2 * (wetland + easement + flood > 1 ? 0 : 1 - wetland - easement - flood) / 4046.8564224',
      },
      onsite_solar_potential_mwac_low: {
        description: 'Low estimate of the solar capacity that the usable land of the parcel could carry.',
        hints: 'At 10 acres per megawatt of alternating current. Grid, slope and permits are not considered.',
        derivation: 'developable_acres_proxy divided by 10.',
        null_meaning: 'No parcel contains the point.',
        ...float('MW', 2, [0, 10_000_000]),
        from: { acres: 'developable_acres_proxy' },
        expression: 'acres / 10',
      },
      onsite_solar_potential_mwac_high: {
        description: 'High estimate of the solar capacity that the usable land of the parcel could carry.',
        hints: 'At 5 acres per megawatt of alternating current. Grid, slope and permits are not considered.',
        derivation: 'developable_acres_proxy divided by 5.',
        null_meaning: 'No parcel contains the point.',
        ...float('MW', 2, [0, 20_000_000]),
        from: { acres: 'developable_acres_proxy' },
        expression: 'acres / 5',
      },
    },
  ),
  ...overlapOfParcel(
    { layer: 'parcel', ttl_seconds: 2_592_000, evidence: documented },
    {
      wetland: { dataset: 'usfws_nwi', thing: 'mapped wetlands' },
      easement: { dataset: 'padus', thing: 'conservation easements of PAD-US', where: "Category = 'Easement'" },
    },
  ),
]
