import type { Catalog } from '../../catalog/catalog.ts'
import { datasetsOfField } from '../../catalog/read-spec.ts'
import type { Dataset, Field } from '../../catalog/records.ts'
import type { Fact } from '../answer/fact.ts'

/** Whether a field reads a dataset whose provider bills every call, also through the fields that are its inputs. */
export function isBilledField(field: Field, { datasets, fields }: Pick<Catalog, 'datasets' | 'fields'>): boolean {
  return [...datasetsOfField(field, fields)].some((id) => isBilled(datasets.get(id)!))
}

function isBilled({ serve }: Dataset): boolean {
  return serve.some((config) => 'metered' in config && config.metered)
}

/** Returns the publishers that billed a call for these facts. A local copy is not billed. */
export function publishersThatBilled(facts: Fact[], { datasets }: Catalog): string[] {
  const publishers = facts.flatMap(({ field, result }) => {
    const dataset = datasets.get(field.read.dataset)!
    return isBilled(dataset) && result.status !== 'failed' && result.driver === 'rest' ? [dataset.publisher] : []
  })
  return [...new Set(publishers)]
}

/** Whether a question names a parcel, its owner, its zoning or its assessment, which only billed records have. */
export function namesParcel(words: string[]): boolean {
  return words.some(
    (word, i) =>
      parcelWord.test(word) ||
      (/^lots?$/.test(word) && words[i + 1] !== 'of') ||
      (word === 'tax' && words[i - 1] === 'property'),
  )
}

const parcelWord =
  /^(?:parcels?|owners?|owns|owned|ownership|apns?|assessors?|assessors?'s|assessed|assessments?|zoning|zoned|zone code|deeds?|taxable|acreage)$/
