import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, type SimulatedService } from '../service.ts'
import type { PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { isGetOf, pointFromQuery } from './match-request.ts'

/** Regrid's parcels. A trial token sees no parcel beyond its area; a token may be refused, or its month be spent. */
export const regridService: SimulatedService = {
  host: 'app.regrid.com',
  answer(request) {
    const at = pointFromQuery(request.query, 'lat', 'lon')
    if (
      !at ||
      !isGetOf(request, '/api/v2/parcels/point', {
        limit: '1',
        radius: '0',
        return_geometry: 'true',
        return_zoning: 'true',
      })
    )
      return null
    const token = request.query.get('token')
    if (!token) return jsonAnswer({ status: 'error', message: 'An access token is required' }, 401)
    if (token === 'refused') return jsonAnswer({ status: 'error', message: 'Invalid token' }, 403)
    if (token === 'trial')
      return jsonAnswer({ status: 'error', message: 'This area is not included in API trials.' }, 403)
    const name = testPlaceAt(at)
    const fields = name ? parcels[name] : undefined
    const features = fields
      ? [
          {
            type: 'Feature',
            id: 1,
            geometry: { type: 'Polygon', coordinates: [parcelRing(at)] },
            properties: {
              headline: 'Made-up parcel',
              path: '/us/made/up/1',
              ll_uuid: '00000000-0000-0000-0000-000000000001',
              context: { headline: 'Made up', active: true },
              fields,
            },
          },
        ]
      : []
    return jsonAnswer({
      parcels: { type: 'FeatureCollection', features },
      zoning: { type: 'FeatureCollection', features: [] },
    })
  },
}

/** A parcel of about 0.7 acres around its point. */
function parcelRing({ lat, lng }: Point): number[][] {
  const [dx, dy] = [0.0003, 0.00025]
  const [west, east, south, north] = [lng - dx, lng + dx, lat - dy, lat + dy]
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}

// Synthetic, except for the first, whose values are those of the publisher's own sample of an office building, its
// value of 0 for "unknown" included; only its county is that of the place.
const parcels: Partial<Record<PlaceName, Record<string, string | number | null>>> = {
  boulder: {
    geoid: '08013',
    parcelnumb: '02001069-71',
    parcelnumb_no_formatting: '0200106971',
    address: '440 BURROUGHS ST',
    owner: 'MADE-UP OFFICES LLC',
    usecode: '22320',
    usedesc: 'OFFICE BLDG-3 STORIES OR MORE',
    zoning: 'SD2',
    zoning_description: 'Special Development District Mixed Use',
    zoning_type: 'Planned',
    yearbuilt: 1926,
    parvaltype: 'ASSESSED',
    parval: 0,
    lat: '42.365083',
    lon: '-83.073037',
    qoz: 'Yes',
    qoz_tract: '26163518900',
    ll_gisacre: 0.69741,
    ll_gissqft: 30_380,
    ll_last_refresh: '2023-01-31',
  },
  manhattan: {
    geoid: '36061',
    parcelnumb: '1-00000-0001',
    address: '350 FIFTH AVE',
    owner: null,
    usedesc: 'OFFICE',
    zoning: 'C5-3',
    zoning_description: 'Restricted Central Commercial',
    yearbuilt: 1931,
    parval: 123_456_789,
    ll_gisacre: 1.9,
    lat: '40.7484',
    lon: '-73.9857',
  },
  kansas: {
    geoid: '20027',
    parcelnumb: '014-000',
    address: null,
    owner: 'MADE-UP FARM',
    usedesc: 'AGRICULTURAL',
    zoning: null,
    zoning_description: null,
    yearbuilt: 0,
    parval: 21_340,
    ll_gisacre: 158.2,
    lat: '39.28',
    lon: '-97.07',
  },
}
