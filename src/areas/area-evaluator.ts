import { andThen, runCoroutine, waitFor, type Coroutine, type MaybePromise } from '../async/maybe-promise.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { areaKindOf, unitLayerOf, type UnitLayer } from '../catalog/area-kind.ts'
import { areRecordsDated, dateOfRecords } from '../catalog/data-date.ts'
import { fillYear } from '../catalog/resolve-read.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'
import { checkedValueOf } from '../fetch/checked-outcome.ts'
import { originOf, type Evaluation, type Origin } from '../fetch/evaluation.ts'
import type { FieldDeadlines } from '../fetch/field-deadlines.ts'
import type { FetchPlans } from '../fetch/fetch-plan.ts'
import { LocationEvaluation, type ParcelAccess } from '../fetch/location-evaluation.ts'
import { requireNothingMissing } from '../fetch/sources/schema-changes.ts'
import type { DatasetHandle, SourceOption, SourceRegistry } from '../fetch/sources/source-registry.ts'
import type { GeometryRunner } from '../geo/overlay/geometry-jobs.ts'
import { insideUs } from '../geo/us.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate } from '../model/estimate.ts'
import { Absent } from '../model/outcome.ts'
import type { Place, Point } from '../model/place.ts'
import type { Budget, Freshness } from '../model/source.ts'
import type { QueryArea } from './shape/area-geometry.ts'
import {
  classesOutcome,
  outcomeOfParts,
  shareOutcome,
  totalSizeOf,
  valuesOfParts,
  type AreaEvaluation,
  type AreaOutcome,
  type ContainingRead,
} from './area-values.ts'
import { measuredArea, type MeasuredGeometry } from './area-distance.ts'
import { AreaFeatures, type SelectedFeatures } from './area-features.ts'
import { AreaCoverage } from './coverage.ts'
import { countOutcome, nearestOutcome } from './near-features.ts'
import { partitionLines, limitSizes, partitionPolygon, sizeOfParts, type AreaPart } from './shape/partition.ts'
import { evaluateRaster, noOptionError } from './raster/raster-evaluation.ts'
import { unitsOutcome } from './unit-shares.ts'

export type AreaDeps = {
  catalog: Catalog
  registry: SourceRegistry
  plans: FetchPlans
  placeAt: (at: Point) => Place
  now: () => Date
  deadlines: FieldDeadlines
  parcelAccess: ParcelAccess
  isDrawn: boolean
  geometry: GeometryRunner
}

/** An area divided by the features of a dataset, and the size of what the dataset does not cover. */
type DividedArea = { parts: AreaPart[]; outside: number; freshness: Freshness | null }
type FeatureRead = Extract<
  ReadSpec,
  { op: 'attribute' | 'within' | 'count' | 'nearest_distance' | 'nearest_attribute' }
>

/** Evaluates fields for one area. Fields that divide the area by the same features share the result. */
export class AreaEvaluator {
  readonly #area: QueryArea
  readonly #budget: Budget
  readonly #deps: AreaDeps
  readonly #now: Date
  readonly #coverage: AreaCoverage
  readonly #features: AreaFeatures
  readonly #divided = new Map<SelectedFeatures, MaybePromise<DividedArea>>()
  readonly #outsides = new Map<SourceOption, MaybePromise<number>>()
  #shape: MeasuredGeometry | undefined

