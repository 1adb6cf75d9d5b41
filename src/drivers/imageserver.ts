import { regionNear } from '../geo/us.ts'
import { UpstreamError } from '../model/error.ts'
import type { Budget, Grid, RasterQuery } from '../model/source.ts'
import { fillUrl } from './url-template.ts'
import { defineDriver, t } from './driver.ts'
import { identifyCell, sampleCells } from './imageserver-cells.ts'
import { mosaicParametersOf, createEditionFinder } from './imageserver-editions.ts'
import { fetchHistogram } from './imageserver-histogram.ts'
import { createLattice } from './imageserver-lattice.ts'
import { createYearlyCellReader } from './imageserver-yearly-cells.ts'

/** An ArcGIS image service: the cell of a point, a lattice of interpolated points round it, or the counts of the codes in a circle. */
export const imageserverDriver = defineDriver({
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
    const findEdition = createEditionFinder(edition_attribute, net, now)
    const readYearlyCell = createYearlyCellReader(net)
    const scaleCell = (cell: number | null) => (cell === null || nodata.includes(cell) ? null : cell * scale)
    const source = async ({ at, radius_cells, radius_m, edition }: RasterQuery, budget: Budget): Promise<Grid> => {
      const service = regions ? fillUrl(endpoint, { region: regions[regionNear(at)] }) : endpoint
      const year = await findEdition(service, edition, budget)
      if (year === null) return noDataGrid
      const mosaic = mosaicParametersOf(year === 'whole' ? [] : [year])
      if (radius_m !== undefined && zonal)
        return {
          ...noDataGrid,
          counts: await fetchHistogram(net, `${service}/${zonal}`, { at, radius_m, mosaic, nodata }, budget),
        }
      if (radius_m === undefined && radius_cells === 0 && year !== 'whole')
        return {
          ...noDataGrid,
          cells: [scaleCell(await readYearlyCell({ service, at, year }, budget))],
          year: year.year,
        }
      if (radius_m === undefined && radius_cells === 0)
        return { ...noDataGrid, cells: [scaleCell(await identifyCell(net, service, { at, mosaic }, budget))] }
      if (cell_m === undefined)
        throw new UpstreamError(
          'unsupported_request',
          `${new URL(service).host} gives the cell of a point, and a window of cells was asked for.`,
        )
      const { points, ...grid } = createLattice(at, cell_m, { radius_cells, radius_m })
      return { ...grid, cells: (await sampleCells(net, service, { points, mosaic }, budget)).map(scaleCell) }
    }
    return { source, vintage: null, remote: { host: new URL(endpoint).host } }
  },
})

/** One cell without data, and none in the circle: what there is of a year that the service does not have. */
const noDataGrid: Grid = { width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [null], counts: {} }
