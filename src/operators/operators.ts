import type { Static } from '@sinclair/typebox'
import { aggregateOperator } from './aggregate.ts'
import { attributeOperator } from './features/attribute.ts'
import { computedOperator } from './computed.ts'
import { countOperator } from './features/count.ts'
import { lengthWithinOperator } from './features/length-within.ts'
import { firstLevelOperator, firstLevelRasterOperator } from './features/first-level.ts'
import { nearestAttributeOperator, nearestDistanceOperator, nearestFractionOperator } from './features/nearest.ts'
import { overlapAreaOperator } from './features/overlap-area.ts'
import { pathOperator } from './features/path.ts'
import { rowOperator } from './row.ts'
import { sampleOperator } from './raster/sample.ts'
import { scenesOperator } from './raster/scenes.ts'
import { seriesOperator } from './raster/series.ts'
import { windowOperator } from './raster/window.ts'
import { withinOperator } from './features/within.ts'
import { zonalOperator } from './raster/zonal.ts'

/** All operators by name. To add one, create a file for it and register it here. */
export const operators = {
  attribute: attributeOperator,
  within: withinOperator,
  nearest_distance: nearestDistanceOperator,
  nearest_attribute: nearestAttributeOperator,
  nearest_fraction: nearestFractionOperator,
  count: countOperator,
  aggregate: aggregateOperator,
  length_within: lengthWithinOperator,
  overlap_area: overlapAreaOperator,
  first_level: firstLevelOperator,
  sample: sampleOperator,
  window: windowOperator,
  zonal: zonalOperator,
  series: seriesOperator,
  first_level_raster: firstLevelRasterOperator,
  path: pathOperator,
  row: rowOperator,
  computed: computedOperator,
  scenes: scenesOperator,
}

type OperatorName = keyof typeof operators

/** How a field reads its dataset: the name of an operator and its arguments, as one flat record. */
export type Operation = { [O in OperatorName]: { op: O } & Static<(typeof operators)[O]['args']> }[OperatorName]
