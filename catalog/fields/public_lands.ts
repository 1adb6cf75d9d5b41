import { documented, polygonAtPoint } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

export const public_lands: Field[] = [
  ...polygonAtPoint(
    {
      layer: 'public_lands',
      ttl_seconds: 2_592_000,
      evidence: documented,
      dataset: 'blm_sma',
      thing: 'mapped land',
      covers: ['conus', 'ak', 'hi'],
    },
    {
      surface_management_agency: {
        description: 'Agency that manages the land surface at the point, in the map of the Bureau of Land Management.',
        spoken: 'the agency that manages the land',
        hints:
          'PRIVATE_OR_UNKNOWN is what the map has no agency for, with the land of local governments: not a finding that the land is private. NOT_MAPPED: the map has no polygon here. Limited scale: near a border, a parcel can be on the other side.',
        derivation: 'ADMIN_AGENCY_CODE and ADMIN_DEPT_CODE, reduced to ten values.',
        null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
        enum: [
          'BLM',
          'USFS',
          'NPS',
          'FWS',
          'DOD',
          'BOR',
          'BIA',
          'OTHER_FEDERAL',
          'STATE',
          'PRIVATE_OR_UNKNOWN',
          'NOT_MAPPED',
        ],
        read: {
          none: 'NOT_MAPPED',
          expression: "ADMIN_DEPT_CODE == 'DOD' ? 'DOD' : ADMIN_AGENCY_CODE",
          classes: {
            BLM: 'BLM',
            FS: 'USFS',
            USFS: 'USFS',
            NPS: 'NPS',
            FWS: 'FWS',
            USFW: 'FWS',
            DOD: 'DOD',
            BOR: 'BOR',
            USBR: 'BOR',
            BIA: 'BIA',
            'ST*': 'STATE',
            SL: 'STATE',
            'LG*': 'PRIVATE_OR_UNKNOWN',
            PVT: 'PRIVATE_OR_UNKNOWN',
            UND: 'PRIVATE_OR_UNKNOWN',
            '*': 'OTHER_FEDERAL',
          },
        },
      },
    },
  ),
  ...polygonAtPoint(
    {
      layer: 'public_lands',
      ttl_seconds: 31_536_000,
      evidence:
        'open point: no official service of the final plan is known, so the status comes only from a pack, whose column is made at import',
      dataset: 'blm_western_solar_plan',
      thing: 'planning area',
      covers: ['conus'],
    },
    {
      blm_solar_application_land_status: {
        attribute: 'status',
        description:
          'Status of the point for solar applications on land of the BLM, in the Western Solar Plan of 2024.',
        hints: 'The plan is for 11 western states. Check with the field office whether it still stands.',
        null_meaning: 'Outside the coverage of the source (48 states and DC).',
        enum: [
          'available',
          'avoidance',
          'excluded',
          'other',
          'drecp_cdca',
          'western_washington',
          'not_blm_solar_planning_area',
        ],
        read: { none: 'not_blm_solar_planning_area' },
      },
    },
  ),
]
