import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, type SimulatedService } from '../service.ts'
import type { PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { isGetOf, pointFromQuery } from './match-request.ts'
import parcelsFile from './regrid-parcels.json' with { type: 'json' }

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
const parcels: Partial<Record<PlaceName, Record<string, string | number | null>>> = parcelsFile