  constructor(area: QueryArea, budget: Budget, deps: AreaDeps) {
    this.#area = area
    this.#budget = budget
    this.#deps = deps
    this.#now = deps.now()
    this.#features = new AreaFeatures(area, budget, deps.geometry)
    this.#coverage = new AreaCoverage(area, {
      registry: deps.registry,
      placeAt: deps.placeAt,
      yieldToEventLoop: this.#yieldUnlessAborted,
      features: this.#features,
    })
  }

  /**
   * Returns a promise only if the field waits for a source or for the event loop.
   * @throws {UpstreamError} when the field cannot be answered.
   */
  evaluate(field: Field): MaybePromise<AreaEvaluation> {
    return andThen(this.#yieldUnlessAborted(), () => this.#evaluate(field))
  }

  #evaluate(field: Field): MaybePromise<AreaEvaluation> {
    const { deadlines, registry } = this.#deps
    const handle = registry.dataset(field.read.dataset)
    switch (areaKindOf(field)) {
      case 'polygon_classes':
      case 'polygon_share':
      case 'nearest':
      case 'count':
        return deadlines.within(runCoroutine(this.#tryOptions(field, handle)), handle.dataset)
      case 'units':
        return deadlines.within(this.#evaluateUnits(field, unitLayerOf(field.read)!), handle.dataset)
      case 'representative_point':
        return this.#evaluateAtPoint(field, handle)
      case 'not_for_areas':
        return {
          outcome: { value: null, reason: 'not_for_areas', covered_share: 0 },
          origin: originOf(handle, null, field.read),
        }
      default:
        return deadlines.within(this.#evaluateRaster(field, handle), handle.dataset)
    }
  }

  /** A bound method: other requests are answered between two steps, and an abandoned request stops. */
  readonly #yieldUnlessAborted = (): Promise<void> | null =>
    this.#deps.geometry.yieldToEventLoop()?.then(() => this.#budget.signal.throwIfAborted()) ?? null

  #evaluateRaster(field: Field, handle: DatasetHandle): Promise<AreaEvaluation> {
    return evaluateRaster(field, handle, {
      area: this.#area,
      coverage: this.#coverage,
      budget: this.#budget,
      now: this.#now,
      yieldToEventLoop: this.#yieldUnlessAborted,
      isDrawn: this.#deps.isDrawn,
    })
  }

  *#tryOptions(field: Field, handle: DatasetHandle): Coroutine<AreaEvaluation> {
    const read = this.#datedRead(field.read as FeatureRead)
    let failure: UpstreamError | null = null
    for (const { option, isComplete } of yield* waitFor(this.#coverage.orderedOptions(handle))) {
      // After a failure, a value of a part of the area would be too small.
      if (failure && !isComplete) break
      try {
        const evaluation = yield* waitFor(this.#readOption(field, read, handle, option))
        requireNothingMissing(field.read, option)
        return evaluation
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        option.schemaChanges.recordMissing(error.missing)
        failure ??= error
      }
    }
    throw failure ?? noOptionError(handle)
  }

  #readOption(
    field: Field,
    read: FeatureRead,
    handle: DatasetHandle,
    option: SourceOption,
  ): MaybePromise<AreaEvaluation> {
    const origin = originOf(handle, option, read)
    return read.op === 'attribute' || read.op === 'within'
      ? andThen(this.#divideByFeatures(read, handle, option), (divided) => this.#sumUp(field, read, origin, divided))
      : this.#outcomeOfNearFeatures(field, read, handle, option).then((outcome) => ({ outcome, origin }))
  }

  #sumUp(
    field: Field,
    read: ContainingRead,
    origin: Origin,
    { parts, outside, freshness }: DividedArea,
  ): AreaEvaluation {
    const [{ dataset }, records]: [Origin['handle'], unknown[]] = [origin.handle, []]
    const onRecordsUsed = (used: readonly unknown[]) => void records.push(...used)
    const valued = valuesOfParts(field, read, parts, { now: this.#now, onRecordsUsed })
    return {
      outcome: (read.op === 'within' ? shareOutcome : classesOutcome)(this.#area, valued, outside),
      parts: valued,
      origin,
      freshness,
      date: areRecordsDated(dataset) ? dateOfRecords(records, dataset, this.#now) : null,
    }
  }

  async #outcomeOfNearFeatures(
    field: Field,
    read: Exclude<FeatureRead, { op: 'attribute' | 'within' }>,
    handle: DatasetHandle,
    option: SourceOption,
  ): Promise<AreaOutcome> {
    const outside = await this.#outsideOf(handle, option)
    const covered = totalSizeOf(this.#area) - outside
    if (covered <= negligibleShare * totalSizeOf(this.#area)) return outsideOutcome
    const deps = {
      option,
      shape: () => (this.#shape ??= measuredArea(this.#area, this.#yieldUnlessAborted)),
      budget: this.#budget,
      yieldToEventLoop: this.#yieldUnlessAborted,
      features: this.#features,
      catalog: this.#deps.catalog,
    }
    const outcome = await (read.op === 'count'
      ? countOutcome(read, this.#area, deps)
      : nearestOutcome(field, read, this.#area, deps))
    const part = { size: covered, value: true, reason: null }
    return outcome.value === null
      ? outcome
      : { ...outcome, ...outcomeOfParts(this.#area, [part], outside, outcome.value) }
  }

  /** The size of the part that an option does not cover. */
  #outsideOf(handle: DatasetHandle, option: SourceOption): MaybePromise<number> {
    const nothing = { features: [], freshness: null }
    const known =
      this.#outsides.get(option) ??
      andThen(runCoroutine(this.#divide(handle, option, nothing)), ({ outside }) => outside)
    this.#outsides.set(option, known)
    return known
  }

  #divideByFeatures(read: ContainingRead, handle: DatasetHandle, option: SourceOption): MaybePromise<DividedArea> {
    return andThen(this.#features.read(option, read), (selected) => {
      const known = this.#divided.get(selected) ?? runCoroutine(this.#divide(handle, option, selected))
      this.#divided.set(selected, known)
      return known
    })
  }

  *#divide(
    { dataset }: DatasetHandle,
    option: SourceOption,
    { features, freshness }: SelectedFeatures,
  ): Coroutine<DividedArea> {
    const { regions } = dataset.coverage
    const polygons = option.area!.coverage
    if (this.#area.kind === 'line') {
      const coverage = yield* this.#coverage.lineCoverage(regions, polygons)
      const parts = yield* partitionLines(this.#area, features, coverage, this.#yieldUnlessAborted)
      return { parts, outside: totalSizeOf(this.#area) - sizeOfParts(parts), freshness }
    }
    const within = yield* this.#coverage.ringsWithin(this.#area, regions, polygons)
    const within_m2 = within === this.#area.rings ? this.#area.area_m2 : this.#area.overlay.area_m2(within)
    const parts = limitSizes(yield* partitionPolygon(this.#area, within, features, this.#yieldUnlessAborted), within_m2)
    const rest = within_m2 - sizeOfParts(parts)
    const isRest = rest > negligibleShare * this.#area.area_m2
    return {
      parts: isRest ? [...parts, { features: [], size: rest }] : parts,
      outside: this.#area.area_m2 - within_m2,
      freshness,
    }
  }

  /** Evaluates the field at a point of each unit that the area touches. */
  async #evaluateUnits(field: Field, { dataset, key }: UnitLayer): Promise<AreaEvaluation> {
    const handle = this.#deps.registry.dataset(dataset)
    const [first] = await this.#coverage.orderedOptions(handle)
    if (!first) throw noOptionError(handle)
    const read = { dataset, op: 'attribute' as const, attribute: key }
    const { parts, outside } = await this.#divideByFeatures(read, handle, first.option)
    const touched = { parts, outside, key }
    const evaluation = await unitsOutcome(field, this.#area, touched, (at) => this.#evaluateAt(field, at))
    return evaluation ?? { outcome: outsideOutcome, origin: originOf(handle, null, field.read) }
  }

  async #evaluateAtPoint(field: Field, handle: DatasetHandle): Promise<AreaEvaluation> {
    const { point } = this.#area
    if (!insideUs(point)) return { outcome: outsideOutcome, origin: originOf(handle, null, field.read) }
    const { value, origin } = await this.#evaluateAt(field, point)
    if (value instanceof Absent) return { outcome: { value: null, reason: value.reason, covered_share: 0 }, origin }
    const plain = checkedValueOf(field, value instanceof Estimate ? value.value : value)
    return {
      outcome: {
        value: { value: plain, at: point },
        reason: null,
        covered_share: 1,
        notes: 'Computed at the representative point of the area.',
      },
      origin,
    }
  }

  /** Answers the field at a point, as a request for the point would. */
  async #evaluateAt(field: Field, at: Point): Promise<Evaluation> {
    const { plans, placeAt, parcelAccess } = this.#deps
    const location = new LocationEvaluation(placeAt(at), this.#budget, { now: this.#now, parcelAccess })
    try {
      return await plans.evaluate(field, location)
    } finally {
      location.close()
    }
  }

  #datedRead(read: FeatureRead): FeatureRead {
    return read.where?.includes('{year') ? { ...read, where: fillYear(read.where, this.#now.getUTCFullYear()) } : read
  }
}

const negligibleShare = 1e-10
const outsideOutcome: AreaOutcome = { value: null, reason: 'outside_coverage', covered_share: 0 }
