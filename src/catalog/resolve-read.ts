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
  for (const name of codeArguments) resolved[name] = codesOf(resolved[name], dataset)
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
  const args = read as Record<string, unknown>
  const codes = codeArguments.map((name) => args[name]).filter((it) => typeof it === 'string')
  return {
    codeSets: codes.filter((name) => name !== allClasses),
    isLabelled: args.classes === 'dataset' || codes.includes(allClasses),
  }
}

/** The arguments that can be the name of a code set. */
const codeArguments = ['keep_codes', 'numerator', 'true_values', 'false_values', 'unknown_values'] as const
/** The name of the set of all codes of the class table. */
const allClasses = 'classes'

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

function codesOf(codes: unknown, { code_sets, classes }: Dataset): unknown {
  if (typeof codes !== 'string') return codes
  return codes === allClasses ? Object.keys(classes ?? {}) : code_sets?.[codes]
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
