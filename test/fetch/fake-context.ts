import { SchemaChanges } from '../../src/fetch/sources/schema-changes.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { CatalogContents } from '../../src/catalog/records.ts'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { fetchFields, type FieldContext } from '../../src/fetch/fetch.ts'
import { FetchPlans, type FetchPlan } from '../../src/fetch/fetch-plan.ts'
import { blockOf, type PlanContext } from '../../src/fetch/place-block.ts'
import type { SourceRegistry, DatasetHandle, SourceOption } from '../../src/fetch/sources/source-registry.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Place } from '../../src/model/place.ts'
import type { LocatedPlace } from '../../src/place/locate.ts'
import type { Budget, Feature, Properties, Value } from '../../src/model/source.ts'

export const denver: Place = { lat: 39.7392, lng: -104.9903, source: 'coordinate', region: 'conus' }
export const toronto: Place = { lat: 43.65, lng: -79.38, source: 'coordinate', region: null }
export const fetchBudget: Budget = { signal: new AbortController().signal }

/** Returns the outcomes of a plan at one place. */
export async function outcomesAt(place: LocatedPlace, plan: FetchPlan, context: PlanContext) {
  const columns = await plan.answer(blockOf([place], fetchBudget, context))
  return columns.map((column) => column.at(0))
}

/** A source option that answers with a function and records its queries. */
export function fakeOption(
  answer: (query: Record<string, unknown>) => unknown,
  more: Partial<SourceOption> = {},
): SourceOption & { queries: Record<string, unknown>[] } {
  const queries: Record<string, unknown>[] = []
  const source = async (query: Record<string, unknown>) => {
    queries.push(query)
    return answer(query)
  }
  return {
    driver: 'embedded',
    source,
    vintage: null,
    covers: () => true,
    remote: null,
    queryHistory: null,
    schemaChanges: new SchemaChanges(() => new Date(0)),
    ...more,
    queries,
  }
}

/** A source option that returns one feature, which contains the point. */
export function optionReturning(properties: Properties, more?: Partial<SourceOption>) {
  return fakeOption((): Feature[] => [{ properties, distance_m: 0 }], more)
}

/** A source option that fails. */
export function failingOption(error: Error, more?: Partial<SourceOption>) {
  return fakeOption(() => {
    throw error
  }, more)
}

/**
 * A fetch context with a made-up catalog, whose datasets have the given options. The datasets named `incomplete` also
 * have options that are not available.
 */
export function createTestContext(
  contents: CatalogContents,
  optionsByDataset: Record<string, SourceOption[]>,
  { incomplete = [], now = new Date('2026-11-21T12:00:00Z') }: { incomplete?: string[]; now?: Date } = {},
) {
  const catalog = createCatalog(contents)
  const logged: { event: string; details: Record<string, unknown> }[] = []
  const dataset = (id: string): DatasetHandle => {
    const options = optionsByDataset[id] ?? []
    return {
      id,
      dataset: catalog.datasets.get(id)!,
      options,
      hasAllOptions: options.length > 0 && !incomplete.includes(id),
      unavailableError: () => new UpstreamError('offline_no_data', `No local data for ${id}.`),
    }
  }
  const registry: SourceRegistry = { dataset, datasets: () => [...catalog.datasets.keys()].map(dataset) }
  const log = {
    info() {},
    error: (event: string, details: Record<string, unknown> = {}) => void logged.push({ event, details }),
  }
  const context: FieldContext = { catalog, registry, plans: new FetchPlans(catalog, registry), log, now: () => now }
  const answer = (names: string[], place: Place = denver): Promise<FetchAnswer> =>
    fetchFields(
      names.map((name) => catalog.fields.get(name)!),
      place,
      fetchBudget,
      context,
    )
  const ask = async (name: string, place?: Place): Promise<FieldResult> => (await answer([name], place)).fields[name]!
  const value = async (name: string, place?: Place): Promise<Value | string> => outcomeOf(await ask(name, place))
  return { context, logged, answer, ask, value }
}

/** Returns a result as one value: its value, or a text with its absent reason or its error. */
function outcomeOf(result: FieldResult): Value | string {
  if (result.status === 'ok') return result.value
  return result.status === 'absent' ? `absent, ${result.absent_reason}` : `failed, ${result.error}`
}
