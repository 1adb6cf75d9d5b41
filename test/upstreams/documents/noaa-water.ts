import { jsonAnswer, textAnswer, type SimulatedService } from '../service.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { boxFrom, isGetOf, pointFromQuery } from './match-request.ts'

// Synthetic: names, stages and depths are ours; the shapes are those of the three publishers within NOAA.

/** CO-OPS: every water-level station, in one list. */
export const coOps: SimulatedService = {
  host: 'api.tidesandcurrents.noaa.gov',
  answer(received) {
    if (!isGetOf(received, '/mdapi/prod/webapi/stations.json', { type: 'waterlevels' })) return null
    const stations = [
      station('8723170', 'Miami Beach Made Up', 'miami_beach', 0.05),
      station('8761927', 'New Canal Made Up', 'new_orleans', 0.08),
      station('8518750', 'The Battery Made Up', 'manhattan', -0.03),
      station('9455920', 'Anchorage Made Up', 'anchorage', 0.02),
      station('9755371', 'San Juan Made Up', 'san_juan', 0.01),
      { ...station('9419750', 'Crescent City Made Up', 'paradise', -2.6), tidal: true },
    ]
    return jsonAnswer({ count: stations.length, units: null, stations })
  },
}

/** The National Water Prediction Service: the gauges in a box. A box of ten degrees or more times out. */
export const nwps: SimulatedService = {
  host: 'api.water.noaa.gov',
  answer(received) {
    if (!isGetOf(received, '/nwps/v1/gauges', { srid: 'EPSG_4326' })) return null
    const box = boxFrom(['bbox.xmin', 'bbox.ymin', 'bbox.xmax', 'bbox.ymax'].map((name) => received.query.get(name)))
    if (!box) return jsonAnswer({ code: 3, message: 'bbox is not valid', details: [] }, 400)
    if (box.e - box.w >= 10 || box.n - box.s >= 10) return jsonAnswer({ message: 'Endpoint request timed out' }, 504)
    return jsonAnswer({ gauges: gauges.filter((one) => box.holds({ lat: one.latitude, lng: one.longitude })) })
  },
}

/** The precipitation frequency server: a script, not JSON. Outside its volumes the script has no quantiles. */
export const atlas14: SimulatedService = {
  host: 'hdsc.nws.noaa.gov',
  answer(received) {
    const at = pointFromQuery(received.query, 'lat', 'lon')
    if (
      !at ||
      !isGetOf(received, '/cgi-bin/new/cgi_readH5.py', { type: 'pf', data: 'depth', units: 'metric', series: 'pds' })
    )
      return null
    const name = testPlaceAt(at)
    if (!name)
      return textAnswer("result = 'none';\nErrorMsg = 'Error 3.0: Selected location is not within a project area';\n")
    const table = (share: number) =>
      `[${durations.map((hours) => `[${years.map((nth) => `'${depth_mm(hours, nth, name, share)}'`).join(',')}]`).join(',')}]`
    return textAnswer(
      `result = 'values';\nquantiles = ${table(1)};\nupper = ${table(1.2)};\nlower = ${table(0.8)};\nfile = 'made up';\nlat = ${at.lat};\nlon = ${at.lng};\ntype = 'pf';\nunit = 'metric';\n`,
    )
  },
}

/**
 * The depth of the rain of 24 hours that comes once in 100 years, in millimetres, as the table of the stand-in has it
 * (row 9, column 6).
 */
export const rain_100yr_24h_mm: Record<PlaceName, number> = {
  boulder: 150,
  miami_beach: 380,
  new_orleans: 360,
  kansas: 190,
  manhattan: 210,
  paradise: 200,
  anchorage: 110,
  san_juan: 300,
}

const durations = [1 / 12, 1 / 6, 0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 72, 96, 168, 240, 480, 720, 1_080, 1_440]
const years = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

function depth_mm(hours: number, nth: number, name: PlaceName, share: number): string {
  return (rain_100yr_24h_mm[name] * share * (hours / 24) ** 0.3 * (1 + 0.15 * (nth - 6))).toFixed(0)
}

function station(id: string, name: string, place: PlaceName, east: number) {
  return {
    id,
    name,
    lat: testPlaces[place].lat,
    lng: testPlaces[place].lng + east,
    state: 'US',
    tidal: true,
    greatlakes: false,
    timezonecorr: -5,
    affiliations: 'NWLON',
  }
}

const gauges = [
  gauge('BDRC2', 'boulder', 0.04, 'no_flooding'),
  gauge('NORL1', 'new_orleans', 0.02, 'minor'),
  gauge('CLYK1', 'kansas', 0.15, 'obs_not_current'),
  gauge('ANCA2', 'anchorage', 0.3, 'out_of_service'),
]

function gauge(lid: string, place: PlaceName, north: number, floodCategory: string) {
  const stale = floodCategory !== 'no_flooding' && floodCategory !== 'minor'
  const reading = (category: string) => ({
    primary: stale ? -999 : 5.1,
    primaryUnit: 'ft',
    secondary: stale ? -999 : 1.2,
    secondaryUnit: 'kcfs',
    floodCategory: category,
    validTime: stale ? '0001-01-01T00:00:00Z' : new Date().toISOString(),
  })
  return {
    lid,
    usgsId: '',
    name: `Made-up River at ${place}`,
    latitude: testPlaces[place].lat + north,
    longitude: testPlaces[place].lng,
    state: { abbreviation: 'US', name: 'Made up' },
    rfc: { abbreviation: 'MBRFC' },
    wfo: { abbreviation: 'BOU' },
    status: { observed: reading(floodCategory), forecast: reading('fcst_not_current') },
  }
}
