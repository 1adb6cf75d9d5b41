import { expectedOf, type Reading } from '../drivers/pack-expected.ts'
import type { PackRequirements } from '../packs/pack.ts'
import type { Catalog } from './catalog.ts'
import type { Dataset, Read } from './entry.ts'

/** What the datasets of a catalog expect of a file of the packs folder, by its name; none, where no dataset is read from it. */
export function packsExpected({ fields, datasets }: Pick<Catalog, 'fields' | 'datasets'>): (file: string) => PackRequirements[] {
  const reads = Map.groupBy([...fields.values()].flatMap(({ read }) => allOf(read)), ({ dataset }) => dataset)
  const served = [...datasets].map(([id, dataset]) => ({ dataset, reading: readingOf(id, dataset, reads.get(id) ?? []) }))
  return (file) =>
    served.flatMap(({ dataset, reading }) =>
      dataset.serve.flatMap((serving) => (serving.driver === 'pack' ? (expectedOf(serving, file, reading) ?? []) : [])).slice(0, 1))
}

function readingOf(id: string, { shape, levels = [], key_field }: Dataset, reads: Read[]): Reading {
  const attributes = new Map(reads.flatMap(namesIn).map((name) => [name.toLowerCase(), name]))
  return {
    id, shape, levels, keyField: key_field ?? null,
    keyed: key_field !== undefined || reads.some(({ key }) => key !== undefined),
    attributes: [...attributes.values()],
    polygons: reads.some(({ op }) => op === 'attribute' || op === 'within' || op === 'first_level'),
  }
}

/** A read and all that are inside it. */
function allOf(read: Read): Read[] {
  return [read, ...Object.values(read.from ?? {}).filter((it): it is Read => typeof it !== 'string').flatMap(allOf), ...(read.fallback ?? []).flatMap(allOf)]
}

/** The attributes or columns that a read takes from a record by name. What lies on the way of a path into a document is no column. */
function namesIn(read: Read): string[] {
  const given: Record<string, unknown> = { ...read }
  const texts = ['attribute', 'column', 'distinct', 'unit_from'].map((member) => given[member]).filter((it) => typeof it === 'string')
  const formulas = ['where', ...(read.op === 'computed' || read.op === 'path' ? [] : ['expression'])].map((member) => given[member]).filter((it) => typeof it === 'string')
  const picks = Array.isArray(given.pick) ? given.pick.map((rule) => String(rule).replace(/ (asc|desc|rank .*)$/, '')).filter((name) => name !== 'area') : []
  const mapped = typeof given.null_when === 'object' && given.null_when !== null ? Object.keys(given.null_when) : []
  const last = read.op === 'path' && read.key !== undefined ? (/\.(\w+)$/.exec(String(given.json_path))?.slice(1) ?? []) : []
  return read.op === 'computed' ? [] : [...texts, ...formulas.flatMap(namesOfFormula), ...picks, ...mapped, ...last]
}

const words = new Set(['and', 'or', 'not', 'in', 'like', 'is', 'null', 'true', 'false'])

/** The names in a condition or formula: what is neither in quotes, nor a word of the language, nor a function. */
function namesOfFormula(text: string): string[] {
  const names = text.replaceAll(/'(?:[^']|'')*'|\{[^}]*\}/g, ' ').matchAll(/"([^"]+)"|([A-Za-z_][\w.]*)(?!\w*\s*\()/g)
  return [...names].map(([, quoted, plain]) => quoted ?? plain!).filter((name) => !words.has(name.toLowerCase()))
}
