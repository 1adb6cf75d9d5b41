import type { Dataset } from '../../src/catalog/records.ts'

export const osm: Record<string, Dataset> = {
  osm_coastline: {
    service: 'osm_coastline', title: 'Ocean coastline of OpenStreetMap, generalised', publisher: 'OpenStreetMap contributors',
    licence: 'ODbL 1.0',
    attribution: '© OpenStreetMap contributors, ODbL',
    source_url: 'https://wiki.openstreetmap.org/wiki/Coastline',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'ocean only: river mouths and many bays count as land' },
    vintage_note: 'Not stated by the data package',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [{ driver: 'embedded', layer: 'coastline' }],
    bulk: null,
  },
  tz_boundaries: {
    service: 'tz_boundaries', title: 'Time zone boundaries', publisher: 'timezone-boundary-builder',
    licence: 'ODbL',
    attribution: '© OpenStreetMap contributors, ODbL',
    source_url: 'https://github.com/evansiroky/timezone-boundary-builder',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'Several releases a year',
    ttl_seconds: 7_776_000, shape: 'features', budget_ms: 1_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'tz.gpkg', layer: 'tz' },
      { driver: 'embedded', layer: 'timezones' },
    ],
    bulk: 'timezones.geojson.zip of the GitHub releases of evansiroky/timezone-boundary-builder',
  },
  osm_substations: {
    service: 'osm_overpass', title: 'OpenStreetMap substations through Overpass', publisher: 'OpenStreetMap contributors',
    licence: 'ODbL',
    attribution: '© OpenStreetMap contributors, ODbL',
    source_url: 'https://wiki.openstreetmap.org/wiki/Tag:power%3Dsubstation',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'Live',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'osm_substations.gpkg' },
      {
        driver: 'overpass', endpoint: 'https://overpass-api.de/api/interpreter', tags: 'nwr["power"="substation"]',
        note: 'asked only when the operator names an instance (FIELDSTONE_OVERPASS), and then that one',
      },
    ],
    bulk: 'Geofabrik us-latest.osm.pbf',
  },
  osm_power_lines: {
    service: 'osm_overpass', title: 'OpenStreetMap power lines through Overpass', publisher: 'OpenStreetMap contributors',
    licence: 'ODbL',
    attribution: '© OpenStreetMap contributors, ODbL',
    source_url: 'https://wiki.openstreetmap.org/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'Live',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 20_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'osm_power_lines.gpkg' },
      {
        driver: 'overpass', endpoint: 'https://overpass-api.de/api/interpreter', tags: 'way["power"="line"]',
        note: 'asked only when the operator names an instance (FIELDSTONE_OVERPASS), and then that one',
      },
    ],
    bulk: 'Geofabrik us-latest.osm.pbf',
  },
  osm_major_roads: {
    service: 'osm_overpass', title: 'OpenStreetMap major roads through Overpass', publisher: 'OpenStreetMap contributors',
    licence: 'ODbL',
    attribution: '© OpenStreetMap contributors, ODbL',
    source_url: 'https://wiki.openstreetmap.org/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'Live',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 25_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'osm_major_roads.gpkg' },
      {
        driver: 'overpass', endpoint: 'https://overpass-api.de/api/interpreter', tags: 'way["highway"~"^(motorway|trunk|primary|secondary)$"]',
        note: 'asked only when the operator names an instance (FIELDSTONE_OVERPASS), and then that one',
      },
    ],
    bulk: 'Geofabrik us-latest.osm.pbf',
  },
  osm_roads: {
    service: 'osm_overpass', title: 'OpenStreetMap roads through Overpass', publisher: 'OpenStreetMap contributors',
    licence: 'ODbL',
    attribution: '© OpenStreetMap contributors, ODbL',
    source_url: 'https://wiki.openstreetmap.org/',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'Live',
    ttl_seconds: 2_592_000, shape: 'features', budget_ms: 25_000, needs_key: null,
    serve: [
      { driver: 'pack', file: 'osm_roads.gpkg' },
      {
        driver: 'overpass', endpoint: 'https://overpass-api.de/api/interpreter', tags: 'way["highway"]',
        note: 'asked only when the operator names an instance (FIELDSTONE_OVERPASS), and then that one',
      },
    ],
    bulk: 'Geofabrik us-latest.osm.pbf',
  },
}
