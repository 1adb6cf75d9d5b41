import type { Catalog } from '../../catalog/catalog.ts'
import type { Field } from '../../catalog/records.ts'
import { confidenceLevels, type Confidence } from '../../model/outcome.ts'
import type { Citation } from './ask-answer.ts'
import type { Fact } from './fact.ts'

/**
 * Numbers the sources that answered, in the order of the facts. A failed source has no number because there is nothing
 * to cite.
 */
export function sourceNumbers(facts: Fact[]): Map<string, number> {
  const sources = [
    ...new Set(facts.filter(({ result }) => result.status !== 'failed').map(({ result }) => result.source)),
  ]
  return new Map(sources.map((source, i) => [source, i + 1]))
}

/** Returns one citation for each source of the used fields. */
export function citationsOf(facts: Fact[], used: ReadonlySet<string>, catalog: Catalog): Citation[] {
  const numbers = sourceNumbers(facts)
  const bySource = Map.groupBy(
    facts.filter(({ field, result }) => used.has(field.name) && numbers.has(result.source)),
    ({ result }) => result.source,
  )
  return [...bySource].map(([source, cited]) => ({
    id: numbers.get(source)!,
    source,
    source_name: sourceNameOf(source, cited[0]!.field, catalog),
    source_url: cited[0]!.result.source_url,
    fields: [...new Set(cited.map(({ field }) => field.name))],
    fetched_at: cited.flatMap(({ result }) => result.fetched_at ?? []).toSorted()[0]!,
    confidence: lowestConfidence(cited),
    dataset_vintage: [...new Set(cited.flatMap(({ result }) => result.dataset_vintage ?? []))].join('; ') || null,
  }))
}

function lowestConfidence(cited: Fact[]): Confidence {
  const ranks = cited.map(({ result }) => confidenceLevels.indexOf(result.confidence as Confidence))
  return confidenceLevels[Math.max(0, ...ranks)]!
}

/** Returns the publisher and title of the dataset that answered, which may be a fallback of the field's own dataset. */
export function sourceNameOf(source: string, { read }: Pick<Field, 'read'>, { datasets }: Catalog): string {
  const dataset = datasets.get(read.dataset)!
  const { publisher, title } =
    dataset.service === source ? dataset : ([...datasets.values()].find(({ service }) => service === source) ?? dataset)
  return `${publisher}: ${title}`
}
