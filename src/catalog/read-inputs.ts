import type { ReadSpec } from './records.ts'

/** What a read takes its inputs and its key from: names of fields (or `lat`, `lng`), and reads of its own. */
export function readInputsOf({ from = {}, key = [] }: ReadSpec): (string | ReadSpec)[] {
  return [...Object.values(from), ...[key].flat().filter((name) => !Object.hasOwn(from, name))]
}
