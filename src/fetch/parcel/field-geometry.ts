import { allOf } from '../../async/maybe-promise.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Field, ReadSpec } from '../../catalog/records.ts'
import { circleAround } from '../../geo/circle.ts'
import { flatGeometryOf } from '../../geo/overlay/drawing.ts'
import { metersPerDegree } from '../../geo/ecef.ts'
import { roundCoordinates, type GeoJsonGeometry } from '../../geo/text/geojson.ts'
import type { GeometryRunner, OpenGeometryRunner } from '../../geo/overlay/geometry-jobs.ts'
import { nearestPosition } from '../../geo/measure.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget, Feature, Grid, Position, Value } from '../../model/source.ts'
import { cellIn } from '../../operators/raster/cells.ts'
import { compileCellValue } from '../../operators/raster/sample.ts'
import type { LocatedPlace } from '../../place/locate.ts'
import type { DrawnFeature, FetchAnswer, FieldGeometry } from '../fetch-answer.ts'
import { FetchPlans } from '../fetch-plan.ts'
import { LocationEvaluation } from '../location-evaluation.ts'
import { recordQueries, type RecordedQuery } from '../sources/query-recorder.ts'
import type { SourceRegistry } from '../sources/source-registry.ts'

type AnswerDeps = {
  catalog: Catalog
  registry: SourceRegistry
  now: () => Date
  openGeometryRunner: OpenGeometryRunner
}
type Deps = Omit<AnswerDeps, 'openGeometryRunner'> & Pick<GeometryRunner, 'draw'>

/** The geometry is optional, so it does not use the whole time limit of a field. */
const geometryTimeout_ms = 15_000
/** About 10 kB of GeoJSON per field. */
const fieldPositionsMax = 380
const areasMax = 5
const drawnFeaturesMax = 40
const radiusPositions = 48
const patchReach_cells = 2

/**
 * Adds to each answered field of an answer the geometry that it was read from. The fields are evaluated again with
 * sources that return geometry, so that fetches without geometry do no work for it. Values stay those of the answer.
 */
export async function addGeometry(
  answer: FetchAnswer,
  { fields, place }: { fields: readonly Field[]; place: LocatedPlace },
  { signal }: Budget,
  { openGeometryRunner, ...shared }: AnswerDeps,
): Promise<FetchAnswer> {
  const budget = { signal: AbortSignal.any([signal, AbortSignal.timeout(geometryTimeout_ms)]) }
  const deps = { ...shared, draw: openGeometryRunner(budget).draw }
  const entries = await Promise.all(
    fields.map(async (field) => {
      const result = answer.fields[field.name]!
      if (result.status === 'failed') return [field.name, result] as const
      return [field.name, { ...result, ...(await geometryMembers(field, place, budget, deps)) }] as const
    }),
  )
  signal.throwIfAborted()
  return { ...answer, fields: Object.fromEntries(entries) }
}

async function geometryMembers(
  field: Field,
  place: LocatedPlace,
  budget: Budget,
  { catalog, registry, now, draw }: Deps,
): Promise<{ geometry: FieldGeometry } | { geometry_error: string }> {
  const { registry: recordingRegistry, recorded, withheld } = recordQueries(registry)
  const until_ms = performance.now() + geometryTimeout_ms
  const location = new LocationEvaluation(place, { ...budget, until_ms }, { now: now(), parcelAccess: 'allowed' })
  try {
    await new FetchPlans(catalog, recordingRegistry).evaluate(field, location)
  } catch (error) {
    if (!(error instanceof UpstreamError) && !budget.signal.aborted) throw error
    if (recorded.length === 0 && withheld.size === 0)
      return {
        geometry_error:
          error instanceof UpstreamError
            ? `${error.code}: ${error.message}`
            : 'timeout: The source did not send the geometry in time.',
      }
  } finally {
    location.close()
  }
  const reads = readsByDataset(field, catalog)
  const deps = { at: place, draw }
  try {
    const drawn = await Promise.all(recorded.map((query) => drawQuery(query, reads.get(query.dataset) ?? [], deps)))
    return { geometry: { type: 'FeatureCollection', features: deduplicate(drawn.flat()) } }
  } catch (error) {
    if (error instanceof UpstreamError) return { geometry_error: `${error.code}: ${error.message}` }
    throw error
  }
}

/** The place of the answer, and what draws geometry. */
type DrawDeps = { at: Point; draw: GeometryRunner['draw'] }

/** The reads of a field by dataset, with its fallbacks and the fields it is computed from. */
function readsByDataset({ read }: Field, catalog: Catalog): Map<string, ReadSpec[]> {
  const reads: ReadSpec[] = []
  const visit = (it: ReadSpec): void => {
    if (reads.includes(it)) return
    reads.push(it)
    for (const fallback of it.fallback ?? []) visit(fallback)
    for (const input of [...Object.values(it.from ?? {}), ...[it.key ?? []].flat()]) {
      const inputRead = typeof input === 'string' ? catalog.fields.get(input)?.read : input
      if (inputRead) visit(inputRead)
    }
  }
  visit(read)
  return Map.groupBy(reads, ({ dataset }) => dataset)
}

