import { projectionOf } from '../geo/projection.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import { fillUrl } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { isMarkup, excerptOf } from './reply.ts'

/** The crop code of a point in one year, from the service of CropScape. */
export const cropscapeDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** What it takes coordinates in: degrees are answered with an error. */
    crs: t.String(),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, crs }, _shape, { net, now }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const projection = projectionOf(crs)
    const source = async ({ at, radius_cells, radius_m, edition = 0 }: RasterQuery, budget: Budget): Promise<Grid> => {
      if (radius_cells > 0 || radius_m !== undefined)
        throw new UpstreamError('unsupported_request', `${host} gives the code of a point, and a window was asked for.`)
      const { x, y } = projection.forward(at)
      const year = newestYear(now()) + edition
      const url = fillUrl(endpoint, { year, albers_x: x.toFixed(3), albers_y: y.toFixed(3) })
      const code = parseCode(await net.fetchText({ url }, budget), host)
      return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [code], year }
    }
    return { source, vintage: null, remote: { host } }
  },
})

const march = 2

/** The layer of a year comes out in February of the next. */
function newestYear(now: Date): number {
  return now.getUTCFullYear() - (now.getUTCMonth() >= march ? 1 : 2)
}

/** What stands in the XML looks like JSON and is not: its names are unquoted. */
function parseCode(text: string, host: string): number {
  const code = /<Result>[^<]*\bvalue:\s*(\d+)/i.exec(text)?.[1]
  if (code !== undefined) return Number(code)
  const faultText = /<faultstring[^<>]*>([^<]*)/i.exec(text)?.[1]
  if (faultText === undefined)
    throw new UpstreamError(
      'bad_response',
      `${host} was to answer with a code, and answered with ${isMarkup(text) ? 'a page' : 'a text'} without one.`,
    )
  const isClientError = /<faultcode[^<>]*>[^<]*(client|sender)/i.test(text)
  throw new UpstreamError(
    isClientError ? 'upstream_rejected' : 'upstream_5xx',
    `${host} could not answer: ${excerptOf(faultText)}`,
  )
}
