import type { Catalog } from '../catalog/catalog.ts'
import type { Field, Read } from '../catalog/entry.ts'
import { needsOf } from '../catalog/needs.ts'
import type { Library } from './library.ts'
import { computing } from './reading.ts'

/** Which drivers can answer a field on this server now, and the edition of the first of them. */
export type Provision = { providers: string[]; vintage: string | null }

/** For every field of the catalog, by name. */
export function provisionsOf({ fields }: Catalog, library: Library): Map<string, Provision> {
  const known = new Map<string, Provision>()
  for (const field of fields.values()) of(field)
  return known

  function of(field: Field): Provision {
    const before = known.get(field.name)
    if (before) return before
    const provision = ofRead(field.read)
    known.set(field.name, provision)
    return provision
  }

  function ofRead(read: Read): Provision {
    const { dataset, ways } = library.shelf(read.dataset)
    const own = isWithinReach(read) ? (read.op === 'computed' ? [computing] : ways) : []
    const provisions = [
      { providers: own.map(({ driver }) => driver), vintage: own[0]?.vintage ?? dataset.vintage ?? null },
      ...(read.fallback ?? []).map(ofRead),
    ]
    const first = provisions.find(({ providers }) => providers.length > 0) ?? provisions[0]!
    return { providers: [...new Set(provisions.flatMap(({ providers }) => providers))], vintage: first.vintage }
  }

  /** Everything it needs can be had. */
  function isWithinReach(read: Read): boolean {
    const needed = needsOf(read).filter((it) => it !== 'lat' && it !== 'lng')
    return needed.every((it) => (typeof it === 'string' ? of(fields.get(it)!) : ofRead(it)).providers.length > 0)
  }
}
