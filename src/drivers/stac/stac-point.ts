import { singlePointError, unexpectedResponse } from '../driver-errors.ts'
import type { Budget, Grid, RasterQuery } from '../../model/source.ts'
import { fillUrl, pointValues } from '../rest/url-template.ts'
import { absentSchema, type AbsentReply } from '../rest/absent-reply.ts'
import { defineDriver, t } from '../driver.ts'
import type { Point } from '../../model/place.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { createCellRasterHarvester, pointGridsSchema } from '../raster/point-cells.ts'
import { createPointReader } from './stac-values.ts'

/**
 * The value of one asset of a STAC item, from the point endpoint of a data API. Datasets with the same assets share a
 * request.
 */
export const stacPointDriver = defineDriver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    collection: t.String(),
    item: t.String(),
    asset: t.String(),
    /** The position of the value, in the order in which the URL names the assets. */
    band: t.Integer({ minimum: 1 }),
    /** The reply by which the service says that the item does not cover the point. */
    absent: t.Optional(absentSchema),
    /** The grid of the item. */
    grids: t.Optional(pointGridsSchema),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, band, absent }, _shape, { net }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const readValue = createValueReader({ endpoint, band, absent }, net)
    const source = async ({ at, radius_cells, radius_m, edition = 0 }: RasterQuery, budget: Budget): Promise<Grid> => {
      if (radius_cells > 0 || radius_m !== undefined || edition !== 0) throw singlePointError(host)
      return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [await readValue(at, budget)] }
    }
    return { source, vintage: null, remote: { host } }
  },
  canHarvest: ({ grids }) => grids !== undefined,
  harvest({ endpoint, band, absent, grids }, { net }) {
    if (!grids) return null
    const read = (at: Point, client: HttpClient, budget: Budget) =>
      createValueReader({ endpoint, band, absent }, client)(at, budget)
    return createCellRasterHarvester({ host: new URL(endpoint).host, net, grids, read })
  },
})

type PointEndpoint = { endpoint: string; band: number; absent: AbsentReply | undefined }

/** Reads the value of the band at a point; null if the item has none there. */
function createValueReader({ endpoint, band, absent }: PointEndpoint, net: HttpClient) {
  const readPoint = createPointReader(net, absent)
  return async (at: Point, budget: Budget): Promise<number | null> => {
    const values = await readPoint(fillUrl(endpoint, pointValues(at)), budget)
    const value = values === null ? null : values[band - 1]
    if (value !== undefined) return value
    throw unexpectedResponse(new URL(endpoint).host, `at least ${band} values`, `${values!.length} values`)
  }
}
