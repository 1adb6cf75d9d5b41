import type { ArtifactRow } from './artifact-row.ts'

/**
 * A column of the result files. GeoJSON has the same columns as properties, except those that it shows otherwise:
 * `isProperty` is false for these. No other column has its name.
 */
export type ArtifactColumn = {
  name: string
  /** What a table has above an input column that is copied as it is; other columns have their name there. */
  header?: string
  isProperty: boolean
  kind: ColumnKind
  variesBy: ColumnCause
  valueOf(row: ArtifactRow): unknown
}

/** What the values of a column are; `{ field }`: those of a field, whose type the catalog says. */
type ColumnKind = 'integer' | 'float' | 'boolean' | 'string' | { field: string }

/**
 * What a value depends on in the rows that are answered at a coordinate without a failed field: nothing, the index, a
 * coordinate, the outcome of the field at this position (`value`: it is its value), or the cell of the input column at
 * this position; `row`: something else.
 */
type ColumnCause =
  'nothing' | 'index' | 'lat' | 'lng' | 'row' | { value: number } | { field: number } | { input: number }

/** What decides about the columns of a result file. */
export type ArtifactShape = {
  fields: string[]
  /** The fields whose values have a margin of error, which gets a column. */
  marginFields: string[]
  /** The names of the input columns, in order. */
  inputColumns: string[]
  /** Whether the input columns are first and unchanged, instead of last. */
  isInputFirst?: boolean
  /** Whether the rows are those of a retry, with their index in the original run. */
  hasOriginalIndex: boolean
  /** Whether the run fetched fields for addresses. */
  hasGeocodes: boolean
  /** Whether the warnings of the address matches have a column without the others of `hasGeocodes`. */
  hasWarnings?: boolean
  /** Whether the run is about areas, so that each field gets the share that its source covers. */
  hasCoveredShares?: boolean
  /** Whether each field gets its status and the reason of a missing value. */
  hasReasons: boolean
}

/** The rows that a sheet can have, with its header (Excel specifications and limits). */
export const sheetRowsMax = 1_048_576

/** A value is not of the type of its field in the catalog. */
export class FieldTypeError extends Error {
  readonly field: string

  constructor(field: string, type: string, value: unknown) {
    super(`The value ${JSON.stringify(value)} of ${field} is not of the type ${type}.`)
    this.field = field
  }
}

/** What a request can add to the columns of a result file. */
export const addedColumns = ['margins', 'geocodes', 'covered_shares', 'reasons', 'original_index'] as const
export type AddedColumns = (typeof addedColumns)[number]

/**
 * The columns of a file that could have all of them, reduced to those that were asked for. A file that is read beside
 * its input always has the warnings.
 */
export function shapeWith<Shape extends ArtifactShape>(shape: Shape, added: readonly AddedColumns[]): Shape {
  return {
    ...shape,
    marginFields: added.includes('margins') ? shape.marginFields : [],
    hasGeocodes: shape.hasGeocodes && added.includes('geocodes'),
    hasWarnings: shape.hasGeocodes && shape.isInputFirst === true,
    hasCoveredShares: shape.hasCoveredShares === true && added.includes('covered_shares'),
    hasReasons: shape.hasReasons && added.includes('reasons'),
    hasOriginalIndex: shape.hasOriginalIndex && added.includes('original_index'),
  }
}

/**
 * Returns the columns of the result files: the row, its fields, the fields that failed, the added columns, and then
 * every input column. The names are unique: an input column whose name is taken gets the prefix `input_`, and then a
 * number if necessary. With `isInputFirst`, the input columns come first, and the others get the prefix `fieldstone_`.
 */
export function artifactColumnsOf({ inputColumns, ...shape }: ArtifactShape): ArtifactColumn[] {
  const own = ownColumnsOf(shape)
  const inputs = inputColumns.map((name, i): ArtifactColumn => ({
    name,
    isProperty: true,
    kind: 'string',
    variesBy: { input: i },
    valueOf: (row: ArtifactRow) => row.passthrough[i] ?? '',
  }))
  if (!shape.isInputFirst) return [...own, ...withFreeNames(inputs, 'input_', own)]
  const unchanged = withFreeNames(
    inputs.map((column, i) => ({ ...column, name: column.name.trim() || `column_${i + 1}`, header: column.name })),
    '',
    [],
  )
  // Names that differ in their case only are the same in a GeoPackage.
  return [...unchanged, ...withFreeNames(own, 'fieldstone_', unchanged, (name) => name.toLowerCase())]
}

