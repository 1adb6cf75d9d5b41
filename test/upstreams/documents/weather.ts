import { jsonAnswer, textAnswer, type ServiceAnswer, type SimulatedService } from '../service.ts'
import type { Point } from '../../../src/model/place.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { isGetOf, pointFromQuery } from './match-request.ts'

// Synthetic: the numbers and alerts are ours, the shapes are those of the publishers.

/** NASA POWER: the climatology of a point, one call for all parameters. Where it has none, its fill value. */
export const nasaPower: SimulatedService = {
  host: 'power.larc.nasa.gov',
  answer(received) {
    if (!isGetOf(received, '/api/temporal/climatology/point', { parameters: /[A-Z\d_,]+/, format: 'JSON' })) return null
    const at = pointFromQuery(received.query, 'latitude', 'longitude')
    const names = received.query.get('parameters')!.split(',')
    const unknown = names.filter((name) => !climate[name] && !degreeDays[name])
    if (!at || received.query.get('community') !== 'RE')
      return jsonAnswer(
        {
          header: 'The POWER Climatology API failed to complete your request',
          messages: ['Please correct the input.'],
        },
        422,
      )
    if (unknown.length > 0)
      return jsonAnswer(
        {
          header: 'The POWER Climatology API failed to complete your request',
          messages: unknown.map((name) => `One of your parameters is incorrect: ${name}`),
        },
        422,
      )
    return jsonAnswer({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [at.lng, at.lat, 1_892.4] },
      properties: {
        parameter: Object.fromEntries(names.map((name) => [name, monthly(name, climatePlaceAt(at, name))])),
      },
      header: {
        title: 'NASA/POWER Source Native Resolution Climatology Climatologies',
        api: { version: 'v2.9.4', name: 'POWER Climatology API' },
        fill_value: -999,
        range: '20-year Meteorological and Solar Monthly & Annual Climatologies (January 2001 - December 2020)',
      },
      messages: [],
      parameters: Object.fromEntries(names.map((name) => [name, { units: 'made up', longname: name }])),
      times: { data: 0.1, process: 0.1 },
    })
  },
}

/** The place in the same cell: of the sun by whole degrees, else around each half degree of latitude. */
function climatePlaceAt(at: Point, parameter: string): PlaceName | null {
  const cellOf = ({ lat, lng }: Point) =>
    parameter.startsWith('ALLSKY')
      ? `${Math.floor(lat)} ${Math.floor(lng)}`
      : `${Math.floor((lat - 0.25) / 0.5)} ${Math.floor((lng - 0.3125) / 0.625)}`
  return (Object.keys(testPlaces) as PlaceName[]).find((name) => cellOf(testPlaces[name]) === cellOf(at)) ?? null
}

/**
 * The alerts of the National Weather Service. It rejects requests without a User-Agent, and redirects coordinates with
 * more than four decimals.
 */
