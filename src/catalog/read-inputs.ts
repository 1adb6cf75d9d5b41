import type { ReadSpec } from './records.ts'

/** The inputs and keys of a read: names of fields (or `lat`, `lng`), and nested reads. */
export function readInputsOf({ from = {}, key = [] }: ReadSpec): (string | ReadSpec)[] {
  return [...Object.values(from), ...[key].flat().filter((name) => !Object.hasOwn(from, name))]
}

/** A read and all reads nested in it. */
export function withNestedReads(read: ReadSpec): ReadSpec[] {
  const inner = [
    ...Object.values(read.from ?? {}).filter((it): it is ReadSpec => typeof it !== 'string'),
    ...(read.fallback ?? []),
  ]
  return [read, ...inner.flatMap(withNestedReads)]
}
