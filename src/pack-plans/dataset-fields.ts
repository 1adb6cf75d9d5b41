import type { Catalog } from '../catalog/catalog.ts'
import { attributesReadBy, readInputsOf, withNestedReads } from '../catalog/read-spec.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'

/**
 * A dataset and the selected fields that read it. Its attributes, its editions, and how far from the point it is
 * searched, are those of all fields of the catalog, so that a copy serves every field.
 */
export type DatasetUse = {
  dataset: string
  fields: string[]
  /** The editions that fields read, the newest (0) first. */
  editions: number[]
  attributes: string[]
  reach_m: number
}

/** The datasets that fields read, also through their inputs and fallbacks, in the order of the fields. */
export function datasetUsesOf(fields: readonly Field[], catalog: Catalog): DatasetUse[] {
  const allReads = Map.groupBy(
    [...catalog.fields.values()].flatMap(({ read }) => withNestedReads(read)),
    ({ dataset }) => dataset,
  )
  const selected = fields.flatMap((field) => readsOf(field, catalog).map((read) => ({ field: field.name, read })))
  return [...Map.groupBy(selected, ({ read }) => read.dataset)].map(([dataset, group]) => {
    const reads = allReads.get(dataset) ?? []
    const { fetch_radius_m = 0 } = catalog.datasets.get(dataset)!
    return {
      dataset,
      fields: [...new Set(group.map(({ field }) => field))],
      editions: [...new Set([0, ...reads.flatMap(editionsOf)])].toSorted((a, b) => b - a),
      attributes: [...new Map(reads.flatMap(attributesReadBy).map((name) => [name.toLowerCase(), name])).values()],
      reach_m: Math.max(fetch_radius_m, ...reads.map(reachOf)),
    }
  })
}

/** The reads of a field, of the fields that it is computed from, and of the fallbacks of all of them. */
function readsOf(field: Field, catalog: Catalog, known = new Set<string>()): ReadSpec[] {
  known.add(field.name)
  const own = withNestedReads(field.read)
  const inputs = own
    .flatMap(readInputsOf)
    .flatMap((input) => (typeof input === 'string' ? (catalog.fields.get(input) ?? []) : []))
    .filter(({ name }) => !known.has(name))
  return [...own, ...inputs.flatMap((input) => readsOf(input, catalog, known))]
}

/** The largest distance at which a read looks for features or cells. Infinity if it has no limit. */
function reachOf(read: ReadSpec): number {
  if ('search_radii_m' in read) return read.search_radii_m === null ? Infinity : Math.max(...read.search_radii_m)
  return 'radius_m' in read ? (read.radius_m ?? 0) : 0
}

/** The editions that a read needs, relative to the newest. */
function editionsOf(read: ReadSpec): number[] {
  if (read.op === 'series') return read.editions
  return 'edition' in read ? [read.edition ?? 0] : []
}

/** The fields that can be answered from the available datasets, by their own read or by a fallback. */
export function answerableFields(
  fields: readonly Field[],
  isAvailable: (dataset: string) => boolean,
  catalog: Catalog,
): Field[] {
  const isAnswered = (field: Field, known: ReadonlySet<string>): boolean =>
    canRead(field.read, new Set([...known, field.name]))
  const canRead = (read: ReadSpec, known: ReadonlySet<string>): boolean => {
    const hasInputs = readInputsOf(read).every((input) => {
      if (typeof input !== 'string') return canRead(input, known)
      const inputField = catalog.fields.get(input)
      return !inputField || known.has(input) || isAnswered(inputField, known)
    })
    if (isAvailable(read.dataset) && hasInputs) return true
    return (read.fallback ?? []).some((fallback) => canRead(fallback, known))
  }
  return fields.filter((field) => isAnswered(field, new Set()))
}

/**
 * The fields that cannot be answered from the available datasets, by the dataset that is the reason: the one that a
 * field reads, or else one of its inputs or fallbacks.
 */
export function unansweredFields(
  fields: readonly Field[],
  isAvailable: (dataset: string) => boolean,
  catalog: Catalog,
): Map<string, string[]> {
  const answered = new Set(answerableFields(fields, isAvailable, catalog))
  const missing = datasetUsesOf(fields, catalog).filter(({ dataset }) => !isAvailable(dataset))
  const reasonOf = ({ name, read }: Field) =>
    isAvailable(read.dataset) ? missing.find((use) => use.fields.includes(name))!.dataset : read.dataset
  const groups = Map.groupBy(
    fields.filter((field) => !answered.has(field)),
    reasonOf,
  )
  return new Map([...groups].map(([dataset, group]) => [dataset, group.map(({ name }) => name)]))
}
