import type { Dataset } from '../../src/catalog/records.ts'
import { featureLayers } from '../families-datasets.ts'

const copies = 'https://services5.arcgis.com/HDRa0B57OVrv2E1q/arcgis/rest/services'
const copyNote = 'a copy of the closed federal layer; its host states no owner and no license'

/** Layers of the Homeland Infrastructure Foundation-Level Data, which was closed on 2025-08-26. */
export const hifld: Record<string, Dataset> = featureLayers(
  {
    publisher: 'HIFLD',
    regions: ['conus', 'ak', 'hi'],
    confidence: { level: 'medium', reason: 'A copy of a layer that is closed and no longer updated.' },
  },
  {
    hifld_substations: {
      title: 'Electric substations',
      source_url: 'https://atlas.eia.gov/',
      vintage_note: 'Copied before the original was closed; the day is not stated',
      endpoint: `${copies}/Electric_Substations/FeatureServer/0`,
      arcgis: { note: copyNote },
      sentinels: [-999999, 'NOT AVAILABLE'],
      attributes: ['NAME', 'STATUS', 'MAX_VOLT'],
    },
    hifld_gas_compressors: {
      title: 'Natural gas compressor stations',
      source_url: 'https://atlas.eia.gov/',
      vintage: '2015',
      vintage_note: 'About 2015',
      endpoint: `${copies}/Natural_Gas_Compressor_Stations/FeatureServer/0`,
      arcgis: { note: copyNote },
    },
    hifld_iso_rto: {
      title: 'Independent system operators and regional transmission organizations',
      source_url: 'https://doi.org/10.3886/E239294V1',
      regions: ['conus'],
      vintage: '2017',
      vintage_note: 'Edition 2017 of the copy',
      endpoint:
        'https://services2.arcgis.com/OmhjjQKPQ4s7vrAK/arcgis/rest/services/Independent_System_Operators/FeatureServer/0',
      arcgis: { area: true, note: 'a copy of the closed federal layer at the Natural Resources Defense Council' },
      classes: {
        'MIDCONTINENT INDEPENDENT TRANSMISSION SYSTEM OPERATOR*': 'MISO',
        'SOUTHWEST POWER POOL*': 'SPP',
        'PJM INTERCONNECTION*': 'PJM',
        'ELECTRIC RELIABILITY COUNCIL OF TEXAS*': 'ERCOT',
        'CALIFORNIA INDEPENDENT SYSTEM OPERATOR*': 'CAISO',
        'ISO NEW ENGLAND*': 'ISO-NE',
        'NEW YORK INDEPENDENT SYSTEM OPERATOR*': 'NYISO',
      },
    },
  },
)
