import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell } from './layer.ts'
import { square, type Offset, type SimulatedShape } from './shapes.ts'

/**
 * Synthetic building footprints. Manhattan has more than one page, so a client that does not page counts too few.
 * Paradise and Anchorage have none.
 */
export const structureLayers = layer({
  at: 'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services/USA_Structures_View/FeatureServer/0',
  name: 'USA Structures',
  kind: 'polygon',
  max_record_count: 200,
  columns: 'OBJECTID BUILD_ID:integer OCC_CLS PRIM_OCC SQMETERS:double HEIGHT:double PROP_ADDR SOURCE',
  rows: [
    ...buildings('boulder', 'Residential', [
      [30, 0],
      [0, 60],
      [-80, 0],
      [150, 0],
      [0, -300],
    ]),
    ...buildings('miami_beach', 'Commercial', [
      [0, 0],
      [40, 0],
      [0, 45],
      [90, 0],
      [0, 250],
      [-450, 0],
    ]),
    ...buildings('new_orleans', 'Unclassified', [
      [0, 25],
      [60, 60],
    ]),
    ...buildings('kansas', 'Agriculture', [[700, 0]]),
    ...buildings('manhattan', 'Residential', grid(15, 30)),
    ...buildings('san_juan', 'Government', [[0, 120]]),
  ],
})

/** Squares of ten by ten metres. */
function buildings(
  place: PlaceName,
  use: string,
  offsets: Offset[],
): [SimulatedShape, Record<string, SimulatedCell>][] {
  return offsets.map((offset, index) => [
    square(place, 5, ...offset),
    {
      BUILD_ID: index + 1,
      OCC_CLS: use,
      PRIM_OCC: null,
      SQMETERS: 100,
      HEIGHT: index % 2 === 0 ? 8.5 : null,
      PROP_ADDR: null,
      SOURCE: 'ORNL',
    },
  ])
}

/** Returns a grid of (2 n + 1)² positions without the one in the middle. */
function grid(n: number, step_m: number): Offset[] {
  const steps = Array.from({ length: 2 * n + 1 }, (_, index) => (index - n) * step_m)
  return steps
    .flatMap((north) => steps.map((east): Offset => [east, north]))
    .filter(([east, north]) => east !== 0 || north !== 0)
}
