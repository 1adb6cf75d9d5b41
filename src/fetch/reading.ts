import type { Catalog } from '../catalog/catalog.ts'
import { inYear } from '../catalog/year.ts'
import type { Fallback, Field, Read } from '../catalog/entry.ts'
import { UpstreamError } from '../model/error.ts'
import { Absent, noData, outsideCoverage, readingOf, type Reading } from '../model/outcome.ts'
import type { Place } from '../model/place.ts'
import type { AnySource, Budget, Freshness, Shape, Value } from '../model/source.ts'
import { expressionOf } from '../operators/expression.ts'
import type { Asked } from '../operators/operator.ts'
import { operators } from '../operators/operators.ts'
import { gathered } from './gathered.ts'
import type { Library, Shelf, Way } from './library.ts'
import type { Limits } from './limits.ts'
import { once } from './once.ts'

/** What a read came to, the shelf it is from, and how it was come by (`way` is null when nothing was asked); `freshness` is of what another server said. */
export type Settled = { reading: Reading; shelf: Shelf; way: Pick<Way, 'driver' | 'vintage'> | null; freshness?: Freshness | null }

/** How a value comes about that is worked out from others. */
export const computing = { driver: 'computed', vintage: null } as const

/** Everything that is asked about one place: each field and each question to a source once. */
export type Asking = { field(field: Field): Promise<Settled> }

/** Any operator: the catalog has checked that its arguments and its source fit. */
type AnyOperator = { over: Shape | null; run: (args: never, source: never, asked: Asked, budget: Budget) => Promise<Value | Absent> }

/** What an asking needs: where everything stands, the time, and how long it may take. */
type Sought = { catalog: Catalog; library: Library; now: () => Date; limits: Limits }