export const nws: SimulatedService = {
  host: 'api.weather.gov',
  answer(received) {
    if (!isGetOf(received, '/alerts/active', { point: /-?\d+(\.\d+)?,-?\d+(\.\d+)?/ })) return null
    if (!/\S+@\S+|https?:\/\//.test(received.headers.get('user-agent') ?? ''))
      return problem(403, 'Access Denied', 'A User Agent is required to identify yourself.')
    const [lat, lng] = received.query.get('point')!.split(',') as [string, string]
    const rounded = [lat, lng].map((one) => String(Number(Number(one).toFixed(4)))).join(',')
    if (/\.\d{5}/.test(lat) || /\.\d{5}/.test(lng))
      return {
        status: 301,
        type: 'application/problem+json',
        headers: { location: `https://api.weather.gov/alerts/active?point=${rounded}` },
        body: '{}',
      }
    const name = testPlaceAt({ lat: Number(lat), lng: Number(lng) })
    const features = (name ? (alerts[name] ?? []) : []).map(([event, severity, sent, status = 'Actual'], nth) => ({
      id: `https://api.weather.gov/alerts/urn:oid:${nth}`,
      type: 'Feature',
      geometry: null,
      properties: {
        id: `urn:oid:${nth}`,
        status,
        messageType: nth === 0 ? 'Alert' : 'Update',
        event,
        severity,
        certainty: 'Likely',
        urgency: 'Expected',
        sent,
        ends: null,
        headline: `${event} issued by a made-up office`,
      },
    }))
    return textAnswer(
      JSON.stringify({
        '@context': [],
        type: 'FeatureCollection',
        features,
        title: 'Current watches, warnings, and advisories',
        updated: new Date().toISOString(),
      }),
      'application/geo+json',
    )
  },
}

const alerts: Partial<Record<PlaceName, [event: string, severity: string, sent: string, status?: string][]>> = {
  new_orleans: [
    ['Coastal Flood Advisory', 'Minor', '2026-10-04T09:11:00-05:00'],
    ['Hurricane Warning', 'Extreme', '2026-10-04T10:02:00-05:00'],
    ['Tornado Warning', 'Extreme', '2026-10-04T08:40:00-05:00'],
  ],
  paradise: [['Red Flag Warning', 'Severe', '2026-10-04T07:00:00-07:00']],
  kansas: [
    ['Special Weather Statement', 'Unknown', '2026-10-04T07:00:00-05:00'],
    ['Test Message', 'Extreme', '2026-10-04T09:00:00-05:00', 'Test'],
  ],
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/**
 * Of each parameter: the mean of the year, how far the summer lies above it, and whether the year is a sum of the
 * months.
 */
const climate: Record<string, { mean: number; swing: number; summed?: true }> = {
  T2M: { mean: 9.6, swing: 12 },
  PRECTOTCORR: { mean: 1.4, swing: 0.6 },
  FROST_DAYS: { mean: 12, swing: -12, summed: true },
  ALLSKY_SFC_SW_DWN: { mean: 4.7, swing: 2.1 },
  WS10M: { mean: 3.2, swing: -0.3 },
  WS50M: { mean: 4.9, swing: -0.4 },
}

/**
 * Warmer toward the south, so that the places differ; Anchorage has the fill value for its frost days, and open country
 * for all.
 */
const warmth: Partial<Record<PlaceName, number>> = {
  miami_beach: 15.4,
  new_orleans: 11.5,
  san_juan: 17,
  anchorage: -6.8,
  manhattan: 2.9,
  paradise: 5.1,
  kansas: 3.2,
}

/** Degree days of a month of 30 days, from its mean temperature. The days scatter around it. */
const degreeDays: Record<string, (mean_c: number) => number> = {
  HDD18_3: (mean_c) => 30 * Math.max(0, 18.3 - mean_c) + 20,
  CDD18_3: (mean_c) => 30 * Math.max(0, mean_c - 18.3) + 20,
}

function monthly(name: string, place: PlaceName | null): Record<string, number> {
  if (place === null || (place === 'anchorage' && name === 'FROST_DAYS'))
    return Object.fromEntries([...months, 'ANN'].map((month) => [month, -999]))
  const ofDegrees = degreeDays[name]
  const { mean, swing, summed } = climate[ofDegrees ? 'T2M' : name]!
  const shift = ofDegrees || name === 'T2M' ? (warmth[place] ?? 0) : 0
  const values = months.map((_month, nth) => {
    const value = mean + shift - swing * Math.cos((2 * Math.PI * nth) / 12)
    return rounded(ofDegrees ? ofDegrees(value) : value)
  })
  const total = values.reduce((sum, value) => sum + value, 0)
  return {
    ...Object.fromEntries(months.map((month, nth) => [month, values[nth]!])),
    ANN: rounded(summed || ofDegrees ? total : total / 12),
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

function problem(status: number, title: string, detail: string): ServiceAnswer {
  return {
    status,
    type: 'application/problem+json',
    body: JSON.stringify({
      type: `https://api.weather.gov/problems/${title.replaceAll(' ', '')}`,
      title,
      status,
      detail,
      correlationId: 'made-up',
    }),
  }
}
