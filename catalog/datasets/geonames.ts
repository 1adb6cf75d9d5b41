import type { Dataset } from '../../src/catalog/records.ts'

export const geonames: Record<string, Dataset> = {
  geonames_places: {
    service: 'geonames', title: 'Populated places of GeoNames with a population of 1,000 or more', publisher: 'GeoNames',
    licence: 'CC BY 4.0', attribution: 'GeoNames, CC BY 4.0', source_url: 'https://www.geonames.org/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'with 190 sections of large cities (feature code PPLX)' },
    vintage_note: 'The edition inside the data package; many populations are of the early 2010s',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [{ driver: 'embedded', layer: 'places' }],
    bulk: null,
  },
  geonames_cities_50k: {
    service: 'geonames', title: 'Cities of GeoNames with 50,000 inhabitants or more', publisher: 'GeoNames',
    licence: 'CC BY 4.0', attribution: 'GeoNames, CC BY 4.0', source_url: 'https://www.geonames.org/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'sections of cities (feature code PPLX) are left out' },
    vintage_note: 'As geonames_places',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [{ driver: 'embedded', layer: 'places', where: "FCODE <> 'PPLX' AND POPULATION >= 50000" }],
    bulk: null,
  },
  geonames_cities_250k: {
    service: 'geonames', title: 'Cities of GeoNames with 250,000 inhabitants or more', publisher: 'GeoNames',
    licence: 'CC BY 4.0', attribution: 'GeoNames, CC BY 4.0', source_url: 'https://www.geonames.org/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'sections of cities (feature code PPLX) are left out' },
    vintage_note: 'As geonames_places',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [{ driver: 'embedded', layer: 'places', where: "FCODE <> 'PPLX' AND POPULATION >= 250000" }],
    bulk: null,
  },
  geonames_postal_codes: {
    service: 'geonames', title: 'Postal codes of GeoNames with their centroids', publisher: 'GeoNames',
    licence: 'CC BY 4.0', attribution: 'GeoNames, CC BY 4.0', source_url: 'https://download.geonames.org/export/zip/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'a centroid a code; codes without sane coordinates are left out; in the territories the internal points of the ZIP Code Tabulation Areas of the Census Bureau, so none of post boxes alone' },
    vintage_note: 'The edition inside the data package',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [{ driver: 'embedded', layer: 'zips' }],
    bulk: null,
  },
}
