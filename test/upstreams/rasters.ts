import { elevationTiles, googleStorage, scenePictures } from './rasters/cogs.ts'
import { cropScape } from './rasters/cropscape.ts'
import { imageServer } from './rasters/imageserver.ts'
import { imageServers } from './rasters/imageservers.ts'
import { landCoverMap } from './rasters/land-cover-map.ts'
import { landfireClasses } from './rasters/landfire-classes.ts'
import type { SimulatedService } from './service.ts'

/** Every publisher of rasters: image servers, files of tiles, and the tables of their classes. */
export const rasterServices: SimulatedService[] = [
  ...imageServers.map(imageServer),
  cropScape,
  landCoverMap,
  ...landfireClasses,
  elevationTiles,
  googleStorage,
  scenePictures,
]
