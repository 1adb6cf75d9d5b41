import type { Dataset } from '../../src/catalog/records.ts'
import { ofSubwatershed, usgsWaterData } from '../families-datasets.ts'

const waterData = 'https://api.waterdata.usgs.gov/ogcapi/v0/collections'
const national: Dataset['coverage'] = {
  regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
  note: 'national; the list of regions is general knowledge, not taken from the source',
}
const modeled: Dataset['confidence'] = { level: 'medium', reason: 'Modeled, for a subwatershed.' }
const conterminous: Dataset['coverage'] = { regions: ['conus'], note: 'subwatersheds of the 48 states and DC' }

/** Daily and occasional readings of the USGS, and its models of the use of water. */
export const usgsWaterUse: Record<string, Dataset> = {
  usgs_waterdata_daily_discharge: usgsWaterData('usgs_waterdata', {
    title: 'USGS Water Data, latest daily values: mean discharge',
    source_url: 'https://api.waterdata.usgs.gov/',
    coverage: national,
    vintage_note: 'Daily, provisional',
    dated_by: { text: '{time}' },
    ttl_seconds: 21_600,
    shape: 'features',
    serve: [
      {
        driver: 'ogc_features',
        endpoint: `${waterData}/latest-daily/items?bbox={w},{s},{e},{n}&parameter_code=00060&statistic_id=00003&limit=2000&f=json`,
        newest: { of: 'monitoring_location_id', time: 'time', max_age_seconds: 604_800 },
      },
    ],
    distinct: 'monitoring_location_id',
  }),
  usgs_waterdata_field_levels: usgsWaterData('usgs_waterdata', {
    title: 'USGS Water Data, latest field measurements: depth to water',
    source_url: 'https://api.waterdata.usgs.gov/',
    coverage: national,
    confidence: { level: 'medium', reason: 'A reading that can be decades old, at a well elsewhere.' },
    vintage_note: 'The last visit to the well, which can be decades ago',
    dated_by: { text: '{time}' },
    ttl_seconds: 86_400,
    shape: 'features',
    serve: [
      {
        driver: 'ogc_features',
        endpoint: `${waterData}/latest-field-measurements/items?bbox={w},{s},{e},{n}&parameter_code=72019&limit=2000&f=json`,
        newest: { of: 'monitoring_location_id', time: 'time', max_age_seconds: 10_000_000_000 },
      },
    ],
    distinct: 'monitoring_location_id',
  }),
  usgs_thermoelectric_water_use: usgsWaterData('usgs_nwaa', {
    title: 'Water use of thermoelectric plants by subwatershed, 2008-2020',
    source_url: 'https://www.sciencebase.gov/catalog/item/63adc826d34e92aad3ca5af4',
    coverage: conterminous,
    vintage: '2020',
    confidence: modeled,
    vintage_note: 'Calendar year 2020, the last of the model',
    ttl_seconds: 31_536_000,
    shape: 'document',
    serve: ofSubwatershed('model=wu-thermoelectric&variable=tecuftot&timeres=annualcy&startdate=2020&enddate=2020'),
  }),
  usgs_water_supply_use_index: usgsWaterData('usgs_nwaa', {
    title: 'Surface water supply and use index by subwatershed',
    source_url: 'https://www.sciencebase.gov/catalog/item/6685ad6bd34e10615ec29864',
    coverage: conterminous,
    vintage: '2020',
    confidence: modeled,
    vintage_note: 'Water year 2020 (October 2019 to September 2020), the last of the model',
    ttl_seconds: 31_536_000,
    shape: 'document',
    serve: ofSubwatershed(
      'model=iwa-assessment-outputs-conus-2025&variable=sui&timeres=annualwy&startdate=2020&enddate=2020',
    ),
  }),
  usgs_self_supplied_households: usgsWaterData('usgs_self_supplied_households', {
    title: 'Households with a private well, modeled on a grid of 1 km',
    source_url: 'https://doi.org/10.5066/P13BILQT',
    coverage: { regions: ['conus'], note: '48 states' },
    vintage: '2020',
    confidence: { level: 'medium', reason: 'Modeled from census blocks, on a grid of 1 km.' },
    vintage_note: 'Census blocks of 2020',
    ttl_seconds: 31_536_000,
    shape: 'raster',
    needs_key: null,
    budget_ms: 1_000,
    serve: [{ driver: 'pack', file: 'usgs_self_supplied_households.tif' }],
    note: 'pack only: the files of the data release were not seen. The pack has households per km2 in an equal-area grid of 1 km.',
  }),
}
