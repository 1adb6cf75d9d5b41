import {
  missingEditionError,
  upstreamRejection,
  singlePointError,
  unexpectedResponse,
  unexpectedValue,
} from './driver-errors.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import { parseJsonBody, decodeTextBody } from '../net/content.ts'
import type { Reply } from '../net/http-client.ts'
import { defineDriver, t } from './driver.ts'
import { excerptOf } from './reply.ts'
import { throwStructuredError } from './structured-error.ts'

/** A layer of codes from a Web Map Service, by GetFeatureInfo: the code of the cell that contains the point. */
export const wmsFeatureInfoDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    layer: t.String(),
    /** The newest year of the layer; editions count back from it. */
    newest_year: t.Optional(t.Integer()),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, layer, newest_year }, _shape, { net }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const source = async (query: RasterQuery, budget: Budget): Promise<Grid> => {
      if (query.radius_cells > 0 || query.radius_m !== undefined) throw singlePointError(host)
      const parameters = new URLSearchParams(featureInfoParametersOf(layer, query, newest_year))
      const code = parseCode(await net.send({ url: `${endpoint}?${parameters.toString()}`, hedge: true }, budget), host)
      return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [code] }
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** Half the size of the requested box. The query is for its middle cell. */
const halfBox_degrees = 0.001

function featureInfoParametersOf(
  layer: string,
  { at: { lat, lng }, edition = 0 }: RasterQuery,
  newest_year: number | undefined,
): Record<string, string> {
  const box = [lng - halfBox_degrees, lat - halfBox_degrees, lng + halfBox_degrees, lat + halfBox_degrees].map((it) =>
    it.toFixed(7),
  )
  if (newest_year === undefined && edition !== 0) throw missingEditionError(layer, edition)
  return {
    service: 'WMS',
    version: '1.1.1',
    request: 'GetFeatureInfo',
    layers: layer,
    query_layers: layer,
    srs: 'EPSG:4326',
    bbox: box.join(','),
    width: '3',
    height: '3',
    x: '1',
    y: '1',
    info_format: 'application/json',
    ...(newest_year !== undefined && { time: `${newest_year + edition}-01-01T00:00:00.000Z` }),
  }
}

/** The code in a response. The service sends errors as XML with status 200. */
function parseCode(reply: Reply, host: string): number | null {
  const text = decodeTextBody(reply)
  if (text.includes('<ServiceException')) throw upstreamRejection('upstream_rejected', host, exceptionTextOf(text))
  const response = parseJsonBody(reply, host)
  throwStructuredError(response, host)
  const { type, features } = isRecord(response) ? response : {}
  if (type !== 'FeatureCollection' || !Array.isArray(features))
    throw unexpectedResponse(host, 'a list of features', response)
  if (features.length === 0) return null
  const properties = isRecord(features[0]) && isRecord(features[0].properties) ? features[0].properties : {}
  const code = Object.entries(properties).find(([name]) => /^(palette|gray)_index$/i.test(name))?.[1]
  if (typeof code === 'number' && Number.isFinite(code)) return code
  throw unexpectedValue(host, 'a number in PALETTE_INDEX or GRAY_INDEX', properties)
}

function exceptionTextOf(xml: string): string {
  return excerptOf(xml.slice(xml.indexOf('<ServiceException')).replace(/<[^<>]*>/g, ' '))
}
