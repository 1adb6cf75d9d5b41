import { regionNear } from '../geo/us.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import { addressOf } from './address.ts'
import { driver, t } from './driver.ts'
import { identified, sampled } from './imageserver-cells.ts'
import { mosaicOf, openEditions } from './imageserver-editions.ts'
import { histogram } from './imageserver-histogram.ts'
import { lattice } from './imageserver-lattice.ts'
import { openYears } from './imageserver-years.ts'

/** An ArcGIS image service: the cell of a point, a lattice of interpolated points round it, or the counts of the codes in a circle. */
export const imageserver = driver({
  shapes: ['raster'],
  config: t.Object({
    endpoint: t.String({ pattern: '^https?://' }),
    edition_attribute: t.Optional(t.String()),
    zonal: t.Optional(t.Union([t.Literal('computeHistograms'), t.Literal('computeStatisticsHistograms')])),
    regions: t.Optional(t.Record(t.String(), t.String())),
    /** How many metres the points of a window lie apart. They are interpolated between the cells of the service: not for codes. */
    cell_m: t.Optional(t.Number({ exclusiveMinimum: 0 })),
    /** What its numbers are multiplied by, where a service keeps them in another scale than the files. */
    scale: t.Optional(t.Number()),
    nodata: t.Optional(t.Array(t.Number())),
    note: t.Optional(t.String()),
  }),
  open({ endpoint, edition_attribute, zonal, regions, cell_m, scale = 1, nodata = [] }, _shape, { net, now }) {
    if (!net) return null
    const editions = openEditions(edition_attribute, net, now)
    const cellOfYear = openYears(net)
    const said = (cell: number | null) => (cell === null || nodata.includes(cell) ? null : cell * scale)
    const source = async ({ at, radius_cells, radius_m, edition }: RasterQuery, budget: Budget): Promise<Grid> => {
      const service = regions ? addressOf(endpoint, { region: regions[regionNear(at)] }) : endpoint
      const year = await editions(service, edition, budget)
      if (year === null) return nothing
      const mosaic = mosaicOf(year === 'whole' ? [] : [year])
      if (radius_m !== undefined && zonal) return { ...nothing, counts: await histogram(net, `${service}/${zonal}`, { at, radius_m, mosaic, nodata }, budget) }
      if (radius_m === undefined && radius_cells === 0 && year !== 'whole') return { ...nothing, cells: [said(await cellOfYear({ service, at, year }, budget))], year: year.year }
      if (radius_m === undefined && radius_cells === 0) return { ...nothing, cells: [said(await identified(net, service, { at, mosaic }, budget))] }
      if (cell_m === undefined) throw new UpstreamError('unsupported_request', `${new URL(service).host} gives the cell of a point, and a window of cells was asked for.`)
      const { points, ...grid } = lattice(at, cell_m, { radius_cells, radius_m })
      return { ...grid, cells: (await sampled(net, service, { points, mosaic }, budget)).map(said) }
    }
    return { source, vintage: null, remote: { host: new URL(endpoint).host } }
  },
})

/** One cell without data, and none in the circle: what there is of a year that the service does not have. */
const nothing: Grid = { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [null], counts: {} }
