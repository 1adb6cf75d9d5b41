import { censusLayers } from './census.ts'
import { energyLayers } from './energy.ts'
import { epaLayers } from './epa.ts'
import { femaLayers } from './fema.ts'
import { fireLayers } from './fire.ts'
import { housingLayers } from './housing.ts'
import { landLayers } from './land.ts'
import type { SimulatedLayer } from './layer.ts'
import { transportLayers } from './transport.ts'
import { usfwsLayers } from './usfws.ts'
import { usgsWaterLayers } from './usgs-water.ts'
import { usgsLayers } from './usgs.ts'
import { utilityLayers } from './utilities.ts'
import { waterWorksLayers } from './water-works.ts'

/** All simulated ArcGIS layers. All features are synthetic. */
export const simulatedLayers: SimulatedLayer[] = [
  ...censusLayers,
  ...energyLayers,
  ...epaLayers,
  ...femaLayers,
  ...fireLayers,
  ...housingLayers,
  ...landLayers,
  ...transportLayers,
  ...usfwsLayers,
  ...usgsWaterLayers,
  ...usgsLayers,
  ...utilityLayers,
  ...waterWorksLayers,
]
