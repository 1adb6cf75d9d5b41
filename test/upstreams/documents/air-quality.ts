import { jsonAnswer, type SimulatedService } from '../service.ts'
import type { PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { isGetOf, pointFromQuery } from './match-request.ts'

// Synthetic: the readings are ours, in the schema of the publisher.

/**
 * AirNow: the newest readings near a point, in the schema of 2026. None near: status 200 with an error. The address
 * before this one was retired and answers an empty list everywhere.
 */
export const airnow: SimulatedService = {
  host: 'www.airnowapi.org',
  answer(request) {
    const at = pointFromQuery(request.query, 'latitude', 'longitude')
    const format = { format: 'application/json' }
    if (at && isGetOf(request, '/aq/observation/latLong/current/', format)) return jsonAnswer([])
    if (!at || !isGetOf(request, '/aq/observation/current/ziplatlong/', format)) return null
    const key = request.query.get('API_KEY')
    if (!key || key === 'refused') return jsonAnswer({ WebServiceError: [{ Message: 'Invalid API key' }] }, 401)
    const name = testPlaceAt(at)
    const found = name ? readings[name] : undefined
    return jsonAnswer(found ?? { WebServiceError: [{ Message: 'No data available for this location.' }] })
  },
}

/**
 * Open-Meteo: a model that covers the world; for the hour in open country it has no values, which it says with null.
 */
export const openMeteoService: SimulatedService = {
  host: 'air-quality-api.open-meteo.com',
  answer(request) {
    if (!isGetOf(request, '/v1/air-quality', { current: /[a-z\d_]+(,[a-z\d_]+)*/ })) return null
    const at = pointFromQuery(request.query, 'latitude', 'longitude')
    if (!at) return jsonAnswer({ error: true, reason: 'Latitude must be in range of -90 to 90°.' }, 400)
    const known: Record<string, [unit: string, value: number]> = {
      us_aqi: ['USAQI', 41],
      pm2_5: ['μg/m³', 7.1],
      pm10: ['μg/m³', 12.4],
      ozone: ['μg/m³', 88],
    }
    const requested = request.query.get('current')!.split(',')
    const unknown = requested.find((name) => !known[name])
    if (unknown)
      return jsonAnswer(
        {
          error: true,
          reason: `Cannot initialize SurfacePressureAndHeightVariable from invalid String value ${unknown}.`,
        },
        400,
      )
    const column = (nth: 0 | 1) =>
      Object.fromEntries(
        requested.map((name) => [name, nth === 1 && testPlaceAt(at) === null ? null : known[name]![nth]]),
      )
    return jsonAnswer({
      latitude: at.lat,
      longitude: at.lng,
      generationtime_ms: 0.1,
      utc_offset_seconds: 0,
      timezone: 'GMT',
      elevation: 1,
      current_units: { time: 'iso8601', interval: 'seconds', ...column(0) },
      current: { time: new Date().toISOString().slice(0, 16), interval: 3_600, ...column(1) },
    })
  },
}

const reading = (siteName: string, parameterName: string, nowcastAQI: number) => ({
  dateObserved: '2026-10-08',
  hourObserved: '14:00',
  localTimeZone: 'MDT',
  reportingAreaName: siteName,
  siteID: '000000000',
  siteName,
  parameterName,
  nowcastAQI,
  aqiCategoryName: 'Good',
  reportingAgency: 'Made-up Agency',
  lookupBehavior: 'Closest Reading By Pollutant',
  consideredMonitors: 'All',
  lookupBoundary: '50 Miles',
})

const readings: Partial<Record<PlaceName, unknown[]>> = {
  boulder: [reading('Boulder', 'O3', 44), reading('Boulder', 'PM2.5', 31)],
  manhattan: [reading('Manhattan', 'PM2.5', 52), reading('Manhattan', 'O3', -1)],
  paradise: [reading('Paradise', 'PM2.5', -1)],
  san_juan: [reading('San Juan', 'PM2.5', 18)],
  miami_beach: [reading('Miami Beach', 'PM2.5', 42)],
}
