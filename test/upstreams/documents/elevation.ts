import { jsonAnswer, textAnswer, type SimulatedService } from '../service.ts'
import { elevationAt } from '../rasters/terrain.ts'
import { isGetOf, pointFromQuery } from './match-request.ts'

/** The Elevation Point Query Service. Errors and points outside the coverage are plain text with status 200. */
export const elevationPoint: SimulatedService = {
  host: 'epqs.nationalmap.gov',
  answer(request) {
    if (!isGetOf(request, '/v1/json')) return null
    const at = pointFromQuery(request.query, 'y', 'x')
    if (!at || request.query.get('wkid') !== '4326' || request.query.get('units') !== 'Meters')
      return textAnswer('Invalid or missing input parameters.')
    const z = elevationAt(at)
    if (z === null) return textAnswer('Call failed.  [Failed cloud operation: Open, Path: /vsimem/_000011B4.aux.xml]')
    return jsonAnswer({
      location: { x: at.lng, y: at.lat, spatialReference: { wkid: 4326, latestWkid: 4326 } },
      locationId: 0,
      value: z,
      rasterId: 105_724,
      resolution: 1,
    })
  },
}
