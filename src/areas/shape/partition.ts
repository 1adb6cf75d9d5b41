import Flatbush from 'flatbush'
import { waitFor, type Coroutine } from '../../async/maybe-promise.ts'
import type { YieldToEventLoop } from '../../async/incremental-task.ts'
import { extentOf, extentsTouch } from '../../geo/overlay/cut-at-extent.ts'
import type { GridRings, Overlay } from '../../geo/overlay/overlay.ts'
import { overlayMax_vertices, positionsOfPaths, verticesOf } from '../../geo/overlay/overlay-steps.ts'
import type { AreaFeature, Extent, FlatPath } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { LineArea, PolygonArea } from './area-geometry.ts'
import { CuttableLines, groupsOfLines, LineIndex, polygonHasPoint, type Stretch } from './line-cuts.ts'

/** A feature with all its pieces. */
export type JoinedFeature = AreaFeature

/**
 * The part of an area that exactly these features contain. `size`: square meters of a polygon, meters of a line.
 * `rings`: its outline, for a polygon. `stretch`: where it lies, for a line.
 */
export type AreaPart = {
  features: JoinedFeature[]
  size: number
  rings?: GridRings | undefined
  stretch?: Stretch | undefined
}

/** The most parts of overlapping features. */
const partsMax = 20_000
/** The most positions of the features, which take about 60 bytes each. */
const positionsMax = 2_000_000
/** Overlaps up to this share of the area are rounding. */
const negligibleShare = 1e-12

/** Joins the pieces of features that are stored in several rows. Keeps the order of the source. */
export function joinPieces(features: readonly AreaFeature[]): readonly JoinedFeature[] {
  if (features.length < 2) return features
  const pieces = Map.groupBy(features, ({ key }) => key)
  if (pieces.size === features.length) return features
  return [...pieces.values()].map((group) => ({
    ...group[0]!,
    polygons: group.flatMap(({ polygons }) => polygons),
    lines: group.flatMap(({ lines }) => lines),
    points: group.flatMap(({ points }) => points),
  }))
}

/**
 * Divides `within`, a part of the polygon, by the features that contain it. The features of a part are in the order of
 * their source. What no feature contains is in no part.
 */
