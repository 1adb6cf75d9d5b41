import { UpstreamError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import { parseJsonBody, decodeTextBody } from '../net/content.ts'
import type { Reply } from '../net/http-client.ts'
import { defineDriver, t } from './driver.ts'
import { excerptOf } from './reply.ts'

/** A layer of codes of a Web Map Service, by GetFeatureInfo: the code of the cell that holds the point. */
export const wmsFeatureInfoDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    layer: t.String(),
    /** The newest year the layer has; its editions are counted back from it. */
    newest_year: t.Optional(t.Integer()),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, layer, newest_year }, _shape, { net }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const source = async (query: RasterQuery, budget: Budget): Promise<Grid> => {
      if (query.radius_cells > 0 || query.radius_m !== undefined)
        throw new UpstreamError('unsupported_request', `${host} gives the code of a point, and a window was asked for.`)
      const parameters = new URLSearchParams(featureInfoParametersOf(layer, query, newest_year))
      const code = parseCode(await net.send({ url: `${endpoint}?${parameters.toString()}`, hedge: true }, budget), host)
      return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [code] }
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** Half of the box whose middle cell is asked about. */
const halfBox_degrees = 0.001

function featureInfoParametersOf(
  layer: string,
  { at: { lat, lng }, edition = 0 }: RasterQuery,
  newest_year: number | undefined,
): Record<string, string> {
  const box = [lng - halfBox_degrees, lat - halfBox_degrees, lng + halfBox_degrees, lat + halfBox_degrees].map((it) =>
    it.toFixed(7),
  )
  if (newest_year === undefined && edition !== 0)
    throw new UpstreamError(
      'unsupported_request',
      `An edition of ${-edition} years ago was asked for, and ${layer} has no years here.`,
    )
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

/** Errors come as XML with status 200. */
function parseCode(reply: Reply, host: string): number | null {
  const text = decodeTextBody(reply)
  if (text.includes('<ServiceException'))
    throw new UpstreamError('upstream_rejected', `${host} refused the question: ${exceptionTextOf(text)}`)
  const response = parseJsonBody(reply, host)
  const features = isRecord(response) ? response.features : undefined
  if (!Array.isArray(features))
    throw new UpstreamError('bad_response', `${host} was to answer with a list of features, and there is none.`)
  if (features.length === 0) return null
  const properties = isRecord(features[0]) && isRecord(features[0].properties) ? features[0].properties : {}
  const code = Object.entries(properties).find(([name]) => /^(palette|gray)_index$/i.test(name))?.[1]
  if (typeof code === 'number' && Number.isFinite(code)) return code
  throw new UpstreamError(
    'bad_value',
    `A number in PALETTE_INDEX or GRAY_INDEX was expected, and ${host} gave ${excerptOf(properties)}.`,
  )
}

function exceptionTextOf(xml: string): string {
  return excerptOf(xml.slice(xml.indexOf('<ServiceException')).replace(/<[^<>]*>/g, ' '))
}