export function openAsking(place: Place, budget: Budget, { catalog, library, now: clock, limits }: Sought): Asking {
  const at = { lat: place.lat, lng: place.lng }
  const now = clock()
  const fields = new Map<Field, Promise<Settled>>()
  const sources = new Map<Way, AnySource>()
  return { field }

  function field(it: Field): Promise<Settled> {
    const asked = fields.get(it)
    if (asked) return asked
    const settled = read(it.read)
    fields.set(it, settled)
    return settled
  }

  function read(it: Read): Promise<Settled> {
    return it.skip_when === undefined && !it.fallback ? main(it) : withAlternatives(it)
  }

  async function withAlternatives(it: Read): Promise<Settled> {
    if (await isSkipped(it)) return { reading: noData, shelf: library.shelf(it.dataset), way: null }
    return main(it).then(
      (settled) => (settled.reading instanceof Absent ? other(it.fallback ?? [], conditionOf(settled.reading), settled) : settled),
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error
        return other(it.fallback ?? [], 'failed', error)
      },
    )
  }

  /** The first fallback that is meant for what happened and covers the place; else what happened stands. */
  async function other(fallbacks: Fallback[], happened: Condition, first: Settled | UpstreamError): Promise<Settled> {
    let stands = first
    for (const fallback of fallbacks) {
      if (!(fallback.when ?? ['failed']).includes(happened) || (await isSkipped(fallback))) continue
      try {
        const settled = await read(fallback)
        if (settled.reading !== outsideCoverage) return settled
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        if (stands instanceof UpstreamError) stands = toldOf(stands, error)
      }
    }
    if (stands instanceof UpstreamError) throw stands
    return stands
  }

  async function main(written: Read): Promise<Settled> {
    const it = 'where' in written && written.where?.includes('{year') ? { ...written, where: inYear(written.where, now.getUTCFullYear()) } : written
    const shelf = library.shelf(it.dataset)
    const { regions } = shelf.dataset.coverage
    if (regions !== 'everywhere' && (place.region === null || !regions.includes(place.region))) return { reading: outsideCoverage, shelf, way: null }
    const inputs = it.from && ('expression' in it || 'function' in it) ? await inputsOf(it.from) : noInputs
    if (inputs instanceof Absent) return { reading: inputs, shelf, way: null }
    const key = it.key === undefined ? null : await keyOf([it.key].flat(), it.from)
    if (key instanceof Absent) return { reading: key, shelf, way: null }
    const { over, run }: AnyOperator = operators[it.op]
    const asked = { at, key, inputs, now }
    if (over === null) return { reading: readingOf(await run(it as never, null as never, asked, budget)), shelf, way: computing }
    let isCovered = !shelf.complete
    let failure: UpstreamError | null = null
    for (const way of shelf.ways) {
      if (!way.covers(place)) continue
      isCovered = true
      try {
        if (!way.remote) return { reading: readingOf(await run(it as never, sourceOf(way, shelf) as never, asked, budget)), shelf, way }
        const { least, seen } = listening()
        const reading = readingOf(await limits.within(run(it as never, sourceOf(way, shelf) as never, asked, { ...budget, seen }), shelf.dataset))
        const freshness = least()
        // What is missing from an old answer may be there now: only a source that answers can say that there is nothing.
        if (freshness?.cache === 'stale' && reading instanceof Absent) throw freshness.failure
        return { reading, shelf, way, freshness }
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        // A way that cannot put the question at all does not hide why one that can has failed.
        if (failure === null || error.code !== 'unsupported_request') failure = error
      }
    }
    if (!isCovered) return { reading: outsideCoverage, shelf, way: null }
    throw failure ?? shelf.lack()
  }

  function sourceOf(way: Way, { dataset }: Shelf): AnySource {
    const source = sources.get(way)
    if (source) return source
    const shared = way.remote && dataset.shape === 'features' ? gathered(way.source, { fetch_radius_m: dataset.fetch_radius_m, simplified: way.remote.simplified }, way.before) : once(way.source)
    sources.set(way, shared)
    return shared
  }

  /** The values a read computes from. One that is absent makes the whole absent, one that failed makes it fail. */
  async function inputsOf(from: NonNullable<Read['from']>): Promise<Record<string, Value> | Absent> {
    const inputs: Record<string, Value> = {}
    for (const [name, it] of Object.entries(from)) {
      if (it === 'lat' || it === 'lng') inputs[name] = at[it]
      else {
        const { reading } = await (typeof it === 'string' ? field(catalog.fields.get(it)!) : read(it))
        if (reading instanceof Absent) return reading
        inputs[name] = reading
      }
    }
    return inputs
  }

  /** Whether a read is not worth asking for. What its condition cannot know counts as not holding. */
  async function isSkipped({ skip_when, from = {} }: Read): Promise<boolean> {
    if (skip_when === undefined) return false
    const inputs: Record<string, Value> = {}
    for (const [name, it] of Object.entries(from)) {
      const known = await inputsOf({ [name]: it }).catch(unknownWhenFailed)
      inputs[name] = known instanceof Absent ? null : known[name]!
    }
    return expressionOf(skip_when, Object.keys(inputs))(inputs) === true
  }

  async function keyOf(names: string[], from: Read['from'] = {}): Promise<string | Absent> {
    const values = await inputsOf(Object.fromEntries(names.map((name) => [name, from[name] ?? name])))
    return values instanceof Absent ? values : names.map((name) => String(values[name])).join('|')
  }
}

/** Hears how fresh the answers to one read are, and says how fresh the least of them is. */
function listening() {
  const heard: Freshness[] = []
  const ofKind = (kind: Freshness['cache']) => heard.find(({ cache }) => cache === kind)
  return { seen: (freshness: Freshness) => { heard.push(freshness) }, least: () => ofKind('stale') ?? ofKind('miss') ?? ofKind('hit') ?? null }
}

/** Of two failures to one end the one to tell: the first, unless it is for good and the other passes, so that asking again may help. */
function toldOf(first: UpstreamError, later: UpstreamError): UpstreamError {
  return !first.retryable && later.retryable ? later : first
}

const noInputs: Record<string, Value> = {}

function unknownWhenFailed(error: unknown): Absent {
  if (error instanceof UpstreamError) return noData
  throw error
}

type Condition = NonNullable<Fallback['when']>[number]

function conditionOf({ reason }: Absent): Condition {
  return reason === 'outside_coverage' ? reason : 'absent'
}
