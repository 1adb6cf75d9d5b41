import { isRecord } from '../model/record.ts'
import type { Dataset, Fallback, Read } from './entry.ts'

/**
 * A read with everything that its dataset says for all its fields written into its arguments: sentinels, distinct, levels, the table
 * behind `classes: 'dataset'`, and the lists behind names of code sets. What is left to an operator needs no dataset.
 */
export function settled<R extends Read>(read: R, datasets: Readonly<Record<string, Dataset>>): R {
  const dataset = datasets[read.dataset]!
  const given: Record<string, unknown> = { ...read }
  for (const name of dataset.shape === 'features' ? (['sentinels', 'distinct', 'levels'] as const) : (['sentinels', 'levels'] as const)) {
    if (dataset[name] !== undefined && given[name] === undefined) given[name] = dataset[name]
  }
  if (given.classes === 'dataset') given.classes = dataset.classes
  for (const name of ['keep_codes', 'numerator'] as const) given[name] = codesOf(given[name], dataset)
  if (isRecord(given.test)) given.test = { ...given.test, in: codesOf(given.test.in, dataset) }
  if (read.from) given.from = Object.fromEntries(Object.entries(read.from).map(([name, from]) => [name, typeof from === 'string' ? from : settled(from, datasets)]))
  if (read.fallback) given.fallback = read.fallback.map((fallback: Fallback) => settled(fallback, datasets))
  return defined(given) as R
}

/** What a read takes from its dataset by name: code sets, and whether the table of classes. */
export function namedIn(read: Read): { codeSets: string[]; isLabelled: boolean } {
  const { keep_codes, numerator, test, classes } = read as Record<string, unknown>
  const codes = [keep_codes, numerator, isRecord(test) ? test.in : undefined]
  return { codeSets: codes.filter((it) => typeof it === 'string'), isLabelled: classes === 'dataset' }
}

function codesOf(codes: unknown, dataset: Dataset): unknown {
  return typeof codes === 'string' ? dataset.code_sets?.[codes] : codes
}

function defined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
