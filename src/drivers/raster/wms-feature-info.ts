import {
  missingEditionError,
  upstreamRejection,
  singlePointError,
  unexpectedResponse,
  unexpectedValue,
} from '../driver-errors.ts'
import { UpstreamError } from '../../model/error.ts'
import { isRecord } from '../../model/record.ts'
import type { Budget, Grid, RasterQuery } from '../../model/source.ts'
import { parseJsonBody, decodeTextBody, smallJsonMax_bytes } from '../../net/content.ts'
import type { Reply } from '../../net/http-client.ts'
import { defineDriver, t } from '../driver.ts'
import { excerptOf } from '../rest/reply.ts'
import { throwStructuredError } from '../rest/structured-error.ts'

/** A layer of codes from a Web Map Service, by GetFeatureInfo: the code of the cell that contains the point. */
export const wmsFeatureInfoDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    layer: t.String(),
    /** The newest year of the layer; editions count back from it. */
    newest_year: t.Optional(t.Integer()),
    /** The newest year is the last one that the service knows; it is looked up once a day. */
    find_newest_year: t.Optional(t.Literal(true)),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, layer, newest_year, find_newest_year }, _shape, { net, now }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const readCode = async (query: RasterQuery, newest: number | undefined, budget: Budget) => {
      const parameters = new URLSearchParams(featureInfoParametersOf(layer, query, newest))
      const url = `${endpoint}?${parameters.toString()}`
      return parseCode(await net.send({ url, hedge: true, cap_bytes: smallJsonMax_bytes }, budget), host)
    }
    let found: { year: number; day: string } | null = null
    /** The code of the newest year that has a value at the point, and that year; the last year tried if none has. */
    const readNewest = async (query: RasterQuery, budget: Budget): Promise<{ code: number | null; year: number }> => {
      const [day, last] = [now().toISOString().slice(0, 10), now().getUTCFullYear() - 1]
      if (found?.day === day) return { code: await readCode(query, found.year, budget), year: found.year }
      for (let year = last; ; year--) {
        const code = await readCode(query, year, budget).catch(nullForUnknownYear)
        if (code !== null) found = { year, day }
        if (code !== null || year === last - yearsTried) return { code, year }
      }
    }
    const source = async (query: RasterQuery, budget: Budget): Promise<Grid> => {
      if (query.radius_cells > 0 || query.radius_m !== undefined) throw singlePointError(host)
      if (!find_newest_year) return cellGrid(await readCode(query, newest_year, budget))
      const { edition = 0 } = query
      const { code, year } = await readNewest({ ...query, edition: 0 }, budget)
      if (edition === 0 || code === null) return { ...cellGrid(code), year: year + edition }
      return { ...cellGrid(await readCode(query, year, budget)), year: year + edition }
    }
    return { source, vintage: null, remote: { host } }
  },
})

/** How many years before the last one are tried: a year is published in the summer after it. */
const yearsTried = 3

function cellGrid(code: number | null): Grid {
  return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [code] }
}

/** Turns the rejection of a year that the service does not have into "no value". */
function nullForUnknownYear(error: unknown): null {
  if (error instanceof UnknownYearError) return null
  throw error
}

class UnknownYearError extends UpstreamError {}

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
  if (text.includes('<ServiceException')) throw rejectionOf(text, host)
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

function rejectionOf(xml: string, host: string): UpstreamError {
  const rejection = upstreamRejection('upstream_rejected', host, exceptionTextOf(xml))
  return xml.includes('InvalidDimensionValue') ? new UnknownYearError(rejection.code, rejection.message) : rejection
}

function exceptionTextOf(xml: string): string {
  return excerptOf(xml.slice(xml.indexOf('<ServiceException')).replace(/<[^<>]*>/g, ' '))
}