function ownColumnsOf({ fields, marginFields, ...shape }: Omit<ArtifactShape, 'inputColumns'>): ArtifactColumn[] {
  return [
    { name: 'index', isProperty: false, kind: 'integer', variesBy: 'index', valueOf: (row) => row.index },
    { name: 'ok', isProperty: true, kind: 'boolean', variesBy: 'nothing', valueOf: (row) => row.ok },
    { name: 'lat', isProperty: false, kind: 'float', variesBy: 'lat', valueOf: (row) => row.lat },
    { name: 'lng', isProperty: false, kind: 'float', variesBy: 'lng', valueOf: (row) => row.lng },
    { name: 'source', isProperty: false, kind: 'string', variesBy: 'nothing', valueOf: (row) => row.source },
    { name: 'error', isProperty: true, kind: 'string', variesBy: 'nothing', valueOf: (row) => row.error },
    ...fields.map((name, i) => propertyColumn(name, { field: name }, { value: i }, (row) => row.values[i])),
    propertyColumn('failed_fields', 'string', 'nothing', (row) => row.failed_fields),
    ...marginFields.map((field) => marginColumn(field, fields.indexOf(field))),
    ...(shape.hasGeocodes ? geocodeColumns : []),
    ...(shape.hasGeocodes || shape.hasWarnings ? [warningsColumn] : []),
    ...(shape.hasCoveredShares ? fields.map(coveredShareColumn) : []),
    ...(shape.hasReasons ? fields.flatMap(reasonColumns) : []),
    ...(shape.hasOriginalIndex ? [originalIndexColumn] : []),
  ]
}

function propertyColumn(
  name: string,
  kind: ColumnKind,
  variesBy: ColumnCause,
  valueOf: ArtifactColumn['valueOf'],
): ArtifactColumn {
  return { name, isProperty: true, kind, variesBy, valueOf }
}

const originalIndexColumn = propertyColumn('original_index', 'integer', 'row', (row) => row.original_index)

/** The accuracy of the address match that the fields of a row were answered at. */
const geocodeColumns = (['accuracy_type', 'accuracy', 'normalized_address', 'provider'] as const).map((member) =>
  propertyColumn(
    `geocode_${member}`,
    member === 'accuracy' ? 'float' : 'string',
    'nothing',
    ({ geocode }) => geocode[member] ?? null,
  ),
)

/** The differences between the address of a row and its match. */
const warningsColumn = propertyColumn('warnings', 'string', 'nothing', ({ geocode }) => geocode.warnings ?? null)

function marginColumn(field: string, i: number): ArtifactColumn {
  return propertyColumn(`${field}_moe`, 'float', { field: i }, (row) => row.margins[i] ?? null)
}

function coveredShareColumn(field: string, i: number): ArtifactColumn {
  return propertyColumn(`${field}_covered_share`, 'string', 'row', (row) => row.covered_shares?.[i] ?? null)
}

function reasonColumns(field: string, i: number): ArtifactColumn[] {
  return (['status', 'reason'] as const).map((member) =>
    propertyColumn(`${field}_${member}`, 'string', { field: i }, (row) => row.reasons[i]?.[member] ?? null),
  )
}

/**
 * Renames columns whose name is taken by others, or by one before them: `prefix` first, then a number.
 */
function withFreeNames(
  columns: ArtifactColumn[],
  prefix: string,
  others: readonly ArtifactColumn[],
  keyOf = (name: string) => name,
): ArtifactColumn[] {
  const names = new Set(others.map(({ name }) => keyOf(name)))
  const nextNumbers = new Map<string, number>()
  return columns.map((column) => {
    const name = names.has(keyOf(column.name)) ? freeName(`${prefix}${column.name}`) : column.name
    names.add(keyOf(name))
    return { ...column, name }
  })

  function freeName(name: string): string {
    if (!names.has(keyOf(name))) return name
    let number = nextNumbers.get(name) ?? 2
    while (names.has(keyOf(`${name}_${number}`))) number++
    nextNumbers.set(name, number + 1)
    return `${name}_${number}`
  }
}
