import type { Static } from '@sinclair/typebox'
import { aggregate } from './aggregate.ts'
import { attribute } from './attribute.ts'
import { computed } from './computed.ts'
import { count } from './count.ts'
import { firstLevel, firstLevelRaster } from './first-level.ts'
import { nearestAttribute, nearestDistance, nearestFraction } from './nearest.ts'
import { path } from './path.ts'
import { row } from './row.ts'
import { sample } from './sample.ts'
import { scenes } from './scenes.ts'
import { series } from './series.ts'
import { window } from './window.ts'
import { within } from './within.ts'
import { zonal } from './zonal.ts'

/** Every way of reading a dataset. A new one is a new line here, and a file of its own unless it is the twin of another. */
export const operators = {
  attribute,
  within,
  nearest_distance: nearestDistance,
  nearest_attribute: nearestAttribute,
  nearest_fraction: nearestFraction,
  count,
  aggregate,
  first_level: firstLevel,
  sample,
  window,
  zonal,
  series,
  first_level_raster: firstLevelRaster,
  path,
  row,
  computed,
  scenes,
}

type OperatorName = keyof typeof operators

/** How a field reads its dataset: an operator's name and that operator's own arguments, as one flat record. */
export type Operation = { [O in OperatorName]: { op: O } & Static<(typeof operators)[O]['args']> }[OperatorName]
