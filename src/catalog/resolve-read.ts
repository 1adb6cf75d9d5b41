import { isRecord } from '../model/record.ts'
import type { Dataset, FallbackSpec, ReadSpec } from './records.ts'

/**
 * Copies into a read what its dataset defines for all fields: sentinels, margins, distinct, levels, the class table
 * behind `classes: 'dataset'`, and the code sets behind names. Operators then need no dataset.
 */
export function resolveRead<R extends ReadSpec>(read: R, datasets: Readonly<Record<string, Dataset>>): R {
  const dataset = datasets[read.dataset]!
  const resolved: Record<string, unknown> = { ...read }
  const inherited = dataset.shape === 'features' ? (['distinct', 'levels'] as const) : (['levels'] as const)
  for (const name of inherited)
    if (dataset[name] !== undefined && resolved[name] === undefined) resolved[name] = dataset[name]
  if (dataset.sentinels) resolved.sentinels = [...new Set([...dataset.sentinels, ...sentinelsOf(read)])]
  if (read.op === 'row' && dataset.margins) resolved.margins = dataset.margins
  if (resolved.classes === 'dataset') resolved.classes = dataset.classes
  for (const name of ['keep_codes', 'numerator'] as const) resolved[name] = codesOf(resolved[name], dataset)
  if (isRecord(resolved.test)) resolved.test = { ...resolved.test, in: codesOf(resolved.test.in, dataset) }
  if (read.from)
    resolved.from = Object.fromEntries(
      Object.entries(read.from).map(([name, from]) => [
        name,
        typeof from === 'string' ? from : resolveRead(from, datasets),
      ]),
    )
  if (read.fallback) resolved.fallback = read.fallback.map((fallback: FallbackSpec) => resolveRead(fallback, datasets))
  return dropUndefined(resolved) as R
}

/** The names of the dataset's code sets that a read uses, and whether it uses the class table. */
export function datasetReferencesIn(read: ReadSpec): { codeSets: string[]; isLabelled: boolean } {
  const { keep_codes, numerator, test, classes } = read as Record<string, unknown>
  const codes = [keep_codes, numerator, isRecord(test) ? test.in : undefined]
  return { codeSets: codes.filter((it) => typeof it === 'string'), isLabelled: classes === 'dataset' }
}

/** A condition with its `{year}`, `{year-10}` … replaced. */
export function fillYear(condition: string, year: number): string {
  return condition.replace(/\{year([+-]\d{1,3})?\}/g, (_match, shift: string | undefined) =>
    String(year + Number(shift ?? 0)),
  )
}

/** The sentinels of one attribute, in addition to those of the dataset. */
function sentinelsOf(read: ReadSpec): (string | number)[] {
  return ('sentinels' in read && read.sentinels) || []
}

function codesOf(codes: unknown, dataset: Dataset): unknown {
  return typeof codes === 'string' ? dataset.code_sets?.[codes] : codes
}

function dropUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/** Returns the read with the current year in its condition. */
export function readOfYear(read: ReadSpec, now: Date): ReadSpec {
  return 'where' in read && read.where !== undefined
    ? { ...read, where: fillYear(read.where, now.getUTCFullYear()) }
    : read
}
