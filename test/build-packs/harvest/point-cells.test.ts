import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  createCellHarvester,
  createCellRasterHarvester,
  type PointService,
} from '../../../src/drivers/raster/point-cells.ts'
import type { JsonValue } from '../../../src/drivers/harvest.ts'
import { openFolderJournal } from '../../../src/build-packs/harvest/journal.ts'
import type { Point } from '../../../src/model/place.ts'
import type { HttpClient } from '../../../src/net/http-client.ts'
import { openRasters } from '../../../src/raster/rasters.ts'
import { workers } from '../../../src/workers.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = temporaryFolder()
const rasters = openRasters({ startWorker: workers.raster })
afterAll(() => rasters.close())
const host = 'points.example'
const box = { w: -105.4, s: 39.9, e: -105.1, n: 40.1 }
const noBudget = { signal: new AbortController().signal }
/** The reading functions below send nothing. */
const net = {} as HttpClient
const weather = { lat: { step: 0.5, edge: 0.25 }, lng: { step: 0.625, edge: 0.3125 } }
const sun = { lat: { step: 1, edge: 0 }, lng: { step: 1, edge: 0 } }
let folders = 0
const openJournal = (folder = join(root, String(++folders))) =>
  openFolderJournal(folder, { now: () => new Date(), onPage() {} })
const service = <T>(read: (at: Point) => T, grids: PointService<T>['grids']): PointService<T> => ({
  host,
  net,
  grids,
  read: (at) => Promise.resolve(read(at)),
})
const cellOf = ({ lat, lng }: Point, { lat: y, lng: x }: typeof sun): string =>
  `${Math.floor((lat - y.edge) / y.step)} ${Math.floor((lng - x.edge) / x.step)}`

describe('A service that answers points is copied by the cells of its grids', () => {
  test('up to a number of cells, which counts over all boxes', async () => {
    const tiny = { lat: { step: 0.001, edge: 0 }, lng: { step: 0.001, edge: 0 } }
    const harvester = createCellHarvester(service<JsonValue>(() => 0, [tiny]))
    const beside = { ...box, w: box.e + 1, e: box.e + 1.15 }
    expect((await harvester.estimate([beside], noBudget)).requests).toBeGreaterThan(30_000)
    const both = [beside, { ...beside, w: beside.w + 1, e: beside.e + 1 }]
    expect(Promise.try(() => harvester.estimate(both, noBudget))).rejects.toMatchObject({ code: 'too_large' })
  })

  test('a document for each rectangle in which no grid has an edge', async () => {
    const requested: Point[] = []
    const read = (at: Point) => {
      requested.push(at)
      return { weather: cellOf(at, weather), sun: cellOf(at, sun) }
    }
    const harvester = createCellHarvester(service<JsonValue>(read, [weather, sun]))
    const [layer] = await harvester.copy([box], openJournal(), noBudget)
    // The edges in and around the box are 39.75, 40 and 40.25; and -105.9375, -105.3125 and -105.
    expect([layer!.features, requested.length]).toEqual([4, 20])
    expect((await harvester.estimate([box], noBudget)).requests).toBe(20)
  })

  test('one that has other edges than the catalog says is caught', () => {
    const shifted = service<JsonValue>((at) => cellOf(at, { ...weather, lng: { step: 0.625, edge: 0.2 } }), [weather])
    expect(createCellHarvester(shifted).copy([box], openJournal(), noBudget)).rejects.toThrow(
      /points\.example answers differently at .* Its data has another grid than the catalog says/,
    )
    const interpolated = service<number | null>(({ lat }) => lat, [weather])
    expect(
      createCellRasterHarvester(interpolated).copy([box], openJournal(), noBudget, join(root, 'a.tif')),
    ).rejects.toThrow('answers differently')
  })

  test('numbers become a raster, and a cell without a number has none', async () => {
    const step = 1 / 24
    const grid = { lat: { step, edge: 0 }, lng: { step, edge: 0 } }
    const truth = (at: Point): number | null => {
      const [row, column] = [Math.floor(at.lat / step), Math.floor(at.lng / step)]
      return (row + column) % 7 === 0 ? null : row + column / 1_000
    }
    const path = join(root, 'numbers.tif')
    const copied = await createCellRasterHarvester(service(truth, [grid])).copy([box], openJournal(), noBudget, path)
    const raster = await rasters.openFile(path)
    for (let i = 0; i < 200; i++) {
      const at = {
        lat: 0.000_1 + box.s + ((box.n - box.s) * ((i * 37) % 200)) / 200,
        lng: box.w + ((box.e - box.w) * i) / 200,
      }
      const { cells } = await raster.window({ at, radius_cells: 0 }, {}, noBudget)
      expect([at, cells]).toEqual([at, [truth(at)]])
    }
    expect(copied.cells).toBe(48)
  })

  test('an area with too many cells is refused before a request is sent', () => {
    const harvester = createCellHarvester(service<JsonValue>(() => expect.unreachable(), [weather]))
    const world = { w: -180, s: -90, e: 180, n: 90 }
    expect(harvester.copy([world], openJournal(), noBudget)).rejects.toThrow('Use a smaller area.')
  })
})
