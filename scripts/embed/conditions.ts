import { datasets, fields } from '../../catalog/contents.ts'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { joinConditions } from '../../src/drivers/pack/embedded.ts'

/** Returns the conditions that the catalog queries the embedded layers with, by layer, in alphabetical order. */
export function embeddedConditions(): Map<string, string[]> {
  const reads = fields.flatMap(({ read }) => readsOf(read))
  const queried = Object.entries(datasets).flatMap(([id, { serve }]) =>
    serve.flatMap((serving) => {
      if (serving.driver !== 'embedded') return []
      const ofFields = reads
        .filter(({ dataset }) => dataset === id)
        .map((read) => ('where' in read ? read.where : undefined))
      return ofFields.map((where) => ({
        layer: serving.layer,
        where: serving.where === undefined ? where : joinConditions(serving.where, where),
      }))
    }),
  )
  const byLayer = Map.groupBy(queried, ({ layer }) => layer)
  return new Map(
    [...byLayer].map(([layer, queries]) => [
      layer,
      [...new Set(queries.flatMap(({ where }) => (where === undefined ? [] : [where])))].toSorted(),
    ]),
  )
}

/** A read, its fallbacks, and the reads of its inputs. */
function readsOf(read: ReadSpec): ReadSpec[] {
  const inputs = Object.values(read.from ?? {}).filter((it) => typeof it !== 'string')
  return [read, ...[...inputs, ...(read.fallback ?? [])].flatMap(readsOf)]
}
