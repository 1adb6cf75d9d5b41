import type { Dataset } from '../../src/catalog/records.ts'

export const smithsonian: Record<string, Dataset> = {
  gvp_holocene_volcanoes: {
    service: 'gvp_holocene_volcanoes',
    title: 'Holocene volcanoes of the world',
    publisher: 'Smithsonian Institution GVP',
    license: 'Free with citation, not public domain',
    attribution: 'Global Volcanism Program, Smithsonian Institution',
    source_url: 'https://volcano.si.edu/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: null,
    ttl_seconds: 2_592_000,
    shape: 'features',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'gvp_holocene_volcanoes.gpkg' },
      {
        driver: 'geojson_file',
        asset:
          'https://webservices.volcano.si.edu/geoserver/GVP-VOTW/ows?service=WFS&version=2.0.0&request=GetFeature&typeName=GVP-VOTW:Smithsonian_VOTW_Holocene_Volcanoes&outputFormat=application/json',
        refresh_seconds: 2_592_000,
      },
    ],
    bulk: null,
  },
}
