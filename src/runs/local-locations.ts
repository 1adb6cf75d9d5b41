import { createGarbageCollector } from '../async/collect-garbage.ts'
import { coordinateKey, openLocalPlan, type LocalPlan } from '../fetch/catalog/catalog-subset.ts'
import { answerPlaces } from '../fetch/fetch.ts'
import type { FieldCounts } from '../fetch/answer-template.ts'
import { PlaceAnswer } from '../fetch/place-answer.ts'
import { insideUs } from '../geo/us.ts'
import { ApiError } from '../model/error.ts'
import type { Region } from '../model/place.ts'
import { openEmbeddedData, type EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { EmbeddedFile } from '../packs/embedded/embedded-file.ts'
import { LivePacks } from '../packs/live-packs.ts'
import { createRegionSearch, outOfBoundsError, type LocatedPlace } from '../place/locate.ts'
import { parseInput, successEntryOf } from './location-answerer.ts'
import { errorEntryOf, type LocationAnswer } from './report/run-entry.ts'
import type { BlockTask } from './run-loop-deps.ts'
import type { LocalAnswerCounts, LocalFields } from './worker-messages.ts'

/** Fields for which this many locations, and most of them, needed other data are left to the main thread. */
const missesMax = 32
/** A block leaves garbage of about a megabyte. */
const blocksBetweenCollections = 8
const heapGrowthMax_bytes = 8 * 1_048_576

type LocalContext = Parameters<typeof answerPlaces>[3]
type LocalRun = LocalPlan & { answers: number; misses: number }
type Input = ReturnType<typeof parseInput>

/**
 * Answers locations of runs in the run worker, from embedded data and vector packs. A location is left to the main
 * thread if it is an address, if a field fails, or if a field needs other data: a publisher, a raster or the cache.
 */
export class LocalLocations {
  readonly #embedded: EmbeddedData
  readonly #packs = new LivePacks()
  readonly #context: LocalContext
  readonly #regionAt: (lat: number, lng: number) => Region | null
  readonly #now: () => Date
  readonly #runs = new Map<string, LocalRun>()
  #counts = new Map<string, LocalAnswerCounts>()
  readonly #collectGarbage = createGarbageCollector(blocksBetweenCollections, heapGrowthMax_bytes)

  constructor(file: EmbeddedFile, now: () => Date) {
    this.#embedded = openEmbeddedData(file)
    this.#context = { now, log: silentLog, layers: 'all' }
    this.#regionAt = createRegionSearch(this.#embedded.layer('counties'))
    this.#now = now
  }

  /** Adds fields that embedded data and packs answer. If a pack has changed meanwhile, the main thread answers them. */
  add({ names, subset, packs }: LocalFields): void {
    try {
      this.#packs.open(packs)
    } catch {
      return this.clear()
    }
    const local = openLocalPlan(names, subset, { embedded: this.#embedded, packs: this.#packs }, this.#now)
    this.#runs.set(keyOf(names), { ...local, answers: 0, misses: 0 })
  }

  /** Forgets all fields and closes the packs, because the catalog or the packs have changed. */
  clear(): void {
    this.#runs.clear()
    this.#packs.close()
  }

  /** Whether locations with these fields are answered here. */
  has(names: readonly string[]): boolean {
    return this.#runs.has(keyOf(names))
  }

  /** Returns the answers of locations, in order; null for each that the main thread must answer. */
  answer({ run, fields, locations }: BlockTask): (LocationAnswer | null)[] {
    if (!this.#packs.areUnchanged()) this.clear()
    const local = this.#runs.get(keyOf(fields))
    if (!local) return locations.map(() => null)
    const inputs = locations.map(({ input }) => parseInput(input))
    const answers = this.#answerInputs(inputs, local)
    if (local.misses >= missesMax && local.misses > local.answers) this.#runs.delete(keyOf(fields))
    this.#count(run.account_id, answers)
    const now = this.#now()
    const entries = answers.map((answer, i) => {
      if (answer instanceof PlaceAnswer) return successEntryOf(locations[i]!, answer)
      return answer && errorEntryOf(locations[i]!, answer, now)
    })
    this.#collectGarbage()
    return entries
  }

  /** Returns the counts of the answers since the last call. */
  takeCounts(): LocalAnswerCounts[] {
    const counts = [...this.#counts.values()]
    if (counts.length > 0) this.#counts = new Map()
    return counts
  }

  /** Answers the coordinates in the US together. */
  #answerInputs(inputs: readonly Input[], local: LocalRun): (PlaceAnswer | ApiError | null)[] {
    const found = inputs.map((input) => (isCoordinate(input) ? this.#placeOf(input) : null))
    const places = found.flatMap((it) => (it === null || it instanceof ApiError ? [] : [it]))
    const answers = this.#answerPlaces(places, local)?.values()
    return found.map((it) => {
      if (it === null) return null
      const answer = it instanceof ApiError ? it : (answers?.next().value ?? null)
      if (answer === null) local.misses++
      else local.answers++
      return answer
    })
  }

  /**
   * Returns the answers of places; null for each where a field fails or needs other data. After an unexpected error,
   * the main thread answers all of them, and reports it.
   */
  #answerPlaces(places: readonly LocatedPlace[], { plan, withoutOtherData }: LocalRun): (PlaceAnswer | null)[] | null {
    try {
      const { result, needing } = withoutOtherData(() => answerPlaces(places, plan, budget, this.#context))
      if (result instanceof Promise) return null
      return result.map((it, i) => (it.counts.hasFailures || needing.has(coordinateKey(places[i]!)) ? null : it))
    } catch {
      return null
    }
  }

  #placeOf({ lat, lng }: Coordinate): LocatedPlace | ApiError {
    // + 0 turns -0 into 0.
    const at = { lat: lat + 0, lng: lng + 0 }
    return insideUs(at) ? { ...at, source: 'coordinate', region: this.#regionAt(at.lat, at.lng) } : outOfBoundsError(at)
  }

  #count(account_id: string, answers: readonly (PlaceAnswer | ApiError | null)[]): void {
    const counted = answers.filter((answer) => answer !== null)
    if (counted.length === 0) return
    const known = this.#counts.get(account_id)
    const counts: LocalAnswerCounts = known ?? { account_id, ok: 0, failed: 0, fields: [], usages: [] }
    if (!known) this.#counts.set(account_id, counts)
    // Most answers share their counts.
    const answersByCounts = new Map<FieldCounts, number>()
    for (const answer of counted) {
      if (answer instanceof ApiError) counts.failed++
      else answersByCounts.set(answer.counts, (answersByCounts.get(answer.counts) ?? 0) + 1)
    }
    for (const [fieldCounts, times] of answersByCounts) addCounts(fieldCounts, times, counts)
  }
}

type Coordinate = Input & { lat: number; lng: number }

function isCoordinate(input: Input): input is Coordinate {
  const { lat, lng, address } = input
  return lat !== undefined && lng !== undefined && address === undefined
}

function addCounts({ results, usages }: FieldCounts, times: number, counts: LocalAnswerCounts): void {
  counts.ok += times
  for (const { result, fields } of results) {
    const { source, status } = result
    const same = counts.fields.find((it) => it.source === source && it.status === status)
    if (same) same.fields += fields * times
    else if (status !== 'failed') counts.fields.push({ source, status, fields: fields * times })
  }
  for (const { source, fields } of usages) {
    const same = counts.usages.find((it) => it.source === source)
    if (same) {
      same.fields += fields * times
      same.answers += times
    } else counts.usages.push({ source, fields: fields * times, answers: times })
  }
}

const budget = { signal: new AbortController().signal }
/** Each location that fails here is answered, and its errors are logged, in the main thread. */
const silentLog = { info: () => {}, error: () => {} }

function keyOf(names: readonly string[]): string {
  return names.join('\n')
}
