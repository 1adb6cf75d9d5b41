import { createSharedYieldToEventLoop } from '../async/yield-to-event-loop.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { areaKindOf, unitLayerOf, type UnitLayer } from '../catalog/area-kind.ts'
import { areRecordsDated, dateOfRecords } from '../catalog/data-date.ts'
import { fillYear } from '../catalog/resolve-read.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'
import { checkedValueOf } from '../fetch/checked-outcome.ts'
import type { Evaluation } from '../fetch/evaluation.ts'
import type { FieldDeadlines } from '../fetch/field-deadlines.ts'
import type { FetchPlans } from '../fetch/fetch-plan.ts'
import { LocationEvaluation, type ParcelAccess } from '../fetch/location-evaluation.ts'
import { requireNothingMissing } from '../fetch/schema-changes.ts'
import { trackFreshness } from '../fetch/source-cache.ts'
import type { DatasetHandle, SourceOption, SourceRegistry } from '../fetch/source-registry.ts'
import type { AreaFilter, AreaQuery } from '../model/area.ts'
import { insideUs } from '../geo/us.ts'
import { UpstreamError } from '../model/error.ts'
import { Estimate } from '../model/estimate.ts'
import { Absent } from '../model/outcome.ts'
import type { Place, Point } from '../model/place.ts'
import type { Budget, Freshness } from '../model/source.ts'
import { queryExtentOf, type QueryArea } from './area-geometry.ts'
import {
  classesOutcome,
  shareOutcome,
  sizeOf,
  totalSizeOf,
  valuesOfParts,
  type AreaEvaluation,
  type AreaOutcome,
} from './area-values.ts'
import { measuredArea, type MeasuredGeometry } from './area-distance.ts'
import { filterOfArea } from './area-filter.ts'
import { AreaCoverage } from './coverage.ts'
import { countOutcome, nearestOutcome } from './near-features.ts'
import { joinPieces, partitionLines, limitSizes, partitionPolygon, sizeOfParts, type AreaPart } from './partition.ts'
import { evaluateRaster, noOptionError } from './raster-evaluation.ts'
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
}

/** An area divided by the features of a dataset, and the size of what the dataset does not cover. */
type DividedArea = { parts: AreaPart[]; outside: number; freshness?: Freshness | null }
type FeatureRead = Extract<
  ReadSpec,
  { op: 'attribute' | 'within' | 'count' | 'nearest_distance' | 'nearest_attribute' }
>

/** Event loop turns end after this time, so that other requests are answered meanwhile. */
const slice_ms = 10

/** Evaluates fields for one area. Fields that divide the area by the same features share the result. */
export class AreaEvaluator {
  readonly #area: QueryArea
  readonly #budget: Budget
  readonly #deps: AreaDeps
  readonly #now: Date
  readonly #coverage: AreaCoverage
  readonly #yieldToEventLoop = createSharedYieldToEventLoop(slice_ms)
  #filter: AreaFilter | undefined
  readonly #divided = new Map<SourceOption, Map<string, Promise<DividedArea>>>()
  readonly #outsides = new Map<SourceOption, Promise<number>>()
  #shape: MeasuredGeometry | undefined

  constructor(area: QueryArea, budget: Budget, deps: AreaDeps) {
    this.#area = area
    this.#budget = budget
    this.#deps = deps
    this.#now = deps.now()
    this.#coverage = new AreaCoverage(area, budget, { ...deps, yieldToEventLoop: this.#yieldUnlessAborted })
  }

