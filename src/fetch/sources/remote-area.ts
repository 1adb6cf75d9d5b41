import { runWithDeadline } from '../../async/deadline.ts'
import type { OpenedSource } from '../../drivers/driver.ts'
import { extentOf } from '../../geo/overlay/cut-at-extent.ts'
import { signedRingArea_m2 } from '../../geo/ellipsoid.ts'
import type {
  AreaFeature,
  AreaQuery,
  AreaSource,
  RasterPiece,
  CellSource,
  FlatPath,
  KeyedFeature,
} from '../../model/area.ts'
import type { AnySource, Budget, Position } from '../../model/source.ts'
import { createCutCollector, shiftsToExtent } from '../../packs/layer/layer-area.ts'

/** Returns the source of an area for a service that lists complete features: they are cut here, after the cache. */
export function remoteAreaSource(listInArea: AnySource): AreaSource {
  return {
    async features(query: AreaQuery, budget: Budget) {
      const listed = await (listInArea as (query: AreaQuery, budget: Budget) => Promise<KeyedFeature[]>)(query, budget)
      return listed.flatMap((feature) => cutFeature(feature, query))
    },
    coverage: null,
  }
}

type ReadRasterPieces = NonNullable<OpenedSource['rasterPieces']>

/**
 * Adds a time limit to the reader of the cells of a service: for finding its files, and for each rectangle of cells. If
 * the service hangs, time is left for the next source.
 */
export function withCellDeadline(rasterPieces: ReadRasterPieces, limit_ms: number): ReadRasterPieces {
  return async (query, { signal }) => {
    const pieces = await runWithDeadline(limit_ms, signal, async (limited) => rasterPieces(query, { signal: limited }))
    return pieces.map(({ cells, polygons }): RasterPiece => ({ cells: cells && limitReads(cells, limit_ms), polygons }))
  }
}

function limitReads({ read, ...cells }: CellSource, limit_ms: number): CellSource {
  return {
    ...cells,
    read: (rect, { signal }) => runWithDeadline(limit_ms, signal, (limited) => read(rect, { signal: limited })),
  }
}

function cutFeature({ key, properties, geometry }: KeyedFeature, { extent }: AreaQuery): AreaFeature[] {
  const cut = createCutCollector(extent)
  const polygons = geometry.polygons.map((rings) => rings.map(flatPathOf))
  const lines = [...geometry.lines, ...geometry.points.map((point) => [point])].map(flatPathOf)
  const { west, east } = extentOf([...polygons.flat(), ...lines])
  for (const shift of shiftsToExtent(west, east, extent)) {
    for (const rings of polygons) cut.addPolygon(rings.map((ring) => sliceOf(ring, shift)))
    for (const line of lines) cut.addLine(sliceOf(line, shift))
  }
  const result = cut.result()
  if (!result) return []
  return [{ key, properties, ...result, ...(polygons.length > 0 && { featureArea_m2: () => areaOf(polygons) }) }]
}

function flatPathOf(positions: readonly Position[]): FlatPath {
  return positions.flatMap(([x, y]) => [x, y])
}

function sliceOf(coordinates: FlatPath, shift: number) {
  return { coordinates, begin: 0, end: coordinates.length / 2, shift }
}

/** The area of polygons with the even-odd rule, whose holes run in the other direction than their outer rings. */
function areaOf(polygons: readonly FlatPath[][]): number {
  return polygons.reduce((sum, rings) => sum + Math.abs(rings.reduce((area, it) => area + signedRingArea_m2(it), 0)), 0)
}
