import { createCatalog } from '../../src/catalog/catalog.ts'
import type { CatalogContents } from '../../src/catalog/records.ts'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { fetchFields, type FetchContext } from '../../src/fetch/fetch.ts'
import type { SourceRegistry, DatasetHandle, SourceOption } from '../../src/fetch/source-registry.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Place } from '../../src/model/place.ts'
import type { Budget, Feature, Properties, Value } from '../../src/model/source.ts'

export const denver: Place = { lat: 39.7392, lng: -104.9903, source: 'coordinate', region: 'conus' }
export const toronto: Place = { lat: 43.65, lng: -79.38, source: 'coordinate', region: null }
export const budget: Budget = { signal: new AbortController().signal }

/** A way that answers by a function; it counts how often it is asked. */
export function way(
  answer: (query: Record<string, unknown>) => unknown,
  more: Partial<SourceOption> = {},
): SourceOption & { asked: Record<string, unknown>[] } {
  const asked: Record<string, unknown>[] = []
  const source = async (query: Record<string, unknown>) => {
    asked.push(query)
    return answer(query)
  }
  return {
    driver: 'embedded',
    source,
    vintage: null,
    covers: () => true,
    remote: null,
    queryHistory: null,
    ...more,
    asked,
  }
}

/** A way that gives one feature which holds the point. */
export function giving(properties: Properties, more?: Partial<SourceOption>) {
  return way((): Feature[] => [{ properties, distance_m: 0 }], more)
}

/** A way that fails. */
export function failing(error: Error, more?: Partial<SourceOption>) {
  return way(() => {
    throw error
  }, more)
}

/** A desk over a made-up catalog: its datasets have these ways, and the ones that `lacking` names have more that are not at hand. */
export function deskOf(
  contents: CatalogContents,
  ways: Record<string, SourceOption[]>,
  { lacking = [], now = new Date('2026-11-21T12:00:00Z') }: { lacking?: string[]; now?: Date } = {},
) {
  const catalog = createCatalog(contents)
  const logged: { event: string; about: Record<string, unknown> }[] = []
  const dataset = (id: string): DatasetHandle => {
    const atHand = ways[id] ?? []
    return {
      id,
      dataset: catalog.datasets.get(id)!,
      options: atHand,
      hasAllOptions: atHand.length > 0 && !lacking.includes(id),
      unavailableError: () => new UpstreamError('offline_no_data', `There is no local data for ${id}.`),
    }
  }
  const registry: SourceRegistry = { dataset, datasets: () => [...catalog.datasets.keys()].map(dataset) }
  const log = {
    info() {},
    error: (event: string, about: Record<string, unknown> = {}) => void logged.push({ event, about }),
  }
  const desk: FetchContext = { catalog, registry, log, now: () => now }
  const answer = (names: string[], place: Place = denver): Promise<FetchAnswer> =>
    fetchFields(
      names.map((name) => catalog.fields.get(name)!),
      place,
      budget,
      desk,
    )
  const ask = async (name: string, place?: Place): Promise<FieldResult> => (await answer([name], place)).fields[name]!
  const value = async (name: string, place?: Place): Promise<Value | string> => outcomeOf(await ask(name, place))
  return { desk, logged, answer, ask, value }
}

/** A result in a word: its value, why there is none, or how it failed. */
function outcomeOf(result: FieldResult): Value | string {
  if (result.status === 'ok') return result.value
  return result.status === 'absent' ? `absent, ${result.absent_reason}` : `failed, ${result.error}`
}
