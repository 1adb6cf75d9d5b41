import { jsonAnswer, textAnswer, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { testPlaceAt } from './place-at.ts'
import { boxFrom, isGetOf, pointFrom } from './match-request.ts'

/** The Network Linked Data Index: the stream a point drains to. It answers 404 if there is none. */
export const nldi: SimulatedService = {
  host: 'api.water.usgs.gov',
  answer(request) {
    if (!isGetOf(request, '/nldi/linked-data/comid/position', { f: 'json' })) return null
    const coords = /^POINT\((\S+) (\S+)\)$/.exec(request.query.get('coords') ?? '')
    const at = pointFrom(coords?.[2], coords?.[1])
    if (!at)
      return jsonAnswer({ type: 'error', title: 'Bad Request', status: 400, detail: 'coords is not a point' }, 400)
    const name = testPlaceAt(at)
    const comid = name ? streams[name] : undefined
    if (!comid) return textAnswer('', 'text/plain', 404)
    const navigation = `https://api.water.usgs.gov/nldi/linked-data/comid/${comid}/navigation`
    return jsonAnswer({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: {
            type: 'LineString',
            coordinates: [
              [at.lng, at.lat],
              [at.lng + 0.01, at.lat],
            ],
          },
          properties: { identifier: comid, source: 'comid', sourceName: 'NHDPlus comid', comid, navigation },
        },
      ],
    })
  },
}

/**
 * The Water Data API: the newest values in a box, ten at a time unless asked for more, and the site of each by its id.
 */
export const waterData: SimulatedService = {
  host: 'api.waterdata.usgs.gov',
  answer(request) {
    if (
      isGetOf(request, /\/ogcapi\/v0\/collections\/latest-(daily|field-measurements)\/items/, {
        f: 'json',
        parameter_code: /00060|72019/,
      })
    )
      return newest(request.query)
    if (
      isGetOf(request, /\/ogcapi\/v[01]\/collections\/latest-continuous\/items/, {
        f: 'json',
        parameter_code: /\d{5}(,\d{5})*/,
      })
    )
      return newest(request.query)
    const id = /^\/ogcapi\/v[01]\/collections\/monitoring-locations\/items\/(USGS-\d+)$/.exec(request.path)?.[1]
    if (!id || !isGetOf(request, request.path, { f: 'json' })) return null
    const site = sites.find((one) => one.id === id)
    if (!site) return jsonAnswer({ code: 'NotFound', type: 'NotFound', description: 'identifier not found' }, 404)
    return jsonAnswer({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates: site.at },
      properties: {
        monitoring_location_name: site.name,
        site_type_code: site.code === '72019' ? 'GW' : 'ST',
        hydrologic_unit_code: '101900050000',
      },
    })
  },
}

// Synthetic, except for the first comid, which is that of the publisher's example.
const streams: Partial<Record<PlaceName, string>> = {
  boulder: '2888866',
  kansas: '13294314',
  new_orleans: '22811611',
  paradise: '7999999',
}

/** Sites around the places: a gauge with two newest values, one without recent values, one iced in, and wells. */
const sites = [
  site('USGS-06730200', 'BOULDER CREEK MADE UP', '00060', near('boulder', 0.03), [
    ['121', 3],
    ['118', 0.2],
  ]),
  site('USGS-06730201', 'SILENT CREEK', '00060', near('boulder', 0.01), [['55', 24 * 30]]),
  site('USGS-07374510', 'MISSISSIPPI RIVER MADE UP', '00060', near('new_orleans', 0.02), [['412000', 0.5]]),
  site('USGS-15276000', 'SHIP CREEK MADE UP', '00060', near('anchorage', 0.02), [[null, 0.5]]),
  site('USGS-06870200', 'REPUBLICAN RIVER MADE UP', '00060', near('kansas', 0.1), [['535', 0.5]]),
  site('USGS-391653097041101', 'CLAY COUNTY WELL', '72019', near('kansas', 0.05), [['17.42', 2]]),
  site('USGS-400100105160001', 'BOULDER WELL', '72019', near('boulder', 0.12), [['8.1', 2]]),
  site('USGS-400100105160002', 'OLD KANSAS WELL', '72019', near('kansas', 0.02), [['58', 24 * 365 * 40]]),
]

function newest(query: URLSearchParams): ServiceAnswer {
  const box = boxFrom(query.get('bbox')?.split(',') ?? [])
  const limit = Number(query.get('limit') ?? 10)
  if (!box || !Number.isInteger(limit) || limit < 1 || limit > 50_000)
    return jsonAnswer({ code: 'InvalidParameterValue', description: 'bbox or limit is not valid' }, 400)
  const found = sites.filter(
    (one) =>
      query.get('parameter_code')?.split(',').includes(one.code) && box.holds({ lat: one.at[1], lng: one.at[0] }),
  )
  const features = found.flatMap((one) =>
    one.values.map(([value, hours], nth) => ({
      type: 'Feature',
      id: `${one.id}-${nth}`,
      geometry: { type: 'Point', coordinates: one.at },
      properties: {
        monitoring_location_id: one.id,
        parameter_code: one.code,
        statistic_id: '00011',
        time: new Date(Date.now() - hours * 3_600_000).toISOString().replace('Z', '+00:00'),
        value,
        unit_of_measure: one.code === '00060' ? 'ft^3/s' : 'ft',
        approval_status: 'Provisional',
        qualifier: value === null ? 'ICE' : null,
        time_series_id: `${one.id}-${nth}`,
      },
    })),
  )
  const page = features.slice(0, limit)
  return jsonAnswer({
    type: 'FeatureCollection',
    features: page,
    numberReturned: page.length,
    links: [],
    timeStamp: new Date().toISOString(),
  })
}

function site(
  id: string,
  name: string,
  code: string,
  at: [number, number],
  values: [value: string | null, hours: number][],
) {
  return { id, name, code, at, values }
}

function near(name: PlaceName, degrees: number): [lng: number, lat: number] {
  return [testPlaces[name].lng + degrees, testPlaces[name].lat]
}
