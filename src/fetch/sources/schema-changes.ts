import { attributesReadBy } from '../../catalog/read-spec.ts'
import type { ReadSpec } from '../../catalog/records.ts'
import { schemaChangedError } from '../../model/error.ts'
import type { OpenedSource } from '../../drivers/driver.ts'

/** Names that were not missed again for this long are no longer reported. */
const reportedFor_ms = 86_400_000

/**
 * What is missing from the data of one source option: the attributes, columns, layers and paths that reads did not find in the
 * last day. A read that finds a name again removes it.
 */
export class SchemaChanges {
  readonly #now: () => Date
  readonly #missed = new Map<string, number>()

  constructor(now: () => Date) {
    this.#now = now
  }

  recordMissing(names: readonly string[]): void {
    for (const name of names) this.#missed.set(name, this.#now().getTime())
  }

  recordFound(names: readonly string[]): void {
    for (const name of names) this.#missed.delete(name)
  }

  get isEmpty(): boolean {
    return this.#missed.size === 0
  }

  /** The missing names, sorted. */
  missing(): string[] {
    const oldest_ms = this.#now().getTime() - reportedFor_ms
    for (const [name, missed_ms] of this.#missed) if (missed_ms < oldest_ms) this.#missed.delete(name)
    return [...this.#missed.keys()].toSorted()
  }
}

/**
 * Throws `schema_changed` if the source is known to lack an attribute that the read needs. An answer without features
 * does not show that by itself.
 */
export function requireNothingMissing(
  read: ReadSpec,
  { missingOf, schemaChanges }: { missingOf?: OpenedSource['missingOf']; schemaChanges: SchemaChanges },
): void {
  if (!missingOf && schemaChanges.isEmpty) return
  const names = attributesReadBy(read)
  const missing = missingOf?.(names) ?? []
  if (missing.length > 0) throw schemaChangedError(missing, [])
  schemaChanges.recordFound('json_path' in read ? [...names, read.json_path] : names)
}
