import { census } from './census.ts'
import { energy } from './energy.ts'
import { epa } from './epa.ts'
import { fema } from './fema.ts'
import { fire } from './fire.ts'
import { housing } from './housing.ts'
import type { Layer } from './layer.ts'
import { transport } from './transport.ts'
import { usfws } from './usfws.ts'
import { usgsWater } from './usgs-water.ts'
import { usgs } from './usgs.ts'
import { waterWorks } from './water-works.ts'

/** All simulated ArcGIS layers. All features are synthetic. */
export const layers: Layer[] = [
  ...census,
  ...energy,
  ...epa,
  ...fema,
  ...fire,
  ...housing,
  ...transport,
  ...usfws,
  ...usgsWater,
  ...usgs,
  ...waterWorks,
]