async function drawQuery(recorded: RecordedQuery, reads: ReadSpec[], deps: DrawDeps): Promise<DrawnFeature[]> {
  const { dataset } = recorded
  if (recorded.shape === 'raster') return drawCells(recorded.grid, deps.at, reads).map((it) => withDataset(it, dataset))
  const { query, features } = recorded
  const drawn =
    query.radius_m === 0
      ? drawShapes('area', features.slice(0, areasMax), deps)
      : reads.some(({ op }) => op.startsWith('nearest_'))
        ? drawNearest(features[0], deps)
        : drawCounted(features, query.radius_m, deps)
  return (await drawn).map((it) => withDataset(it, dataset))
}

type UndatedFeature = { properties: Omit<DrawnFeature['properties'], 'dataset'>; geometry: GeoJsonGeometry }

function withDataset({ properties, geometry }: UndatedFeature, dataset: string): DrawnFeature {
  return { type: 'Feature', properties: { ...properties, dataset }, geometry }
}

/** Draws features. Each has an equal share of the positions. */
async function drawShapes(
  role: 'area' | 'feature',
  features: Feature[],
  { draw }: DrawDeps,
): Promise<UndatedFeature[]> {
  const share = Math.min(features.length, Math.ceil(fieldPositionsMax / 8))
  const positionsMax = Math.floor(fieldPositionsMax / share)
  const drawings = await allOf(
    features.map(({ geometry }) => (geometry ? draw({ geometry: flatGeometryOf(geometry), positionsMax }) : null)),
  )
  return drawings.flatMap((drawing) => {
    if (!drawing) return []
    const { geometry, simplified_m } = drawing
    return [{ properties: { role, ...(simplified_m > 0 && { simplified_m }) }, geometry }]
  })
}

async function drawNearest(nearest: Feature | undefined, deps: DrawDeps): Promise<UndatedFeature[]> {
  if (!nearest?.geometry) return []
  const { at } = deps
  const shape = await drawShapes(nearest.distance_m === 0 ? 'area' : 'feature', [nearest], deps)
  const to = nearest.distance_m === 0 ? null : nearestPosition(nearest.geometry, at)
  if (!to) return shape
  const line: GeoJsonGeometry = { type: 'LineString', coordinates: [[at.lng, at.lat], to] }
  const distance_m = Math.round(nearest.distance_m * 10) / 10
  return [...shape, { properties: { role: 'line', distance_m }, geometry: roundCoordinates(line) }]
}

/** The search radius, and the features in it that are near enough to fit. */
async function drawCounted(features: Feature[], radius_m: number, deps: DrawDeps): Promise<UndatedFeature[]> {
  if (!Number.isFinite(radius_m)) return []
  const ring = circleAround(deps.at, radius_m, radiusPositions).map(({ lng, lat }): Position => [lng, lat])
  const circle: GeoJsonGeometry = { type: 'Polygon', coordinates: [ring] }
  return [
    ...(await drawShapes('feature', features.slice(0, drawnFeaturesMax), deps)),
    { properties: { role: 'radius', distance_m: radius_m }, geometry: roundCoordinates(circle) },
  ]
}

/** The cells around the point, with their values where the field is the value of a cell. */
function drawCells(grid: Grid, at: Point, reads: ReadSpec[]): UndatedFeature[] {
  const { at_x, at_y, cell_x_m, cell_y_m, width, height } = grid
  if (cell_x_m === undefined || cell_y_m === undefined || grid.cells.length !== width * height) return []
  const read = reads.find(({ op }) => op === 'sample')
  const [column, row] = [Math.floor(at_x), Math.floor(at_y)]
  const drawn: UndatedFeature[] = []
  for (let y = Math.max(0, row - patchReach_cells); y <= Math.min(height - 1, row + patchReach_cells); y++)
    for (let x = Math.max(0, column - patchReach_cells); x <= Math.min(width - 1, column + patchReach_cells); x++) {
      const corners = [
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 0],
        [0, 0],
      ] as const
      const ring = corners.map(([right, down]) => cellCorner(grid, at, x + right, y + down))
      const value = read?.op === 'sample' ? cellValue(grid, x, y, read) : undefined
      drawn.push({
        properties: { role: 'cell', ...(value !== undefined && { value: roundCoordinates(value) }) },
        geometry: roundCoordinates({ type: 'Polygon', coordinates: [ring] }),
      })
    }
  return drawn
}

/** Null for a cell without data, and for a code that the catalog does not know. */
function cellValue(grid: Grid, x: number, y: number, read: ReadSpec & { op: 'sample' }): Value {
  try {
    return compileCellValue(read)(cellIn(grid, x, y, read.nodata))
  } catch (error) {
    if (error instanceof UpstreamError) return null
    throw error
  }
}

/** The corner of a cell, by its column and row. The grid may be turned against north. */
function cellCorner({ at_x, at_y, cell_x_m = 0, cell_y_m = 0, up_degrees = 0 }: Grid, at: Point, x: number, y: number) {
  const turn = (up_degrees * Math.PI) / 180
  const [right_m, up_m] = [(x - at_x) * cell_x_m, (at_y - y) * cell_y_m]
  const east_m = right_m * Math.cos(turn) + up_m * Math.sin(turn)
  const north_m = up_m * Math.cos(turn) - right_m * Math.sin(turn)
  const lat = at.lat + north_m / metersPerDegree
  return [at.lng + east_m / (metersPerDegree * Math.cos((at.lat * Math.PI) / 180)), lat]
}

/** Fields that are computed from others may read the same shape twice. */
function deduplicate(features: DrawnFeature[]): DrawnFeature[] {
  return [...new Map(features.map((feature) => [JSON.stringify(feature), feature])).values()]
}
