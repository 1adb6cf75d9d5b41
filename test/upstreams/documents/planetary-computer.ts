import { jsonAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from '../service.ts'
import type { Point } from '../../../src/model/place.ts'
import type { PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { isGetOf, pointFrom } from './match-request.ts'
import { scenesAt, simulateSceneSearch, type TestScene } from './scenes.ts'

/** Microsoft's Planetary Computer: the search for scenes, and the values of an item at a point. */
export const planetaryComputer: SimulatedService = {
  host: 'planetarycomputer.microsoft.com',
  answer(received) {
    if (received.path === '/api/stac/v1/search') return search(received)
    const path = /^\/api\/data\/v1\/item\/point\/([^,/]+),([^,/]+)$/.exec(received.path)
    const at = pointFrom(path?.[2], path?.[1])
    if (!at || !isGetOf(received, received.path, { collection: /[\w-]+/, item: /\S+/, assets: /\w+/ })) return null
    const isNormal = received.query.get('collection') === 'noaa-climate-normals-gridded'
    return values(received.query, testPlaceAt(isNormal ? middleOfNormalCell(at) : at), at)
  },
}

/** The normals have 24 cells in a degree. */
function middleOfNormalCell({ lat, lng }: Point): Point {
  const middle = (degrees: number) => (Math.floor(degrees * 24) + 0.5) / 24
  return { lat: middle(lat), lng: middle(lng) }
}

function search(received: ReceivedRequest): ServiceAnswer {
  const found = simulateSceneSearch(received, 'sentinel-2-l2a')
  if (!found)
    return jsonAnswer(
      { code: 'RequestValidationError', description: 'The request is not a search of a known collection' },
      400,
    )
  const features = found.scenes.map((scene) => ({
    id: scene.id,
    type: 'Feature',
    collection: 'sentinel-2-l2a',
    stac_version: '1.1.0',
    bbox: [],
    geometry: { type: 'Polygon', coordinates: [] },
    links: [],
    properties: {
      datetime: scene.date.toISOString(),
      'eo:cloud_cover': scene.cloud,
      's2:mgrs_tile': scene.tile,
      's2:processing_baseline': scene.baseline,
      platform: 'Sentinel-2B',
    },
    assets: Object.fromEntries(
      ['B04', 'B08', 'SCL'].map((name) => [
        name,
        {
          href: `https://sentinel2l2a01.blob.core.windows.net/sentinel2-l2/${scene.id}/${name}.tif`,
          type: 'image/tiff; application=geotiff; profile=cloud-optimized',
        },
      ]),
    ),
  }))
  return jsonAnswer({
    type: 'FeatureCollection',
    features,
    links: [{ rel: 'self', href: 'https://planetarycomputer.microsoft.com/api/stac/v1/search' }],
  })
}

function values(
  query: URLSearchParams,
  place: PlaceName | null,
  { lat, lng }: { lat: number; lng: number },
): ServiceAnswer {
  const assets = query.getAll('assets')
  const read = query.get('collection') === 'sentinel-2-l2a' ? scene(query.get('item')!, place) : normal(query, place)
  if (!read || assets.some((name) => read[name] === undefined))
    return jsonAnswer({ detail: 'Point is outside dataset bounds' }, 404)
  return jsonAnswer({
    coordinates: [lng, lat],
    values: assets.map((name) => read[name]),
    band_names: assets.map((name) => `${name}_b1`),
  })
}

function scene(id: string, place: PlaceName | null): Record<string, number> | null {
  const found = scenesAt(place).find((one) => one.id === id)
  return found ? { B04: dn(found.red, found), B08: dn(found.nir, found), SCL: found.scl } : null
}

/** Digital numbers have 1000 added since baseline 04.00. */
function dn(reflectance: number, { baseline }: TestScene): number {
  return Math.round(reflectance * 10_000) + (Number(baseline) >= 4 ? 1_000 : 0)
}

function normal(query: URLSearchParams, place: PlaceName | null): Record<string, number | null> | null {
  if (query.get('collection') !== 'noaa-climate-normals-gridded') return null
  const found = place ? normals[place] : undefined
  const [tavg, prcp, tminJanuary, tmaxJuly] = found ?? [null, null, null, null]
  const items: Record<string, Record<string, number | null>> = {
    '1991_2020-annual': { tavg_norm: tavg, prcp_norm: prcp },
    '1991_2020-monthly-01': { tmin_norm: tminJanuary },
    '1991_2020-monthly-07': { tmax_norm: tmaxJuly },
  }
  return place === 'san_juan' || place === 'anchorage' ? null : (items[query.get('item') ?? ''] ?? null)
}

/**
 * Synthetic, except for Miami: mean and rain of the year, coldest of January and warmest of July. At sea the cell is
 * NaN, which JSON can only call null.
 */
const normals: Partial<Record<PlaceName, [number, number, number, number]>> = {
  boulder: [10.8, 524.2, -6.4, 31.2],
  miami_beach: [25, 1_539.86, 16.4, 31.9],
  new_orleans: [21.1, 1_601.3, 8.1, 33.1],
  kansas: [12.7, 812.9, -7.9, 33.4],
  manhattan: [12.9, 1_258.4, -2.4, 29.4],
  paradise: [15.8, 1_377.6, 3.2, 33.6],
}
