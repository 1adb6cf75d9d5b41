import type { Dataset } from '../../src/catalog/records.ts'
import { overpassDatasets, type OverpassLayer } from '../families-datasets.ts'

const tagPage = 'https://wiki.openstreetmap.org/wiki/Tag:power%3D'
/** Of at least 69,000 volts. */
const transmissionVoltage = '^(69[0-9]{3}|[7-9][0-9]{4}|[1-9][0-9]{5,6})'

const overpassLayers: Record<string, OverpassLayer> = {
  osm_substations: {
    title: 'substations',
    source_url: `${tagPage}substation`,
    budget_ms: 20_000,
    tags: 'nwr["power"="substation"]',
    attributes: ['name', 'operator', 'substation', 'voltage'],
  },
  osm_power_lines: { title: 'power lines', budget_ms: 20_000, tags: 'way["power"="line"]' },
  osm_transmission_lines: {
    title: 'power lines of every stage of life',
    source_url: `${tagPage}line`,
    budget_ms: 20_000,
    tags: 'way[~"^((construction|proposed|planned|disused|abandoned):)?power$"~"^line$"]',
    lifecycle_of: 'power',
    attributes: ['operator', 'voltage', 'circuits', 'cables'],
  },
  osm_transmission_transformers: {
    title: 'transformers of the transmission grid',
    source_url: `${tagPage}transformer`,
    budget_ms: 20_000,
    tags: `nwr["power"="transformer"]["voltage:primary"~"${transmissionVoltage}"]`,
    attributes: ['voltage:primary', 'voltage:secondary', 'rating'],
  },
  osm_major_roads: {
    title: 'major roads',
    budget_ms: 25_000,
    tags: 'way["highway"~"^(motorway|trunk|primary|secondary)$"]',
  },
  osm_roads: { title: 'roads', budget_ms: 25_000, tags: 'way["highway"]' },
}

export const osm: Record<string, Dataset> = {
  osm_coastline: {
    service: 'osm_coastline',
    title: 'Ocean coastline of OpenStreetMap, generalized, with tide stations',
    publisher: 'OpenStreetMap contributors; NOAA (tide stations)',
    license: 'ODbL 1.0',
    attribution: '© OpenStreetMap contributors, ODbL; tide stations: NOAA CO-OPS',
    source_url: 'https://wiki.openstreetmap.org/wiki/Coastline',
    coverage: {
      regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      note: 'ocean only; tidal rivers and the inner part of many bays count as land',
    },
    vintage_note: 'Not stated by the npm package of the data',
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 1_000,
    needs_key: null,
    serve: [{ driver: 'embedded', layer: 'coastline' }],
    bulk: null,
    // Against the full-resolution GSHHG 2.3.7: 98 of 100 ZIP code centroids up to 100 km from the sea are within this.
    uncertainty: {
      share: 0.8,
      least_m: 500,
      most_m: 25_000,
      note: 'The embedded coastline has segments of some 700 m, and leaves out the inner part of many bays.',
    },
  },
  tz_boundaries: {
    service: 'tz_boundaries',
    title: 'Time zone boundaries',
    publisher: 'timezone-boundary-builder',
    license: 'ODbL',
    attribution: '© OpenStreetMap contributors, ODbL',
    source_url: 'https://github.com/evansiroky/timezone-boundary-builder',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world' },
    vintage_note: 'Several releases a year',
    ttl_seconds: 7_776_000,
    shape: 'features',
    budget_ms: 1_000,
    needs_key: null,
    serve: [
      { driver: 'pack', file: 'tz.gpkg', layer: 'tz' },
      { driver: 'embedded', layer: 'timezones' },
    ],
    bulk: 'timezones.geojson.zip of the GitHub releases of evansiroky/timezone-boundary-builder',
  },
  ...overpassDatasets(overpassLayers),
}
