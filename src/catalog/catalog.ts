import { catalogErrorsOf } from './checks.ts'
import type { CatalogContents, Dataset, Field, Preset } from './records.ts'
import { resolveRead } from './resolve-read.ts'

/** The catalog, checked and indexed by name. `presetsOf`: the presets that have a field as a member. */
export type Catalog = {
  version: string
  released: string
  fields: ReadonlyMap<string, Field>
  datasets: ReadonlyMap<string, Dataset>
  presets: ReadonlyMap<string, Preset>
  synonyms: ReadonlyMap<string, string[]>
  presetsOf(field: string): string[]
}

/** Checks the contents as a whole, and indexes them by name. A catalog that does not hold together does not start. */
export function createCatalog(contents: CatalogContents): Catalog {
  const errors = catalogErrorsOf(contents)
  if (errors.length > 0) throw new Error(`The catalog does not hold together:\n${errors.join('\n')}`)
  const { version, released, fields, datasets, presets, synonyms } = contents
  const presetsOf = new Map(
    fields.map(({ name }) => [name, Object.keys(presets).filter((preset) => presets[preset]!.fields.includes(name))]),
  )
  return {
    version,
    released,
    fields: new Map(fields.map((field) => [field.name, { ...field, read: resolveRead(field.read, datasets) }])),
    datasets: new Map(Object.entries(datasets)),
    presets: new Map(Object.entries(presets)),
    synonyms: new Map(Object.entries(synonyms)),
    presetsOf: (field) => presetsOf.get(field) ?? [],
  }
}
