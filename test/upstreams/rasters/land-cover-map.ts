import type { Point } from '../../../src/model/place.ts'
import { textAnswer, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { boxFrom, isGetOf } from '../documents/match-request.ts'
import { regionAt } from '../documents/place-at.ts'
import { nlcdAt } from './imageservers.ts'

/** The layers, each in a workspace of its own, and the member of an answer that has the value. */
const layers: Record<string, { member: string; valueAt: (at: Point, year: number) => number | null }> = {
  'Land-Cover': { member: 'PALETTE_INDEX', valueAt: nlcdAt },
  // A developed place is sealed to the share of its class.
  'Fractional-Impervious-Surface': {
    member: 'GRAY_INDEX',
    valueAt: (at, year) => sealedShares[nlcdAt(at, year) ?? 0] ?? 0,
  },
}
const sealedShares: Record<number, number> = { 21: 10, 22: 35, 23: 65, 24: 90 }

/**
 * The land cover map of MRLC, behind a GeoServer: the value of the middle cell of a tiny map. Errors are XML with
 * status 200.
 */
export const landCoverMap: SimulatedService = {
  host: 'dmsdata.cr.usgs.gov',
  answer(received) {
    const query = new URLSearchParams(
      [...received.query].map(([name, value]): [string, string] => [name.toLowerCase(), value]),
    )
    const request = { service: 'WMS', version: '1.1.1', request: 'GetFeatureInfo' }
    const [name, { member, valueAt }] = Object.entries(layers).find(([it]) =>
      isGetOf({ ...received, query }, `/geoserver/mrlc_${it}-Native_conus_year_data/wms`, request),
    ) ?? ['', layers['Land-Cover']!]
    if (name === '') return null
    const layer = `mrlc_${name}-Native_conus_year_data:${name}-Native_conus_year_data`
    if (query.get('layers') !== layer || query.get('query_layers') !== layer)
      return exception('LayerNotDefined', `Could not find layer ${query.get('layers')}`)
    const box = query.get('srs') === 'EPSG:4326' ? boxFrom(query.get('bbox')?.split(',') ?? []) : null
    const [width, height, x, y] = ['width', 'height', 'x', 'y'].map((name) =>
      Number(query.get(name) ?? Number.NaN),
    ) as [number, number, number, number]
    if (!box || !(width > 0 && height > 0 && x >= 0 && x < width && y >= 0 && y < height))
      return exception('MissingParameterValue', 'The map is not well described')
    const at = {
      lat: box.n - ((y + 0.5) * (box.n - box.s)) / height,
      lng: box.w + ((x + 0.5) * (box.e - box.w)) / width,
    }
    const time = query.get('time')
    const year = time ? Number(/^(\d{4})/.exec(time)?.[1] ?? Number.NaN) : 2_024
    if (!(year >= 1_985 && year <= 2_024))
      return exception('InvalidDimensionValue', `Could not find a match for 'time' value: '${time}'`)
    const code = regionAt(at) === 'CONUS' ? valueAt(at, year) : 250
    return said(query.get('info_format'), layer, { [member]: code })
  },
}

function said(format: string | null, layer: string, properties: Record<string, number | null>): ServiceAnswer {
  if (format === 'application/json') {
    return textAnswer(
      JSON.stringify({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', id: '', geometry: null, properties }],
        totalFeatures: 'unknown',
        numberReturned: 1,
        crs: null,
      }),
      'application/json',
    )
  }
  if (format === 'text/plain') {
    const lines = Object.entries(properties).map(([name, value]) => `${name} = ${value}.0`)
    const rule = '--------------------------------------------'
    return textAnswer([`Results for FeatureType '${layer}':`, rule, ...lines, rule, ''].join('\n'))
  }
  return exception('InvalidFormat', `The requested info_format ${format} is not known`)
}

function exception(code: string, message: string): ServiceAnswer {
  return textAnswer(
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?><ServiceExceptionReport version="1.1.1"><ServiceException code="${code}">${message}</ServiceException></ServiceExceptionReport>`,
    'application/vnd.ogc.se_xml',
  )
}
