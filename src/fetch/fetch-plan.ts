import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import { AnswerTemplates } from './answer-template.ts'
import { CompiledRead, type ReadCompiler } from './compiled-read.ts'
import type { Evaluation } from './evaluation.ts'
import { FieldPlan } from './field-plan.ts'
import { areAnsweredLocally } from './local-fields.ts'
import { LocalSources } from './sources/local-sources.ts'
import type { LocationEvaluation } from './location-evaluation.ts'
import type { OutcomeColumn } from './outcome-column.ts'
import { datasetsOfField } from '../catalog/read-spec.ts'
import { parcelCounty, type ParcelReads } from './parcel/parcel-fields.ts'
import type { PlaceBlock } from './place-block.ts'
import { selectKnownFields, type FieldCap, type FieldRequest, type UnknownField } from './catalog/select.ts'
import type { SourceRegistry } from './sources/source-registry.ts'

/**
 * A list of fields, compiled for the sources of this server. All that answers fields evaluates a plan: single requests,
 * batches, runs, lookups, questions and agents.
 */
export class FetchPlan {
  readonly fields: readonly Field[]
  /** What the answers of the plan share. */
  readonly templates: AnswerTemplates
  /** Whether data of this machine alone answers the fields. */
  readonly isLocal: boolean
  /** Requested names that are not in the catalog, and that the request leaves out. */
  readonly unknown: readonly UnknownField[]
  readonly #fieldPlans: readonly FieldPlan[]

  constructor(fieldPlans: readonly FieldPlan[], isLocal: boolean, unknown: readonly UnknownField[] = []) {
    this.#fieldPlans = fieldPlans
    this.unknown = unknown
    this.isLocal = isLocal
    this.fields = fieldPlans.map(({ field }) => field)
    const names = this.fields.map(({ name }) => name)
    this.templates = new AnswerTemplates(names, unknown)
  }

  /** Returns this plan for a request that also named fields that are not in the catalog. */
  without(unknown: readonly UnknownField[]): FetchPlan {
    return new FetchPlan(this.#fieldPlans, this.isLocal, unknown)
  }

  /**
   * Returns the outcomes of every field at the places of a block; a promise only if a field has to wait for its source.
   * Fields that send the same query to a source share its answer.
   */
  answer(block: PlaceBlock): MaybePromise<OutcomeColumn[]> {
    const columns = this.#fieldPlans.map((it) => it.columnOf(block))
    const pending = columns.some((it) => it.hasOpenPlaces) ? this.#answerOpenPlaces(block, columns) : []
    if (pending.length === 0) return columns
    return Promise.all(pending)
      .then(() => columns)
      .finally(() => block.close())
  }

  /** Answers place by place, because the fields of a place share its queries. Returns what has to wait. */
  #answerOpenPlaces(block: PlaceBlock, columns: readonly OutcomeColumn[]): Promise<void>[] {
    const pending: Promise<void>[] = []
    for (let i = 0; i < block.size; i++)
      for (const [field, column] of columns.entries()) {
        if (!column.isOpenAt(i)) continue
        const outcome = this.#fieldPlans[field]!.answer(block.locationAt(i), column.keys[i]!, block.log)
        if (outcome instanceof Promise) pending.push(outcome.then((it) => column.set(i, it)))
        else column.set(i, outcome)
      }
    return pending
  }
}

/** The maximum number of cached plans, by the names of fields and by request. */
const plansMax = 512
/** Plans of more fields are not cached. */
const cachedFieldsMax = 50

/** The plans of one catalog and one registry. Fields are compiled on first use, and shared by all plans. */
export class FetchPlans {
  readonly #catalog: Catalog
  readonly #compiler: ReadCompiler
  readonly #fieldPlans = new WeakMap<Field, FieldPlan>()
  /** By request and by the names of fields, least recently used first. */
  readonly #plans = new Map<string, FetchPlan>()
  /** The plan that was found last. */
  #latest: FetchPlan | null = null
  #parcelReads: ParcelReads | null = null

  constructor(catalog: Catalog, registry: SourceRegistry) {
    this.#catalog = catalog
    this.#compiler = {
      registry,
      localSources: new LocalSources(),
      fieldNamed: (name) => this.#fieldPlanOf(catalog.fields.get(name)!).asInput,
    }
  }

  /**
   * Returns the plan of the fields that a request selects.
   * @throws {ApiError} like `selectFields`.
   */
  select({ fields = [], preset = '', on_unknown }: FieldRequest, cap: FieldCap): FetchPlan {
    // Known names have no line feeds, so the number of names makes the key of a cached plan unambiguous.
    const key = `${cap}\n${fields.length}\n${preset}\n${fields.join('\n')}`
    const known = this.#find(key)
    if (known) return known
    const selected = selectKnownFields({ fields, preset, on_unknown }, cap, this.#catalog)
    const plan = this.planOf(selected.fields)
    if (selected.unknown.length > 0) return plan.without(selected.unknown)
    // A longer list repeats names, and its key could be large.
    if (fields.length <= cachedFieldsMax) this.#keep(key, plan)
    return plan
  }

  /** Returns the plan of these fields. They need not be fields of the catalog, but their datasets must be. */
  planOf(fields: readonly Field[]): FetchPlan {
    const key = `fields\n${fields.map(({ name }) => name).join('\n')}`
    const known = this.#find(key)
    if (known?.fields.every((field, i) => field === fields[i])) return known
    const isLocal = areAnsweredLocally(fields, { catalog: this.#catalog, registry: this.#compiler.registry })
    const plan = new FetchPlan(
      fields.map((field) => this.#fieldPlanOf(field)),
      isLocal,
    )
    if (fields.length <= cachedFieldsMax) this.#keep(key, plan)
    return plan
  }

  #find(key: string): FetchPlan | undefined {
    const known = this.#plans.get(key)
    if (!known || known === this.#latest) return known
    this.#latest = known
    this.#plans.delete(key)
    this.#plans.set(key, known)
    return known
  }

  #keep(key: string, plan: FetchPlan): void {
    const [oldest] = this.#plans.keys()
    if (this.#plans.size >= plansMax && oldest !== undefined) this.#plans.delete(oldest)
    this.#plans.set(key, plan)
  }

  /** Returns the value of a field, without the checks of an answer. Throws or rejects with an UpstreamError. */
  evaluate(field: Field, location: LocationEvaluation): MaybePromise<Evaluation> {
    return this.#fieldPlanOf(field).evaluate(location)
  }

  #fieldPlanOf(field: Field): FieldPlan {
    const known = this.#fieldPlans.get(field)
    if (known) return known
    const readsParcel = datasetsOfField(field, this.#catalog.fields).has(parcelCounty.dataset)
    const fieldPlan = new FieldPlan(field, this.#compiler, readsParcel ? this.#readsOfParcels() : null)
    this.#fieldPlans.set(field, fieldPlan)
    return fieldPlan
  }

  #readsOfParcels(): ParcelReads {
    const pointCounty = this.#catalog.fields.get('county_fips')
    this.#parcelReads ??= {
      ofParcel: new CompiledRead(parcelCounty, this.#compiler),
      ofPoint: pointCounty ? this.#fieldPlanOf(pointCounty) : null,
    }
    return this.#parcelReads
  }
}
