import type { Field, ReadSpec } from './records.ts'

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

/** All datasets that a field reads, also through the fields that are its inputs. */
export function datasetsOfField(field: Field, fields: ReadonlyMap<string, Field>): Set<string> {
  const datasets = new Set<string>()
  const seen = new Set<Field>()
  const add = (it: Field) => {
    if (seen.has(it)) return
    seen.add(it)
    for (const read of withNestedReads(it.read)) {
      datasets.add(read.dataset)
      for (const input of readInputsOf(read))
        if (typeof input === 'string' && fields.has(input)) add(fields.get(input)!)
    }
  }
  add(field)
  return datasets
}

/** Whether the value of a resolved read, or of one of its fallbacks, comes with a margin of error. */
export function hasMarginOfError(read: ReadSpec): boolean {
  return isEstimate(read) || (read.fallback ?? []).some(hasMarginOfError)
}

function isEstimate(read: ReadSpec): boolean {
  if (read.op === 'computed') return read.proportional_to !== undefined
  if (read.op !== 'row' || !read.margins || read.reducer !== undefined) return false
  const [estimateEnd] = read.margins.suffixes
  return (read.percentage?.whole ?? read.column)?.endsWith(estimateEnd) ?? false
}

/** The attributes or columns that a read takes from a record. Steps inside a JSON path are not columns. */
export function attributesReadBy(read: ReadSpec): string[] {
  const args: Record<string, unknown> = { ...read }
  const texts = ['attribute', 'column', 'distinct', 'unit_from']
    .flatMap((member) => args[member])
    .filter((it) => typeof it === 'string')
  const formulas = ['where', ...(read.op === 'computed' || read.op === 'path' ? [] : ['expression'])]
    .map((member) => args[member])
    .filter((it) => typeof it === 'string')
  const picks = Array.isArray(args.pick)
    ? args.pick.map((rule) => String(rule).replace(/ (asc|desc|rank .*)$/, '')).filter((name) => name !== 'area')
    : []
  const percentage = read.op === 'row' && read.percentage ? [...read.percentage.parts, read.percentage.whole] : []
  const mapped = typeof args.null_when === 'object' && args.null_when !== null ? Object.keys(args.null_when) : []
  const last =
    read.op === 'path' && read.key !== undefined ? (/\.(\w+)$/.exec(String(args.json_path))?.slice(1) ?? []) : []
  return read.op === 'computed'
    ? []
    : [...texts, ...formulas.flatMap(namesInFormula), ...percentage, ...picks, ...mapped, ...last]
}

const formulaKeywords = new Set(['and', 'or', 'not', 'in', 'like', 'is', 'null', 'true', 'false'])

/** The attribute names in a condition or formula: everything except quoted text, keywords and functions. */
function namesInFormula(text: string): string[] {
  const names = text.replaceAll(/'(?:[^']|'')*'|\{[^}]*\}/g, ' ').matchAll(/"([^"]+)"|([A-Za-z_][\w.]*)(?!\w*\s*\()/g)
  return [...names]
    .map(([, quoted, plain]) => quoted ?? plain!)
    .filter((name) => !formulaKeywords.has(name.toLowerCase()))
}