export function* partitionPolygon(
  { overlay, rings: areaRings, area_m2 }: Pick<PolygonArea, 'overlay' | 'rings' | 'area_m2'>,
  within: GridRings,
  features: readonly JoinedFeature[],
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<AreaPart[]> {
  const negligible_m2 = negligibleShare * area_m2
  const pieces: Piece[] = []
  requireFewPositions(features)
  for (const feature of features) {
    const rings = yield* ringsWithin(overlay, feature, within, yieldToEventLoop)
    const size = rings === areaRings ? area_m2 : overlay.area_m2(rings)
    if (size > negligible_m2) pieces.push({ features: [feature], rings, size })
  }
  if (pieces.length === 0) return []
  // Features that contain all of it overlap everywhere.
  if (pieces.every(({ rings }) => rings === within)) {
    const all = [{ ...pieces[0]!, features: pieces.flatMap((piece) => piece.features) }]
    yield* measureOverlapping(all, yieldToEventLoop)
    return all
  }
  if (pieces.length === 1) return pieces
  const rings = pieces.flatMap((piece) => piece.rings)
  if (verticesOf(rings) <= overlayMax_vertices) {
    const overlap_m2 = sizeOfParts(pieces) - overlay.area_m2(yield* waitFor(overlay.union(rings)))
    if (overlap_m2 <= pieces.length * negligible_m2) return pieces
  }
  const parts: AreaPart[] = []
  for (const cluster of yield* overlappingClusters(overlay, pieces, negligible_m2, yieldToEventLoop))
    parts.push(
      ...(cluster.length === 1 ? cluster : yield* divideCluster(overlay, cluster, negligible_m2, yieldToEventLoop)),
    )
  yield* measureOverlapping(parts, yieldToEventLoop)
  return parts
}

function requireFewPositions(features: readonly JoinedFeature[]): void {
  if (features.reduce((sum, { polygons }) => sum + positionsOfPaths(polygons.flat()), 0) > positionsMax)
    throw new UpstreamError(
      'too_large',
      `The features here have more than ${positionsMax.toLocaleString('en-US')} positions. Ask about a smaller area.`,
    )
}

/** Where a source covers lines: a test of points, and the rings at which its result changes. */
export type LineCoverage = { borders: readonly FlatPath[]; covers: (at: Point) => boolean }

/**
 * Divides the covered stretches of the lines by the features that contain them. Neighbors in the same features are
 * joined. Stretches in no feature are parts, too.
 */
export function* partitionLines(
  { index }: Pick<LineArea, 'index'>,
  features: readonly JoinedFeature[],
  { borders, covers }: LineCoverage,
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<AreaPart[]> {
  const cuttable = new CuttableLines(index())
  const tested = features.map((feature) => ({
    feature,
    polygons: feature.polygons.map((rings) => ({ rings, extent: extentOf(rings) })),
  }))
  for (const ring of [...borders, ...features.flatMap(({ polygons }) => polygons.flat())])
    yield* cuttable.cutAtRing(ring, yieldToEventLoop)
  const parts: AreaPart[] = []
  for (const stretch of cuttable.stretches()) {
    yield* waitFor(yieldToEventLoop())
    if (!covers({ lat: stretch.y, lng: stretch.x })) continue
    const containing = tested
      .filter(({ polygons }) => polygons.some((polygon) => polygonHasPoint(polygon, stretch.x, stretch.y)))
      .map(({ feature }) => feature)
    const last = parts.at(-1)
    if (last?.stretch!.to_m === stretch.from_m && haveSameMembers(last.features, containing)) {
      last.stretch = { ...last.stretch, to_m: stretch.to_m }
      last.size = stretch.to_m - last.stretch.from_m
    } else parts.push({ features: containing, size: stretch.to_m - stretch.from_m, stretch })
  }
  yield* measureOverlapping(parts, yieldToEventLoop)
  return parts
}

/**
 * Computes the area of each feature of parts that are in several, once and in steps: their values may need it, and a
 * layer reads the complete feature for it.
 */
function* measureOverlapping(parts: readonly AreaPart[], yieldToEventLoop: YieldToEventLoop): Coroutine<void> {
  for (const feature of new Set(parts.flatMap(({ features }) => (features.length > 1 ? features : [])))) {
    yield* waitFor(yieldToEventLoop())
    const area_m2 = feature.featureArea_m2?.()
    if (area_m2 !== undefined) feature.featureArea_m2 = () => area_m2
  }
}

/** The length of lines within polygons, in meters. Overlapping polygons count once. */
export function* lengthWithin_m(
  lines: readonly FlatPath[],
  polygons: FlatPath[][],
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<number> {
  const feature = { key: 0, properties: {}, polygons, lines: [], points: [] }
  const everywhere = { borders: [], covers: () => true }
  let length_m = 0
  for (const group of groupsOfLines(lines)) {
    const parts = yield* partitionLines({ index: () => new LineIndex(group) }, [feature], everywhere, yieldToEventLoop)
    length_m += sizeOfParts(parts.filter(({ features }) => features.length > 0))
  }
  return length_m
}

/** The size of all parts: square meters of a polygon, meters of a line. */
export function sizeOfParts(parts: readonly AreaPart[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0)
}

/** Returns parts that together are not larger than the area that they divide. By rounding, they can be. */
export function limitSizes(parts: AreaPart[], max_m2: number): AreaPart[] {
  const ratio = max_m2 / sizeOfParts(parts)
  return ratio < 1 ? parts.map((part) => ({ ...part, size: part.size * ratio })) : parts
}

type Piece = AreaPart & { rings: GridRings }

/** The part of a feature within rings. Its polygons may overlap. */
export function* ringsWithin(
  overlay: Overlay,
  { polygons }: Pick<JoinedFeature, 'polygons'>,
  within: GridRings,
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<GridRings> {
  const inside: GridRings[] = []
  for (const polygon of polygons) {
    const pause = yieldToEventLoop()
    if (pause) yield pause
    const { shared, isAll } = yield* waitFor(overlay.withinPolygon(within, polygon))
    if (isAll) return shared
    if (shared.length > 0) inside.push(shared)
  }
  return inside.length > 1 ? yield* waitFor(overlay.union(inside.flat())) : (inside[0] ?? [])
}

function haveSameMembers(a: readonly JoinedFeature[], b: readonly JoinedFeature[]): boolean {
  return a.length === b.length && a.every((feature, i) => feature === b[i])
}

/** Groups pieces that overlap each other, directly or through others. */
function* overlappingClusters(
  overlay: Overlay,
  pieces: readonly Piece[],
  negligible_m2: number,
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<Piece[][]> {
  const extents: Extent[] = []
  for (const { rings } of pieces) {
    yield* waitFor(yieldToEventLoop())
    extents.push(extentOf(overlay.toPaths(rings)))
  }
  const laterNeighborsOf = createNeighborSearch(extents)
  const clusterOf = pieces.map((_, i) => i)
  const rootOf = (i: number): number => (clusterOf[i] === i ? i : (clusterOf[i] = rootOf(clusterOf[i]!)))
  for (const [i, piece] of pieces.entries()) {
    for (const j of laterNeighborsOf(i)) {
      if (rootOf(i) === rootOf(j)) continue
      yield* waitFor(yieldToEventLoop())
      const shared_m2 = overlay.area_m2((yield* waitFor(overlay.split(piece.rings, pieces[j]!.rings))).shared)
      if (shared_m2 > negligible_m2) clusterOf[rootOf(j)] = rootOf(i)
    }
  }
  return [...Map.groupBy(pieces, (_, i) => rootOf(i)).values()]
}

/** This many extents are compared with each other in less time than it takes to build an index. */
const fewExtents = 16

/** Returns a search for the extents after one in the list that touch it. */
function createNeighborSearch(extents: readonly Extent[]): (i: number) => number[] {
  if (extents.length <= fewExtents) {
    const numbers = [...extents.keys()]
    return (i) => numbers.filter((j) => j > i && extentsTouch(extents[i]!, extents[j]!))
  }
  const index = new Flatbush(extents.length)
  for (const { west, south, east, north } of extents) index.add(west, south, east, north)
  index.finish()
  return (i) => {
    const { west, south, east, north } = extents[i]!
    return index.search(west, south, east, north, (j) => j > i)
  }
}

/** Divides overlapping pieces into parts that do not overlap: each piece splits the parts so far. */
function* divideCluster(
  overlay: Overlay,
  cluster: readonly Piece[],
  negligible_m2: number,
  yieldToEventLoop: YieldToEventLoop,
): Coroutine<AreaPart[]> {
  let parts: { features: JoinedFeature[]; rings: GridRings; size: number }[] = []
  const keepLarge = (features: JoinedFeature[], rings: GridRings) => {
    const size = overlay.area_m2(rings)
    return size > negligible_m2 ? [{ features, rings, size }] : []
  }
  for (const piece of cluster) {
    let rest = piece.rings
    const next: typeof parts = []
    for (const part of parts) {
      yield* waitFor(yieldToEventLoop())
      const { shared: sharedRings, rest: partRest } = yield* waitFor(overlay.split(part.rings, piece.rings))
      const shared = keepLarge([...part.features, ...piece.features], sharedRings)
      if (shared.length === 0) {
        next.push(part)
        continue
      }
      next.push(...shared, ...keepLarge(part.features, partRest))
      rest = (yield* waitFor(overlay.split(rest, part.rings))).rest
    }
    parts = [...next, ...keepLarge(piece.features, rest)]
    if (parts.length > partsMax)
      throw new UpstreamError(
        'too_large',
        `The features here overlap in more than ${partsMax} combinations. Ask about a smaller area.`,
      )
  }
  return parts
}
