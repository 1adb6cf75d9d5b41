import { json, text, type Service } from '../service.ts'
import { elevationAt } from '../rasters/terrain.ts'
import { gets, pointOf } from './question.ts'

/** The Elevation Point Query Service. Errors and points outside the coverage are plain text with status 200. */
export const elevationPoint: Service = {
  host: 'epqs.nationalmap.gov',
  answer(request) {
    if (!gets(request, '/v1/json')) return null
    const at = pointOf(request.query, 'y', 'x')
    if (!at || request.query.get('wkid') !== '4326' || request.query.get('units') !== 'Meters')
      return text('Invalid or missing input parameters.')
    const z = elevationAt(at)
    if (z === null) return text('Call failed.')
    return json({
      location: { x: at.lng, y: at.lat, spatialReference: { wkid: 4326, latestWkid: 4326 } },
      locationId: 0,
      value: z,
      rasterId: 105_724,
      resolution: 1,
    })
  },
}
