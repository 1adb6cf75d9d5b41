import type { Read } from './entry.ts'

/** What a read takes its inputs and its key from: names of fields (or `lat`, `lng`), and reads of its own. */
export function needsOf({ from = {}, key = [] }: Read): (string | Read)[] {
  return [...Object.values(from), ...[key].flat().filter((name) => !Object.hasOwn(from, name))]
}
