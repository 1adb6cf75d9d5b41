import { textAnswer, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { boxFrom, isGetOf } from '../documents/match-request.ts'
import { regionAt } from '../documents/place-at.ts'
import { nlcdAt } from './imageservers.ts'

const layer = 'mrlc_Land-Cover-Native_conus_year_data:Land-Cover-Native_conus_year_data'

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
    const known = isGetOf({ ...received, query }, '/geoserver/mrlc_Land-Cover-Native_conus_year_data/wms', {
      service: 'WMS',
      version: '1.1.1',
      request: 'GetFeatureInfo',
    })
    if (!known) return null
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
    const code = regionAt(at) === 'CONUS' ? nlcdAt(at, year) : 250
    return said(query.get('info_format'), code)
  },
}

function said(format: string | null, code: number | null): ServiceAnswer {
  if (format === 'application/json') {
    return textAnswer(
      JSON.stringify({
        type: 'FeatureCollection',
        features: [{ type: 'Feature', id: '', geometry: null, properties: { PALETTE_INDEX: code } }],
        totalFeatures: 'unknown',
        numberReturned: 1,
        crs: null,
      }),
      'application/json',
    )
  }
  if (format === 'text/plain')
    return textAnswer(
      `Results for FeatureType '${layer}':\n--------------------------------------------\nPALETTE_INDEX = ${code}.0\n--------------------------------------------\n`,
    )
  return exception('InvalidFormat', `The requested info_format ${format} is not known`)
}

function exception(code: string, message: string): ServiceAnswer {
  return textAnswer(
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?><ServiceExceptionReport version="1.1.1"><ServiceException code="${code}">${message}</ServiceException></ServiceExceptionReport>`,
    'application/vnd.ogc.se_xml',
  )
}
