import type { Dataset } from '../../src/catalog/records.ts'

export const regrid: Record<string, Dataset> = {
  regrid_parcels: {
    service: 'regrid_parcels',
    title: 'Regrid parcels',
    publisher: 'Regrid (Loveland Technologies)',
    license: 'Commercial, metered per parcel; caching depends on the plan',
    withholds_geometry: true,
    source_url: 'https://support.regrid.com/parcel-data/schema',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: "depends on the operator's plan; the list of regions is general knowledge, not taken from the source",
    },
    vintage_note: 'By county refresh',
    dated_by: { from: '$.parcels.features[0].properties.fields', text: '{ll_last_refresh}' },
    ttl_seconds: 2_592_000,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: { env: 'REGRID_API_TOKEN', required: true },
    serve: [
      {
        driver: 'pack',
        file: 'parcels.gpkg',
        under: ['parcels', 'features'],
        columns_under: ['properties', 'fields'],
        note: 'county or state parcel layers with a column map',
      },
      {
        driver: 'rest',
        endpoint:
          'https://app.regrid.com/api/v2/parcels/point?lat={lat}&lon={lon}&radius=0&limit=1&return_geometry=true&return_matched_buildings=false&return_matched_addresses=false&return_enhanced_ownership=false&return_zoning=true&token={key}',
        metered: true,
        expects: '$.parcels.features',
        faults: [
          { status: 401, code: 'entitlement_missing' },
          { status: 402, code: 'quota_exhausted' },
          { status: 403, json_path: '$.message', matches: '[Qq]uota|[Ll]imit', code: 'quota_exhausted' },
          { status: 403, code: 'entitlement_missing' },
        ],
      },
    ],
    bulk: null,
  },
}
