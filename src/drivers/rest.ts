import type { Static } from '@sinclair/typebox'
import { numberOf } from '../geo/attribute.ts'
import { UpstreamError } from '../model/error.ts'
import { compileJsonPath } from '../model/json-path.ts'
import type { Budget, Grid, RasterQuery, Value } from '../model/source.ts'
import { defineDriver, t } from './driver.ts'
import { redactKey } from './reply.ts'
import { responseSettings, createReplyParser } from './rest-response.ts'
import { createCallBuilder, endpointHostOf, requestSettings } from './rest-request.ts'

const config = t.Object({
  ...requestSettings,
  ...responseSettings,
  /** Where the one value of a raster stands, and the numbers that mean "no value". */
  json_path: t.Optional(t.String()),
  nodata: t.Optional(t.Array(t.Number())),
  /** Every call is billed. */
  metered: t.Optional(t.Boolean()),
  note: t.Optional(t.String()),
})

/** A service that answers one question with one JSON document. What says "nothing here" is an empty list, which has no members and no rows. */
export const restDriver = defineDriver({
  shapes: ['document', 'raster'],
  config,
  open(config, shape, { net, now }, dataset) {
    const buildCall = createCallBuilder(config, dataset, now)
    if (net === null || buildCall === null) return null
    const host = endpointHostOf(config.endpoint)
    const { acceptedStatuses, parseReply } = createReplyParser(config, host)
    const billing = config.metered ? { metered: true as const } : {}
    const fetchDocument = async (query: Parameters<typeof buildCall>[0], budget: Budget) =>
      parseReply(redactKey(await net.send({ ...buildCall(query), acceptedStatuses, ...billing }, budget), dataset.key))
    return {
      source: shape === 'raster' ? createCellSource(fetchDocument, config, host) : fetchDocument,
      vintage: null,
      remote: { host, ...billing },
    }
  },
})

/** A service that knows one value at a point, as a raster of one cell. */
function createCellSource(
  fetchDocument: (query: Pick<RasterQuery, 'at'>, budget: Budget) => Promise<unknown>,
  { json_path = '$', nodata = [] }: Static<typeof config>,
  host: string,
) {
  const find = compileJsonPath(json_path)
  return async ({ at, radius_cells, radius_m = 0, edition, level }: RasterQuery, budget: Budget): Promise<Grid> => {
    if (radius_cells > 0 || radius_m > 0 || edition !== undefined || level !== undefined)
      throw new UpstreamError('unsupported_request', `${host} gives the value at a point only, and more was asked.`)
    const [found = null] = find(await fetchDocument({ at }, budget)) ?? []
    return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [parseCell(found, nodata, host)] }
  }
}

function parseCell(found: unknown, nodata: number[], host: string): number | null {
  if (found === null) return null
  const value = numberOf(found as Value)
  if (value === null || !Number.isFinite(value))
    throw new UpstreamError(
      'bad_value',
      `${host} gave ${JSON.stringify(found).slice(0, 100)}, where a number was expected.`,
    )
  return nodata.includes(value) ? null : value
}
