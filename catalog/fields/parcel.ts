import { documented, documentPath, float, integer } from '../families.ts'
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
        ...float('USD', 2, [0, 1_000_000_000_000]),
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
]
