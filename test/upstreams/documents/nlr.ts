import type { Point } from '../../../src/model/place.ts'
import { jsonAnswer, type ReceivedRequest, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { testPlaces } from '../test-places.ts'
import { distance_km, regionAt } from './place-at.ts'
import { decimal, isGetOf, pointFromQuery } from './match-request.ts'
import { typicalYear, windYear } from './nlr-hours.ts'

/**
 * The developer network of the National Laboratory of the Rockies: solar resource, PVWatts, fuel stations and hours. Every
 * request needs a key.
 */
export const nlr: SimulatedService = {
  host: 'developer.nlr.gov',
  answer(request) {
    const answerOf = endpoints.find(([path, requested]) => isGetOf(request, path, requested))?.[2]
    if (!answerOf) return null
    const key = request.query.get('api_key')
    if (!key) return refusal('API_KEY_MISSING', 'No api_key was supplied. Get one at https://developer.nlr.gov')
    if (key === 'refused')
      return refusal('API_KEY_INVALID', 'An invalid api_key was supplied. Get one at https://developer.nlr.gov')
    return answerOf(request)
  },
}

type Endpoint = [
  path: string,
  parameters: Record<string, string | RegExp>,
  answer: (request: ReceivedRequest) => ServiceAnswer,
]
const endpoints: Endpoint[] = [
  ['/api/solar/solar_resource/v1.json', {}, solar],
  [
    '/api/pvwatts/v8.json',
    { system_capacity: '1', azimuth: '180', tilt: decimal, array_type: '0', module_type: '0', losses: '14' },
    pvwatts,
  ],
  [
    '/api/alt-fuel-stations/v1/nearest.json',
    { fuel_type: 'ELEC', access: 'public', status: 'E', radius: /\d+(\.\d+)?|infinite/ },
    stations,
  ],
  ['/api/nsrdb/v2/solar/nsrdb-GOES-tmy-v4-0-0-download.csv', {}, typicalYear],
  ['/api/wind-toolkit/v2/wind/wtk-download.csv', {}, windYear],
]

// Synthetic, except for the annual numbers, which are those of the publisher's own example at 40, -105.
function solar(request: ReceivedRequest): ServiceAnswer {
  const at = pointFromQuery(request.query, 'lat', 'lon')
  if (!at) return jsonAnswer({ errors: ['Either address or lat/lon is required'], version: '1.0.0' }, 422)
  const covered = regionAt(at) !== 'AK' && regionAt(at) !== null
  const outputs = covered
    ? {
        avg_dni: { annual: 6.06, monthly: { jan: 5, jul: 7.7 } },
        avg_ghi: { annual: 4.81, monthly: { jan: 2.5, jul: 7 } },
        avg_lat_tilt: { annual: 5.81 },
      }
    : { avg_dni: 'no data', avg_ghi: 'no data', avg_lat_tilt: 'no data' }
  return jsonAnswer({
    version: '1.0.0',
    warnings: [],
    errors: [],
    metadata: { sources: ['Perez-SUNY/NREL, 2012'] },
    inputs: { lat: String(at.lat), lon: String(at.lng) },
    outputs,
  })
}

function pvwatts(request: ReceivedRequest): ServiceAnswer {
  const at = pointFromQuery(request.query, 'lat', 'lon')
  if (!at) return jsonAnswer({ errors: ['Either address or lat/lon is required'], version: '8.0.0' }, 422)
  if (!regionAt(at))
    return jsonAnswer(
      { errors: ['Location is too far from nearest climate data'], warnings: [], version: '8.0.0' },
      422,
    )
  return jsonAnswer({
    version: '8.0.0',
    errors: [],
    warnings: [],
    outputs: {
      ac_annual: 1_475.483,
      solrad_annual: 5.62,
      capacity_factor: 16.84,
      poa_monthly: [126.4, 131.9, 168.2, 176.5, 186.1, 187.7, 190.4, 184.3, 170.6, 153.8, 126.7, 118.2],
    },
  })
}

function stations(request: ReceivedRequest): ServiceAnswer {
  const at = pointFromQuery(request.query, 'latitude', 'longitude')
  if (!at) return jsonAnswer({ errors: ["The 'latitude' and 'longitude' parameters are required"] }, 422)
  const radius = request.query.get('radius') === 'infinite' ? Infinity : Number(request.query.get('radius'))
  if (Number.isFinite(radius) && radius > 500)
    return jsonAnswer({ errors: ["The 'radius' parameter must be at most 500"] }, 422)
  const near = chargers
    .map((one) => ({ ...one, distance: miles(at, one) }))
    .filter((one) => one.distance <= radius)
    .sort((a, b) => a.distance - b.distance)
  const limit = Number(request.query.get('limit') ?? 20)
  return jsonAnswer({
    latitude: at.lat,
    longitude: at.lng,
    total_results: near.length,
    fuel_stations: near.slice(0, limit),
  })
}

const isOpenCharger = { fuel_type_code: 'ELEC', status_code: 'E', access_code: 'public' }

const chargers = Object.entries(testPlaces)
  .filter(([name]) => name !== 'kansas')
  .flatMap(([name, { lat, lng }], nth) => [
    {
      id: 100 + nth,
      station_name: `${name} City Garage`,
      latitude: lat + 0.01,
      longitude: lng,
      ev_level2_evse_num: 4,
      ev_dc_fast_num: null,
      ev_network: 'Non-Networked',
      ...isOpenCharger,
    },
    {
      id: 200 + nth,
      station_name: `${name} Library`,
      latitude: lat,
      longitude: lng - 0.03,
      ev_level2_evse_num: 2,
      ev_dc_fast_num: 2,
      ev_network: 'ChargePoint Network',
      ...isOpenCharger,
    },
  ])

function miles(at: Point, one: { latitude: number; longitude: number }): number {
  return Math.round((distance_km(at, { lat: one.latitude, lng: one.longitude }) / 1.609344) * 100_000) / 100_000
}

function refusal(code: string, message: string): ServiceAnswer {
  return jsonAnswer({ error: { code, message } }, 403)
}
