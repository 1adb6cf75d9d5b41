import type { DrawnFeature, FieldGeometry } from '../../fetch/fetch-answer.ts'
import type { MaybePromise } from '../../async/maybe-promise.ts'
import type { DrawnOutline } from '../../geo/overlay/drawing.ts'
import type { GeoJsonGeometry } from '../../geo/text/geojson.ts'
import type { GeometryRunner } from '../../geo/overlay/geometry-jobs.ts'
import type { FlatPath } from '../../model/area.ts'
import { UpstreamError } from '../../model/error.ts'
import type { QueryArea } from './area-geometry.ts'
import type { AreaEvaluation, ValuedPart } from '../area-values.ts'
import type { BlockPart } from '../raster/cell-blocks.ts'
import { lineBetween } from './line-cuts.ts'

/** About 80 kB of GeoJSON for each field. */
const fieldPositionsMax = 3_000
/** A map cannot show more values so that they can be distinguished. */
const drawnValuesMax = 100
/** More positions would take the memory of a large run. */
const readPositionsMax = 100_000

/** The outline of an area, or the course of a line. */
export async function drawArea(area: QueryArea, { draw }: GeometryRunner): Promise<GeoJsonGeometry> {
  const paths = area.kind === 'polygon' ? area.overlay.toPaths(area.rings) : area.lines
  const drawing = await drawPaths(area.kind, paths, fieldPositionsMax, draw)
  return drawing!.geometry
}

/**
 * The parts of an area in which a field has a value, joined by value, in the order of the classes of the field. For a
 * line, its crossings. The numbers of a raster have parts by steps. Empty for a field that does not divide the area.
 * @throws {UpstreamError} `too_large` for parts with too many positions.
 */
export async function drawParts(
  area: QueryArea,
  evaluation: AreaEvaluation,
  { draw, yieldToEventLoop }: GeometryRunner,
): Promise<FieldGeometry> {
  const parts = await drawnPartsOf(area, evaluation)
  const valued = parts.filter(({ value }) => value !== null)
  const byValue = [...Map.groupBy(valued, ({ value }) => value)]
  const classes = classesIn(evaluation)
  const rankOf = (value: unknown) => (classes.has(value) ? classes.get(value)! : classes.size)
  const largest = byValue
    .toSorted(([a, ofA], [b, ofB]) => rankOf(a) - rankOf(b) || totalOf(ofB) - totalOf(ofA))
    .slice(0, drawnValuesMax)
  const features: DrawnFeature[] = []
  for (const [value, joined] of largest) {
    await yieldToEventLoop()
    const paths = await pathsOf(area, joined)
    const drawn = await drawPaths(area.kind, paths, Math.floor(fieldPositionsMax / largest.length), draw)
    if (!drawn) continue
    const { geometry, simplified_m } = drawn
    const { id: dataset } = evaluation.origin.handle
    const [{ range }] = joined as [DrawnPart]
    const properties = {
      role: 'part' as const,
      dataset,
      value,
      ...(range && { range }),
      ...(simplified_m > 0 && { simplified_m }),
    }
    features.push({ type: 'Feature', properties, geometry })
  }
  return { type: 'FeatureCollection', features }
}

/** The classes of a field with their order. The parts that are drawn of a raster are blocks of cells, of other sizes. */
function classesIn({ outcome: { value } }: AreaEvaluation): Map<unknown, number> {
  return new Map(value && 'classes' in value ? value.classes.map((it, i) => [it.value, i]) : [])
}

type DrawnPart = Pick<ValuedPart, 'value' | 'size' | 'rings'> &
  Pick<BlockPart, 'range'> & { stretch?: { from_m: number; to_m: number } | undefined }

async function drawnPartsOf(
  area: QueryArea,
  { outcome: { value }, parts = [], blocks, origin }: AreaEvaluation,
): Promise<readonly DrawnPart[]> {
  if (origin.handle.dataset.withholds_geometry) return []
  if (area.kind === 'polygon' && blocks) return blocks.parts(area.overlay, area.rings)
  if (area.kind === 'polygon' || !value || !('crossings' in value)) return parts
  return value.crossings.map(({ from_m, to_m, value }) => ({ value, size: to_m - from_m, stretch: { from_m, to_m } }))
}

function totalOf(parts: readonly DrawnPart[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0)
}

/** The joined rings of parts, or their stretches of the line. */
async function pathsOf(area: QueryArea, parts: readonly DrawnPart[]): Promise<FlatPath[]> {
  if (area.kind === 'line')
    return parts.flatMap(({ stretch }) => (stretch ? lineBetween(area.lines, stretch.from_m, stretch.to_m) : []))
  const rings = parts.flatMap((part) => part.rings ?? [])
  const positions = rings.reduce((sum, ring) => sum + ring.length, 0)
  if (positions > readPositionsMax)
    throw new UpstreamError(
      'too_large',
      `The parts have ${positions.toLocaleString('en-US')} positions. At most ${readPositionsMax.toLocaleString('en-US')} are drawn. Ask about a smaller area.`,
    )
  return area.overlay.toPaths(parts.length > 1 ? await area.overlay.union(rings) : rings)
}

/** Returns null if nothing is left of the paths. */
function drawPaths(
  kind: QueryArea['kind'],
  paths: readonly FlatPath[],
  positionsMax: number,
  draw: GeometryRunner['draw'],
): MaybePromise<DrawnOutline | null> {
  const geometry =
    kind === 'polygon' ? { points: [], lines: [], polygons: [[...paths]] } : { points: [], lines: paths, polygons: [] }
  return draw({ geometry, positionsMax })
}
