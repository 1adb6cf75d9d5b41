import type { Static } from '@sinclair/typebox'
import { aggregateOperator } from './aggregate.ts'
import { attributeOperator } from './attribute.ts'
import { computedOperator } from './computed.ts'
import { countOperator } from './count.ts'
import { lengthWithinOperator } from './length-within.ts'
import { firstLevelOperator, firstLevelRasterOperator } from './first-level.ts'
import { nearestAttributeOperator, nearestDistanceOperator, nearestFractionOperator } from './nearest.ts'
import { overlapAreaOperator } from './overlap-area.ts'
import { pathOperator } from './path.ts'
import { rowOperator } from './row.ts'
import { sampleOperator } from './sample.ts'
import { scenesOperator } from './scenes.ts'
import { seriesOperator } from './series.ts'
import { windowOperator } from './window.ts'
import { withinOperator } from './within.ts'
import { zonalOperator } from './zonal.ts'

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
