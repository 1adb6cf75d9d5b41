import type { Dataset } from '../../../src/catalog/records.ts'
import { testPlaces } from '../test-places.ts'
import { jsonPost, formPost, type RequestInput } from './send-request.ts'

type Way = Dataset['serve'][number]

/**
 * Returns the request of a source option, as documented by its publisher, or `null` if the option uses no format of its
 * own.
 */
export function requestOfOption(way: Way): { url: string; question: RequestInput } | null {
  switch (way.driver) {
    case 'rest': {
      const body = way.body && filled(JSON.stringify(way.body))
      const query =
        typeof way.query === 'string'
          ? `?${filled(way.query)}`
          : way.query
            ? `?${new URLSearchParams(Object.entries(way.query).map(([name, value]): [string, string] => [name, filled(String(value))])).toString()}`
            : ''
      return { url: encoded(filled(way.endpoint)) + query, question: body ? jsonPost(JSON.parse(body)) : {} }
    }
    case 'rest_text':
    case 'rest_features':
    case 'ogc_features':
      return { url: encoded(filled(way.endpoint)), question: {} }
    case 'stac_point':
      return { url: encoded(filled(way.endpoint)), question: {} }
    case 'geojson_file':
      return { url: filled(way.asset), question: {} }
    case 'table':
    case 'cog':
      return { url: filled(way.asset), question: {} }
    case 'imageserver':
      return {
        url: `${filled(way.endpoint)}/getSamples`,
        question: formPost({
          f: 'json',
          geometryType: 'esriGeometryMultipoint',
          geometry: JSON.stringify({ points: [[at.lng, at.lat]], spatialReference: { wkid: 4326 } }),
        }),
      }
    case 'sda':
      return {
        url: way.endpoint,
        question: jsonPost({ query: filled(Object.values(way.sql).join('; ')), format: 'JSON+COLUMNNAME' }),
      }
    case 'stac':
      return {
        url: way.endpoint,
        question: jsonPost({
          collections: [way.collection],
          intersects: { type: 'Point', coordinates: [at.lng, at.lat] },
          datetime: `${daysAgo(60)}T00:00:00Z/${daysAgo(0)}T00:00:00Z`,
          limit: 6,
        }),
      }
    case 'overpass':
      return {
        url: way.endpoint,
        question: formPost({
          data: `[out:json][timeout:25];nwr["power"="substation"](around:20000,${at.lat},${at.lng});out center tags;`,
        }),
      }
    case 'cropscape':
      return { url: filled(way.endpoint), question: {} }
    case 'wms_feature_info':
      return {
        url: `${way.endpoint}?service=WMS&version=1.1.1&request=GetFeatureInfo&layers=${way.layer}&query_layers=${way.layer}&srs=EPSG:4326&bbox=${at.lng - 0.001},${at.lat - 0.001},${at.lng + 0.001},${at.lat + 0.001}&width=3&height=3&x=1&y=1&info_format=application/json`,
        question: {},
      }
    default:
      return null
  }
}

const at = testPlaces.boulder

const values: Record<string, string> = {
  lat: String(at.lat),
  lon: String(at.lng),
  w: '-105.5',
  s: '39.9',
  e: '-105',
  n: '40.2',
  miles: '30',
  key: 'made-up',
  year: String(new Date().getUTCFullYear() - 2),
  quarter: '1',
  county_fips: '08013',
  ss: '08',
  ccc: '013',
  nhdplus_comid: '2888866',
  huc12_code: '101900050504',
  state: 'CO',
  nfip_community_id: '080024',
  variables: 'B01003_001E',
  for: 'tract:012203',
  in: 'state:08 county:013',
  'today-10y': '2016-01-01',
  albers_x: '-777000',
  albers_y: '1903000',
  region: 'CONUS',
  tile: 'n41w106',
  monitoring_location_id: 'USGS-06730200',
  YYYYMMDD: tuesday().replaceAll('-', ''),
  footprint: JSON.stringify(
    JSON.stringify({
      type: 'Polygon',
      coordinates: [
        [
          [-105.271, 40.014],
          [-105.27, 40.014],
          [-105.27, 40.016],
          [-105.271, 40.014],
        ],
      ],
    }),
  ).slice(1, -1),
}

function filled(template: string): string {
  return template
    .replaceAll('occurrence_{tile}', 'occurrence_110W_50N')
    .replaceAll(/\{([\w-]+)\}/g, (form, name: string) => values[name] ?? form)
}

function encoded(url: string): string {
  return new URL(url).href
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** Returns a Tuesday about two weeks ago. */
function tuesday(): string {
  const today = new Date().getUTCDay()
  return daysAgo(((today + 5) % 7) + 7)
}
