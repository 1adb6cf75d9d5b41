import { arcgis } from './arcgis.ts'
import { bulk } from './bulk.ts'
import { documents } from './documents.ts'
import { geocoders } from './geocoders.ts'
import { layers } from './layers/layers.ts'
import { rasters } from './rasters.ts'
import type { Service } from './service.ts'
import { tables } from './tables.ts'

/** All simulated services, in the order in which they are tried. */
export const services: Service[] = [...arcgis(layers), ...documents, ...geocoders, ...rasters, ...tables, ...bulk]
