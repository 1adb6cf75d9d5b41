import type { Static } from '@sinclair/typebox'
import { numberOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import type { Budget, Grid, RasterQuery, Value } from '../model/source.ts'
import { driver, t } from './driver.ts'
import { withoutKey } from './reply.ts'
import { answer, answerOf } from './rest-answer.ts'
import { asking, hostOf, question } from './rest-question.ts'

const config = t.Object({
  ...question,
  ...answer,
  /** Where the one value of a raster stands, and the numbers that mean "no value". */
  json_path: t.Optional(t.String()),
  nodata: t.Optional(t.Array(t.Number())),
  /** Every call is billed. */
  metered: t.Optional(t.Boolean()),
  note: t.Optional(t.String()),
})

/** A service that answers one question with one JSON document. What says "nothing here" is an empty list, which has no members and no rows. */
export const rest = driver({
  shapes: ['document', 'raster'],
  config,
  open(config, shape, { net, now }, about) {
    const callOf = asking(config, about, now)
    if (net === null || callOf === null) return null
    const host = hostOf(config.endpoint)
    const { acceptedStatuses, documentOf } = answerOf(config, host)
    const billing = config.metered ? { metered: true as const } : {}
    const document = async (query: Parameters<typeof callOf>[0], budget: Budget) =>
      documentOf(withoutKey(await net.send({ ...callOf(query), acceptedStatuses, ...billing }, budget), about.key))
    return { source: shape === 'raster' ? cell(document, config, host) : document, vintage: null, remote: { host, ...billing } }
  },
})

/** A service that knows one value at a point, as a raster of one cell. */
function cell(document: (query: Pick<RasterQuery, 'at'>, budget: Budget) => Promise<unknown>, { json_path = '$', nodata = [] }: Static<typeof config>, host: string) {
  const find = compileJsonPath(json_path)
  return async ({ at, radius_cells, radius_m = 0, edition, level }: RasterQuery, budget: Budget): Promise<Grid> => {
    if (radius_cells > 0 || radius_m > 0 || edition !== undefined || level !== undefined)
      throw new UpstreamError('unsupported_request', `${host} gives the value at a point only, and more was asked.`)
    const [found = null] = find(await document({ at }, budget)) ?? []
    return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [cellOf(found, nodata, host)] }
  }
}

function cellOf(found: unknown, nodata: number[], host: string): number | null {
  if (found === null) return null
  const value = numberOf(found as Value)
  if (value === null || !Number.isFinite(value)) throw new UpstreamError('bad_value', `${host} gave ${JSON.stringify(found).slice(0, 100)}, where a number was expected.`)
  return nodata.includes(value) ? null : value
}
