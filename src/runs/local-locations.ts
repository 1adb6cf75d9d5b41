import { createGarbageCollector } from '../async/collect-garbage.ts'
import { openEmbeddedPlans, type EmbeddedPlans } from '../fetch/catalog-part.ts'
import { answerAt } from '../fetch/fetch.ts'
import type { FieldCounts } from '../fetch/field-counts.ts'
import { PlaceAnswer } from '../fetch/place-answer.ts'
import { ApiError } from '../model/error.ts'
import { openEmbeddedData, type EmbeddedData } from '../packs/embedded-data.ts'
import type { EmbeddedFile } from '../packs/embedded-file.ts'
import { createLocate, type Locate } from '../place/locate.ts'
import { admitted, parseInput, successEntryOf } from './location-answerer.ts'
import { errorEntryOf, type LocationAnswer } from './run-entry.ts'
import type { LocationTask } from './run-loop.ts'
import type { EmbeddedFields, LocalAnswerCounts } from './worker-messages.ts'

/** Fields for which this many locations needed other data are left to the main thread. */
const missesMax = 32
const answersBetweenCollections = 256
/** The heap of the worker is small, so collecting it takes a few milliseconds. */
const heapGrowthMax_bytes = 4 * 1_048_576

type LocalRun = EmbeddedPlans & { misses: number }

/**
 * Answers locations of runs in the run worker, from embedded data. A location is left to the main thread if it is an
 * address, if a field fails, or if a field needs other data: a publisher, a pack or the cache.
 */
export class LocalLocations {
  readonly #embedded: EmbeddedData
  readonly #locate: Locate
  readonly #now: () => Date
  readonly #runs = new Map<string, LocalRun>()
  #counts = new Map<string, LocalAnswerCounts>()
  readonly #collectGarbage = createGarbageCollector(answersBetweenCollections, heapGrowthMax_bytes)

  constructor(file: EmbeddedFile, now: () => Date) {
    this.#embedded = openEmbeddedData(file)
    const noGeocoder = () => Promise.reject(new Error('Addresses are geocoded in the main thread.'))
    this.#locate = createLocate(this.#embedded, noGeocoder)('')
    this.#now = now
  }

  /** Adds fields that embedded data answers. */
  add({ names, part }: EmbeddedFields): void {
    this.#runs.set(keyOf(names), { ...openEmbeddedPlans(part, this.#embedded, this.#now), misses: 0 })
  }

  /** Forgets all fields, because the catalog or the packs have changed. */
  clear(): void {
    this.#runs.clear()
  }

  /** Whether locations with these fields are answered here. */
  has(names: readonly string[]): boolean {
    return this.#runs.has(keyOf(names))
  }

  /** Returns the answer of a location; null if the main thread must answer it. */
  answer({ run, fields, location }: LocationTask): LocationAnswer | null {
    const local = this.#runs.get(keyOf(fields))
    const input = parseInput(location.input)
    if (!local || input.lat === undefined || input.address !== undefined) return null
    try {
      const answer = this.#answerAt(input, fields, local)
      if (!answer && ++local.misses >= missesMax) this.#runs.delete(keyOf(fields))
      if (!answer) return null
      this.#count(run.account_id, answer)
      return successEntryOf(location, answer)
    } catch (error) {
      // The main thread reports unexpected errors.
      if (!(error instanceof ApiError)) return null
      this.#count(run.account_id, null)
      return errorEntryOf(location, error, this.#now())
    } finally {
      this.#collectGarbage()
    }
  }

  /** Returns the counts of the answers since the last call. */
  takeCounts(): LocalAnswerCounts[] {
    const counts = [...this.#counts.values()]
    if (counts.length > 0) this.#counts = new Map()
    return counts
  }

  #answerAt(at: Parameters<Locate>[0], fields: string[], local: LocalRun): PlaceAnswer | null {
    const { plans, catalog, registry } = local
    const context = {
      plans,
      catalog,
      registry,
      admission: admitted,
      locate: this.#locate,
      log: silentLog,
      now: this.#now,
    }
    let answer: unknown = null
    const needsOtherData = local.needsOtherData(() => {
      answer = answerAt(at, plans.select({ fields }, 'none'), budget, context)
    })
    return !needsOtherData && answer instanceof PlaceAnswer && !answer.counts.hasFailures ? answer : null
  }

  #count(account_id: string, answer: PlaceAnswer | null): void {
    const known = this.#counts.get(account_id)
    const counts: LocalAnswerCounts = known ?? { account_id, ok: 0, failed: 0, fields: [], usages: [] }
    if (!known) this.#counts.set(account_id, counts)
    if (answer) {
      counts.ok++
      addCounts(answer.counts, counts)
    } else counts.failed++
  }
}

function addCounts({ results, usages }: FieldCounts, counts: LocalAnswerCounts): void {
  for (const { result, fields } of results) {
    const { source, status } = result
    const same = counts.fields.find((it) => it.source === source && it.status === status)
    if (same) same.fields += fields
    else if (status !== 'failed') counts.fields.push({ source, status, fields })
  }
  for (const { source, fields } of usages) {
    const same = counts.usages.find((it) => it.source === source)
    if (same) {
      same.fields += fields
      same.answers++
    } else counts.usages.push({ source, fields, answers: 1 })
  }
}

const budget = { signal: new AbortController().signal }
/** Each location that fails here is answered, and its errors are logged, in the main thread. */
const silentLog = { info: () => {}, error: () => {} }

function keyOf(names: readonly string[]): string {
  return names.join('\n')
}
