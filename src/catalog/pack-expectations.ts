import { packExpectationOf, type DatasetReads } from '../drivers/pack-expectation.ts'
import type { PackRequirements } from '../packs/pack.ts'
import type { Catalog } from './catalog.ts'
import { withNestedReads } from './read-inputs.ts'
import type { Dataset, ReadSpec } from './records.ts'

/** Returns a function from a pack file name to the requirements of the datasets that read it. */
export function packExpectationsOf({
  fields,
  datasets,
}: Pick<Catalog, 'fields' | 'datasets'>): (file: string) => PackRequirements[] {
  const reads = Map.groupBy(
    [...fields.values()].flatMap(({ read }) => withNestedReads(read)),
    ({ dataset }) => dataset,
  )
  const served = [...datasets].map(([id, dataset]) => ({
    dataset,
    datasetReads: datasetReadsOf(id, dataset, reads.get(id) ?? []),
  }))
  return (file) =>
    served.flatMap(({ dataset, datasetReads }) =>
      dataset.serve
        .flatMap((config) => (config.driver === 'pack' ? (packExpectationOf(config, file, datasetReads) ?? []) : []))
        .slice(0, 1),
    )
}

function datasetReadsOf(id: string, { shape, levels = [], key_field }: Dataset, reads: ReadSpec[]): DatasetReads {
  const attributes = new Map(reads.flatMap(attributeNamesIn).map((name) => [name.toLowerCase(), name]))
  return {
    id,
    shape,
    levels,
    keyField: key_field ?? null,
    isKeyed: key_field !== undefined || reads.some(({ key }) => key !== undefined),
    attributes: [...attributes.values()],
    polygons: reads.some(({ op }) => op === 'attribute' || op === 'within' || op === 'first_level'),
  }
}

/** The attributes or columns that a read takes from a record. Steps inside a JSON path are not columns. */
function attributeNamesIn(read: ReadSpec): string[] {
  const args: Record<string, unknown> = { ...read }
  const texts = ['attribute', 'column', 'distinct', 'unit_from']
    .map((member) => args[member])
    .filter((it) => typeof it === 'string')
  const formulas = ['where', ...(read.op === 'computed' || read.op === 'path' ? [] : ['expression'])]
    .map((member) => args[member])
    .filter((it) => typeof it === 'string')
  const picks = Array.isArray(args.pick)
    ? args.pick.map((rule) => String(rule).replace(/ (asc|desc|rank .*)$/, '')).filter((name) => name !== 'area')
    : []
  const mapped = typeof args.null_when === 'object' && args.null_when !== null ? Object.keys(args.null_when) : []
  const last =
    read.op === 'path' && read.key !== undefined ? (/\.(\w+)$/.exec(String(args.json_path))?.slice(1) ?? []) : []
  return read.op === 'computed' ? [] : [...texts, ...formulas.flatMap(namesInFormula), ...picks, ...mapped, ...last]
}

const formulaKeywords = new Set(['and', 'or', 'not', 'in', 'like', 'is', 'null', 'true', 'false'])

/** The attribute names in a condition or formula: everything except quoted text, keywords and functions. */
function namesInFormula(text: string): string[] {
  const names = text.replaceAll(/'(?:[^']|'')*'|\{[^}]*\}/g, ' ').matchAll(/"([^"]+)"|([A-Za-z_][\w.]*)(?!\w*\s*\()/g)
  return [...names]
    .map(([, quoted, plain]) => quoted ?? plain!)
    .filter((name) => !formulaKeywords.has(name.toLowerCase()))
}
