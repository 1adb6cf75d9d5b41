import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The host of the downloads. The stand-in answers its paths. */
const hostileHost = 'hostile.example.org'

const drivers = {
  hostile_area: { shape: 'features', serve: { driver: 'pack', file: 'hostile.gpkg', layer: 'areas' } },
  hostile_row: { shape: 'document', serve: { driver: 'pack', file: 'rows.gpkg', layer: 'rows' } },
  hostile_cell: { shape: 'raster', serve: { driver: 'pack', file: 'hostile.tif' } },
  hostile_xlsx: { shape: 'document', serve: { driver: 'table', asset: `https://${hostileHost}/table.xlsx` } },
  hostile_csv: { shape: 'document', serve: { driver: 'table', asset: `https://${hostileHost}/table.csv` } },
  hostile_json: { shape: 'document', serve: { driver: 'table', asset: `https://${hostileHost}/table.json` } },
  hostile_geojson: {
    shape: 'features',
    serve: { driver: 'geojson_file', asset: `https://${hostileHost}/areas.geojson` },
  },
  hostile_rest: { shape: 'document', serve: { driver: 'rest', endpoint: `https://${hostileHost}/reply.json` } },
  hostile_list: {
    shape: 'features',
    serve: {
      driver: 'rest_features',
      endpoint: `https://${hostileHost}/list.json`,
      lat: 'lat',
      lon: 'lon',
      attribute_map: { NAME: 'name' },
      whole_list: true,
    },
  },
  hostile_arcgis: {
    shape: 'features',
    serve: { driver: 'arcgis', endpoint: `https://${hostileHost}/arcgis/rest/services/areas/MapServer/0` },
  },
  hostile_cog: { shape: 'raster', serve: { driver: 'cog', asset: `https://${hostileHost}/cells.tif`, band: 1 } },
} as const

/** A field whose data comes from a hostile file. */
export type HostileField = keyof typeof drivers

/** Adds the fields to the catalog of a service that is not started yet. */
export function addHostileFields(data: string): void {
  mkdirSync(join(data, 'catalog.d'), { recursive: true })
  const names = Object.keys(drivers) as HostileField[]
  writeFileSync(
    join(data, 'catalog.d', 'hostile.json'),
    JSON.stringify({
      datasets: Object.fromEntries(names.map((name) => [name, datasetOf(name)])),
      fields: names.map(fieldOf),
    }),
  )
}

function datasetOf(name: HostileField) {
  const { shape, serve } = drivers[name]
  return {
    service: name,
    title: name,
    publisher: 'Nobody',
    license: 'none needed',
    source_url: 'https://example.org/',
    coverage: { regions: 'everywhere', note: null },
    vintage_note: null,
    ttl_seconds: 60,
    shape,
    serve: [serve],
    bulk: null,
    budget_ms: 20_000,
    needs_key: null,
  }
}

function fieldOf(name: HostileField) {
  const { shape } = drivers[name]
  return {
    name,
    description: 'Made up.',
    interpretation_hints: 'None.',
    layer: 'made_up',
    lifecycle: 'experimental',
    type: shape === 'raster' ? 'float' : 'string',
    unit: shape === 'raster' ? 'm' : null,
    null_meaning: 'Nothing there.',
    derivation: null,
    ttl_seconds: 60,
    read: { dataset: name, ...readOf(name) },
    evidence: 'made up',
  }
}

function readOf(name: HostileField) {
  const { shape } = drivers[name]
  if (name === 'hostile_rest') return { op: 'path', json_path: '$.value' }
  if (name === 'hostile_list') return { op: 'nearest_attribute', attribute: 'NAME', search_radii_m: [1000] }
  if (shape === 'features') return { op: 'attribute', attribute: 'NAME' }
  if (shape === 'raster') return { op: 'sample', resampling: 'nearest' }
  return { op: 'row', key: 'county_fips', column: 'value' }
}
