import { singlePointError, unexpectedResponse } from './driver-errors.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import { fillUrl, pointValues } from './url-template.ts'
import { absentSchema } from './absent-reply.ts'
import { defineDriver, t } from './driver.ts'
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
    note: t.Optional(t.String()),
  }),
  open({ endpoint, band, absent }, _shape, { net }) {
    if (!net) return null
    const { host } = new URL(endpoint)
    const readPoint = createPointReader(net, absent)
    const source = async ({ at, radius_cells, radius_m, edition = 0 }: RasterQuery, budget: Budget): Promise<Grid> => {
      if (radius_cells > 0 || radius_m !== undefined || edition !== 0) throw singlePointError(host)
      const values = await readPoint(fillUrl(endpoint, pointValues(at)), budget)
      const value = values === null ? null : values[band - 1]
      if (value === undefined) throw unexpectedResponse(host, `at least ${band} values`, `${values!.length} values`)
      return { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [value] }
    }
    return { source, vintage: null, remote: { host } }
  },
})
