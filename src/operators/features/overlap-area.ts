import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import { growExtent, extentOf } from '../../geo/overlay/cut-at-extent.ts'
import { parseGeoJsonGeometry } from '../../geo/geometry.ts'
import { measureDistance } from '../../geo/measure.ts'
import { Overlay, type GridRings } from '../../geo/overlay/overlay.ts'
import { UpstreamError } from '../../model/error.ts'
import type { FlatPath } from '../../model/area.ts'
import type { Point } from '../../model/place.ts'
import type { Feature, FeatureQuery, Position } from '../../model/source.ts'
import { defineOperator, t } from '../operator.ts'

const acre_m2 = 4046.8564224

/**
 * Returns the area of an outline that features cover, each place once: in acres, or as a share of the outline. The
 * outline is the input `outline`, GeoJSON as text; without it the value is null.
 */
export const overlapAreaOperator = defineOperator({
  shape: 'features',
  readsInputs: true,
  args: t.Object({
    measure: t.Union([t.Literal('acres'), t.Literal('share')]),
    where: t.Optional(t.String()),
  }),
  run({ measure, where }, features, { at, inputs, onRecordsUsed }, budget) {
    if (typeof inputs.outline !== 'string') return null
    const outline = parseGeoJsonGeometry(JSON.parse(inputs.outline)).polygons
    const radius_m = farthestVertex_m(outline, at)
    const query: FeatureQuery = { at, radius_m, with_geometry: true, ...(where !== undefined && { where }) }
    return andThen(features(query, budget), (nearby) => {
      onRecordsUsed?.(nearby.map(({ properties }) => properties))
      return coveredPart(outline.map(flatRingsOf), nearby.flatMap(polygonsOf), measure)
    })
  },
})

/** A feature that touches the outline is not farther from the point than the farthest vertex of the outline. */
function farthestVertex_m(outline: Position[][][], at: Point): number {
  const distances = outline
    .flat(2)
    .map((vertex) => measureDistance({ points: [vertex], lines: [], polygons: [] }, at)!.distance_m)
  return Math.max(1, ...distances)
}

function polygonsOf({ geometry }: Feature): FlatPath[][] {
  if (!geometry)
    throw new UpstreamError('unsupported_request', 'The field needs outlines, but the source does not return them.')
  return geometry.polygons.map(flatRingsOf)
}

function flatRingsOf(rings: Position[][]): FlatPath[] {
  return rings.map((ring) => ring.flatMap(([x, y]) => [x, y]))
}

function coveredPart(
  outline: FlatPath[][],
  covers: FlatPath[][],
  measure: 'acres' | 'share',
): MaybePromise<number | null> {
  const overlay = new Overlay(growExtent(extentOf(outline.flat()), 0.001))
  return andThen(unionOf(overlay, outline), (all) => {
    const total_m2 = overlay.area_m2(all)
    if (total_m2 === 0) return null
    return andThen(uncoveredPart(overlay, all, covers, 0), (rest) => {
      const covered_m2 = Math.max(0, total_m2 - overlay.area_m2(rest))
      return measure === 'acres' ? covered_m2 / acre_m2 : covered_m2 / total_m2
    })
  })
}

function unionOf(overlay: Overlay, polygons: FlatPath[][]): MaybePromise<GridRings> {
  const [first = [], ...others] = polygons
  return others.reduce<MaybePromise<GridRings>>(
    (union, polygon) =>
      andThen(union, (rings) => andThen(overlay.fromPolygon(polygon), (more) => overlay.union([...rings, ...more]))),
    overlay.fromPolygon(first),
  )
}

/** What is left of the rings after every polygon is taken away. */
function uncoveredPart(overlay: Overlay, rings: GridRings, covers: FlatPath[][], i: number): MaybePromise<GridRings> {
  const cover = covers[i]
  if (cover === undefined || rings.length === 0) return rings
  return andThen(overlay.fromPolygon(cover), (at) =>
    andThen(overlay.split(rings, at), ({ rest }) => uncoveredPart(overlay, rest, covers, i + 1)),
  )
}
