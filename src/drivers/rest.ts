import type { Static } from '@sinclair/typebox'
import { numberOf } from '../geo/attribute.ts'
import { singlePointError, unexpectedValue } from './driver-errors.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { isNothingHere } from '../model/nothing-here.ts'
import { isPlainValue } from '../model/record.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import { defineDriver, t } from './driver.ts'
import { redactKey } from './reply.ts'
import { responseSettings, createReplyParser } from './rest-response.ts'
import { createCallBuilder, endpointHostOf, requestSettings } from './rest-request.ts'

const config = t.Object({
  ...requestSettings,
  ...responseSettings,
  /** The path of the value of a raster, and the numbers that mean "no value". */
  json_path: t.Optional(t.String()),
  nodata: t.Optional(t.Array(t.Number())),
  /** Every call is billed. */
  metered: t.Optional(t.Boolean()),
  note: t.Optional(t.String()),
})

/** A service that returns one JSON document per query. "Nothing here" becomes `nothingHere`. */
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

/** Returns the value at a point as a raster of one cell. */
function createCellSource(
  fetchDocument: (query: Pick<RasterQuery, 'at'>, budget: Budget) => Promise<unknown>,
  { json_path = '$', nodata = [] }: Static<typeof config>,
  host: string,
) {
  const find = compileJsonPath(json_path)
  return async ({ at, radius_cells, radius_m = 0, edition, level }: RasterQuery, budget: Budget): Promise<Grid> => {
    if (radius_cells > 0 || radius_m > 0 || edition !== undefined || level !== undefined) throw singlePointError(host)
    const document = await fetchDocument({ at }, budget)
    const cell = isNothingHere(document) ? null : parseCell(find(document)[0], nodata, host)
    return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [cell] }
  }
}

function parseCell(found: unknown, nodata: number[], host: string): number | null {
  const value = isPlainValue(found) ? numberOf(found) : null
  if (value === null || !Number.isFinite(value)) throw unexpectedValue(host, 'a number', found)
  return nodata.includes(value) ? null : value
}
