import { projectionOf } from '../../geo/projection.ts'
import { upstreamRejection, singlePointError, unexpectedResponse } from '../driver-errors.ts'
import type { Budget, Grid, RasterQuery } from '../../model/source.ts'
import { fillUrl } from '../rest/url-template.ts'
import { defineDriver, t } from '../driver.ts'
import { excerptOf } from '../rest/reply.ts'

/** The crop code of a point in one year, from the CropScape service. */
export const cropscapeDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    /** The coordinate system of its parameters. The service answers degrees with an error. */
    crs: t.String(),
    /**
     * The code of a cell in a season that is listed before its data is loaded. The previous season counts as the newest
     * there.
     */
    unloaded_code: t.Optional(t.Integer()),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, crs, unloaded_code }, _shape, { net, now }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const projection = projectionOf(crs)
    const source = async ({ at, radius_cells, radius_m, edition = 0 }: RasterQuery, budget: Budget): Promise<Grid> => {
      if (radius_cells > 0 || radius_m !== undefined) throw singlePointError(host)
      const { x, y } = projection.forward(at)
      const readCode = async (year: number) => {
        const url = fillUrl(endpoint, { year, albers_x: x.toFixed(3), albers_y: y.toFixed(3) })
        return parseCode(await net.fetchText({ url, deduplicate: true }, budget), host)
      }
      const newest = newestYear(now())
      const newestCode = edition === 0 || unloaded_code !== undefined ? await readCode(newest) : null
      const year = (newestCode === unloaded_code ? newest - 1 : newest) + edition
      const code = year === newest ? newestCode : await readCode(year)
      return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [code], year }
    }
    return { source, vintage: null, remote: { host } }
  },
})

const march = 2

/** The newest year with data: a year's layer is published in February of the next year. */
function newestYear(now: Date): number {
  return now.getUTCFullYear() - (now.getUTCMonth() >= march ? 1 : 2)
}

/** The code in the XML. Its content resembles JSON but has unquoted names. */
function parseCode(text: string, host: string): number {
  const code = /<Result>[^<]*\bvalue:\s*(\d+)/i.exec(text)?.[1]
  if (code !== undefined) return Number(code)
  const faultText = /<faultstring[^<>]*>([^<]*)/i.exec(text)?.[1]
  if (faultText === undefined) throw unexpectedResponse(host, 'a crop code', text)
  const isClientError = /<faultcode[^<>]*>[^<]*(client|sender)/i.test(text)
  throw upstreamRejection(isClientError ? 'upstream_rejected' : 'upstream_5xx', host, excerptOf(faultText))
}