  /** @throws {UpstreamError} when the field cannot be answered. */
  async evaluate(field: Field): Promise<AreaEvaluation> {
    await this.#yieldUnlessAborted()
    const handle = this.#deps.registry.dataset(field.read.dataset)
    switch (areaKindOf(field)) {
      case 'polygon_classes':
      case 'polygon_share':
      case 'nearest':
      case 'count':
        return this.#deps.deadlines.within(this.#tryOptions(field, handle), handle.dataset)
      case 'units':
        return this.#deps.deadlines.within(this.#evaluateUnits(field, unitLayerOf(field.read)!), handle.dataset)
      case 'representative_point':
        return this.#evaluateAtPoint(field, handle)
      case 'not_for_areas':
        return { outcome: { value: null, reason: 'not_for_areas', covered_share: 0 }, origin: { handle, option: null } }
      default:
        return this.#deps.deadlines.within(this.#evaluateRaster(field, handle), handle.dataset)
    }
  }

  /** A bound method: other requests are answered between two steps, and an abandoned request stops. */
  readonly #yieldUnlessAborted = (): Promise<void> | null => {
    this.#budget.signal.throwIfAborted()
    return this.#yieldToEventLoop()
  }

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

  async #tryOptions(field: Field, handle: DatasetHandle): Promise<AreaEvaluation> {
    const read = this.#datedRead(field.read as FeatureRead)
    let failure: UpstreamError | null = null
    for (const { option, isComplete } of await this.#orderedOptions(handle)) {
      // After a failure, a value of a part of the area would be too small.
      if (failure && !isComplete) break
      try {
        const evaluation = await this.#readOption(field, read, handle, option)
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

  /** The options with geometry; those that cover the complete area first. */
  async #orderedOptions(handle: DatasetHandle): Promise<{ option: SourceOption; isComplete: boolean }[]> {
    const withGeometry = handle.options.filter(({ area }) => area !== undefined)
    const options: { option: SourceOption; isComplete: boolean }[] = []
    for (const option of withGeometry)
      options.push({ option, isComplete: withGeometry.length === 1 || (await this.#coverage.isComplete(option)) })
    return options.toSorted((a, b) => Number(b.isComplete) - Number(a.isComplete))
  }

  async #readOption(
    field: Field,
    read: FeatureRead,
    handle: DatasetHandle,
    option: SourceOption,
  ): Promise<AreaEvaluation> {
    if (read.op !== 'attribute' && read.op !== 'within')
      return { outcome: await this.#outcomeOfNearFeatures(field, read, handle, option), origin: { handle, option } }
    const { parts, outside, freshness = null } = await this.#divideByFeatures(read, handle, option)
    const records: unknown[] = []
    const query = {
      at: this.#area.point,
      key: null,
      inputs: {},
      now: this.#now,
      ...(areRecordsDated(handle.dataset) && {
        onRecordsUsed: (used: readonly unknown[]) => void records.push(...used),
      }),
    }
    const valued = await valuesOfParts(field, { read, query, budget: this.#budget }, parts)
    return {
      outcome: (read.op === 'within' ? shareOutcome : classesOutcome)(this.#area, valued, outside),
      parts: valued,
      origin: { handle, option },
      freshness,
      date: dateOfRecords(records, handle.dataset, this.#now),
    }
  }

  async #outcomeOfNearFeatures(
    field: Field,
    read: Exclude<FeatureRead, { op: 'attribute' | 'within' }>,
    handle: DatasetHandle,
    option: SourceOption,
  ): Promise<AreaOutcome> {
    const covered = totalSizeOf(this.#area) - (await this.#outsideOf(handle, option))
    if (covered <= negligibleShare * totalSizeOf(this.#area)) return outsideOutcome
    const deps = {
      option,
      shape: () => (this.#shape ??= measuredArea(this.#area)),
      budget: this.#budget,
      yieldToEventLoop: this.#yieldUnlessAborted,
      queryOf: this.#queryOf,
      catalog: this.#deps.catalog,
    }
    const outcome = await (read.op === 'count'
      ? countOutcome(read, this.#area, deps)
      : nearestOutcome(field, read, this.#area, deps))
    return outcome.value === null ? outcome : { ...outcome, covered_share: sizeOf(this.#area, covered).share }
  }

  /** The size of the part that an option does not cover. */
  #outsideOf(handle: DatasetHandle, option: SourceOption): Promise<number> {
    const known = this.#outsides.get(option) ?? this.#divide(handle, option, []).then(({ outside }) => outside)
    this.#outsides.set(option, known)
    return known
  }

  #divideByFeatures(read: FeatureRead, handle: DatasetHandle, option: SourceOption): Promise<DividedArea> {
    const { where = '', level = '' } = read as { where?: string; level?: number }
    const divisions = this.#divided.get(option) ?? new Map<string, Promise<DividedArea>>()
    this.#divided.set(option, divisions)
    const key = `${level} ${where}`
    const known = divisions.get(key) ?? this.#readAndDivide(read, handle, option)
    divisions.set(key, known)
    return known
  }

  async #readAndDivide(read: FeatureRead, handle: DatasetHandle, option: SourceOption): Promise<DividedArea> {
    const { leastFresh, onFreshness } = trackFreshness()
    const features = await option.area!.features(this.#queryOf(option, read), { ...this.#budget, onFreshness })
    return { ...(await this.#divide(handle, option, joinPieces(features))), freshness: leastFresh() }
  }

  /** A bound method: the query of the features that touch the area. */
  readonly #queryOf = (option: SourceOption, read: { where?: string; level?: number }): AreaQuery => ({
    extent: queryExtentOf(this.#area),
    ...(read.where !== undefined && { where: read.where }),
    ...(read.level !== undefined && { level: read.level }),
    ...(option.remote && { filter: (this.#filter ??= filterOfArea(this.#area)) }),
  })

  async #divide(
    { dataset }: DatasetHandle,
    option: SourceOption,
    features: ReturnType<typeof joinPieces>,
  ): Promise<DividedArea> {
    const { regions } = dataset.coverage
    const polygons = option.area!.coverage
    if (this.#area.kind === 'line') {
      const coverage = await this.#coverage.lineCoverage(regions, polygons)
      const parts = await partitionLines(this.#area, features, coverage, this.#yieldUnlessAborted)
      return { parts, outside: totalSizeOf(this.#area) - sizeOfParts(parts) }
    }
    const within = await this.#coverage.ringsWithin(this.#area, regions, polygons)
    const within_m2 = within === this.#area.rings ? this.#area.area_m2 : this.#area.overlay.area_m2(within)
    const parts = limitSizes(await partitionPolygon(this.#area, within, features, this.#yieldUnlessAborted), within_m2)
    const rest = within_m2 - sizeOfParts(parts)
    const isRest = rest > negligibleShare * this.#area.area_m2
    return {
      parts: isRest ? [...parts, { features: [], size: rest }] : parts,
      outside: this.#area.area_m2 - within_m2,
    }
  }

  /** Evaluates the field at a point of each unit that the area touches. */
  async #evaluateUnits(field: Field, { dataset, key }: UnitLayer): Promise<AreaEvaluation> {
    const handle = this.#deps.registry.dataset(dataset)
    const [first] = await this.#orderedOptions(handle)
    if (!first) throw noOptionError(handle)
    const { parts } = await this.#divideByFeatures({ dataset, op: 'attribute', attribute: key }, handle, first.option)
    const evaluation = await unitsOutcome(field, this.#area, { parts, key }, (at) => this.#evaluateAt(field, at))
    return evaluation ?? { outcome: outsideOutcome, origin: { handle, option: null } }
  }

  async #evaluateAtPoint(field: Field, handle: DatasetHandle): Promise<AreaEvaluation> {
    const { point } = this.#area
    if (!insideUs(point)) return { outcome: outsideOutcome, origin: { handle, option: null } }
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
    return 'where' in read && read.where?.includes('{year')
      ? { ...read, where: fillYear(read.where, this.#now.getUTCFullYear()) }
      : read
  }
}

const negligibleShare = 1e-10
const outsideOutcome: AreaOutcome = { value: null, reason: 'outside_coverage', covered_share: 0 }
