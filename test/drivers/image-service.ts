import { imageserverDriver } from '../../src/drivers/imageserver/imageserver.ts'
import type { Grid, RasterQuery } from '../../src/model/source.ts'
import { datasetInfo, imageBudget, startImageHost, type ImageRequest } from './image-host.ts'

export const boulder = { lat: 40.01, lng: -105.27 }
export const service = 'https://images.example.gov/rest/services/Cover/ImageServer'
export type ImageSettings = Parameters<typeof imageserverDriver.open>[0]
type Source = (query: RasterQuery, budget: { signal: AbortSignal }) => Promise<Grid>

/** Opens the driver on an image service that answers by a function. */
export function openImageSource(answer: (requests: ImageRequest) => unknown, settings: Partial<ImageSettings> = {}) {
  const host = startImageHost(answer)
  const openedSource = imageserverDriver.open({ endpoint: service, ...settings }, 'raster', host.deps, datasetInfo)!
  return {
    ...host,
    openedSource,
    ask: (query: Partial<RasterQuery>, queryBudget = imageBudget) =>
      (openedSource.source as unknown as Source)({ at: boulder, radius_cells: 0, ...query }, queryBudget),
  }
}

const x = (boulder.lng * 20_037_508.342789244) / 180
const y = 4_867_395.61

/** An `identify` response. */
export const pixel = (value: unknown, more = {}) => ({
  objectId: 0,
  name: 'Pixel',
  value,
  location: { x, y, spatialReference: { wkid: 102_100, latestWkid: 3857 } },
  properties: {},
  catalogItems: null,
  catalogItemVisibilities: [],
  ...more,
})

export const cellsOf = async (promise: Promise<Grid>) => (await promise).cells
