import { arcgis } from './arcgis.ts'
import { bulk } from './bulk.ts'
import { documentServices } from './documents.ts'
import { geocoders } from './geocoders.ts'
import { simulatedLayers } from './layers/layers.ts'
import { rasterServices } from './rasters.ts'
import type { SimulatedService } from './service.ts'
import { tables } from './tables.ts'

/** All simulated services, in the order in which they are tried. */
export const services: SimulatedService[] = [
  ...arcgis(simulatedLayers),
  ...documentServices,
  ...geocoders,
  ...bulk,
  ...rasterServices,
  ...tables,
]
