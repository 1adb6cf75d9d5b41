import type { App } from '../../src/app.ts'
import type { ReadSpec } from '../../src/catalog/records.ts'
import { readInputsOf } from '../../src/catalog/read-spec.ts'

/** The fields whose value can come only from a pack, according to the catalog. */
export function packOnlyFields({ catalog }: Pick<App, 'catalog'>): Set<string> {
  const onlyPacks = (id: string) => catalog.datasets.get(id)!.serve.every(({ driver }) => driver === 'pack')
  const isStuck = (read: ReadSpec): boolean =>
    (onlyPacks(read.dataset) || inputsOf(read, { catalog }).some(isStuck)) && (read.fallback ?? []).every(isStuck)
  return namesWhere(isStuck, { catalog })
}

/** The fields whose value comes over the network in this service, directly or through their inputs. */
export function networkFields({ catalog, registry }: App): Set<string> {
  const isRemote = (read: ReadSpec): boolean => {
    const { options } = registry.dataset(read.dataset)
    const alternatives = options.length === 0 ? (read.fallback ?? []) : []
    return Boolean(options[0]?.remote) || [...inputsOf(read, { catalog }), ...alternatives].some(isRemote)
  }
  const stuck = packOnlyFields({ catalog })
  return new Set([...namesWhere(isRemote, { catalog })].filter((name) => !stuck.has(name)))
}

function inputsOf(read: ReadSpec, { catalog }: Pick<App, 'catalog'>): ReadSpec[] {
  return readInputsOf(read).flatMap((it) => (typeof it === 'string' ? (catalog.fields.get(it)?.read ?? []) : it))
}

function namesWhere(holds: (read: ReadSpec) => boolean, { catalog }: Pick<App, 'catalog'>): Set<string> {
  return new Set([...catalog.fields.values()].filter(({ read }) => holds(read)).map(({ name }) => name))
}
