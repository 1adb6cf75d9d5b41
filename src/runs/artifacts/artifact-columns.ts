import type { ArtifactRow } from './artifact-row.ts'

/**
 * A column of the result files. GeoJSON has the same columns as properties, except those that it shows otherwise:
 * `isProperty` is false for these.
 */
export type ArtifactColumn = {
  name: string
  isProperty: boolean
  variesBy: ColumnCause
  valueOf(row: ArtifactRow): unknown
}

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
  /** Whether the rows are those of a retry, with their index in the original run. */
  hasOriginalIndex: boolean
  /** Whether the run fetched fields for addresses. */
  hasGeocodes: boolean
  /** Whether the run is about areas, so that each field gets the share that its source covers. */
  hasCoveredShares?: boolean
  /** Whether each field gets its status and the reason of a missing value. */
  hasReasons: boolean
}

/** What a request can add to the columns of a result file. */
export const addedColumns = ['margins', 'geocodes', 'covered_shares', 'reasons', 'original_index'] as const
export type AddedColumns = (typeof addedColumns)[number]

/** The columns of a file that could have all of them, reduced to those that were asked for. */
export function shapeWith<Shape extends ArtifactShape>(shape: Shape, added: readonly AddedColumns[]): Shape {
  return {
    ...shape,
    marginFields: added.includes('margins') ? shape.marginFields : [],
    hasGeocodes: shape.hasGeocodes && added.includes('geocodes'),
    hasCoveredShares: shape.hasCoveredShares === true && added.includes('covered_shares'),
    hasReasons: shape.hasReasons && added.includes('reasons'),
    hasOriginalIndex: shape.hasOriginalIndex && added.includes('original_index'),
  }
}

/**
 * Returns the columns of the result files: the row, its fields, the fields that failed, the added columns, and then
 * every input column. The names are unique: an input column whose name is taken gets the prefix `input_`, and then a
 * number if necessary.
 */
export function artifactColumnsOf({ fields, marginFields, inputColumns, ...shape }: ArtifactShape): ArtifactColumn[] {
  const own: ArtifactColumn[] = [
    { name: 'index', isProperty: false, variesBy: 'index', valueOf: (row) => row.index },
    { name: 'ok', isProperty: true, variesBy: 'nothing', valueOf: (row) => row.ok },
    { name: 'lat', isProperty: false, variesBy: 'lat', valueOf: (row) => row.lat },
    { name: 'lng', isProperty: false, variesBy: 'lng', valueOf: (row) => row.lng },
    { name: 'source', isProperty: false, variesBy: 'nothing', valueOf: (row) => row.source },
    { name: 'error', isProperty: true, variesBy: 'nothing', valueOf: (row) => row.error },
    ...fields.map((name, i) => ({
      name,
      isProperty: true,
      variesBy: { value: i },
      valueOf: (row: ArtifactRow) => row.values[i],
    })),
    { name: 'failed_fields', isProperty: true, variesBy: 'nothing', valueOf: (row) => row.failed_fields },
  ]
  const additional: ArtifactColumn[] = [
    ...marginFields.map((field) => marginColumn(field, fields.indexOf(field))),
    ...(shape.hasGeocodes ? geocodeColumns : []),
    ...(shape.hasCoveredShares ? fields.map(coveredShareColumn) : []),
    ...(shape.hasReasons ? fields.flatMap(reasonColumns) : []),
    ...(shape.hasOriginalIndex ? [originalIndexColumn] : []),
  ]
  const takenNames = [...own, ...additional].map(({ name }) => name)
  const inputs = uniqueInputNames(inputColumns, takenNames).map((name, i) => ({
    name,
    isProperty: true,
    variesBy: { input: i },
    valueOf: (row: ArtifactRow) => row.passthrough[i] ?? '',
  }))
  return [...own, ...additional, ...inputs]
}

const originalIndexColumn: ArtifactColumn = {
  name: 'original_index',
  isProperty: true,
  variesBy: 'row',
  valueOf: (row) => row.original_index,
}

/** The accuracy of the address match that the fields of a row were answered at. */
const geocodeColumns: ArtifactColumn[] = [
  ...(['accuracy_type', 'accuracy', 'normalized_address', 'provider'] as const).map((member): ArtifactColumn => ({
    name: `geocode_${member}`,
    isProperty: true,
    variesBy: 'nothing',
    valueOf: ({ geocode }) => geocode[member] ?? null,
  })),
  { name: 'warnings', isProperty: true, variesBy: 'nothing', valueOf: ({ geocode }) => geocode.warnings ?? null },
]

function marginColumn(field: string, i: number): ArtifactColumn {
  return { name: `${field}_moe`, isProperty: true, variesBy: { field: i }, valueOf: (row) => row.margins[i] ?? null }
}

function coveredShareColumn(field: string, i: number): ArtifactColumn {
  return {
    name: `${field}_covered_share`,
    isProperty: true,
    variesBy: 'row',
    valueOf: (row) => row.covered_shares?.[i] ?? null,
  }
}

function reasonColumns(field: string, i: number): ArtifactColumn[] {
  return [
    {
      name: `${field}_status`,
      isProperty: true,
      variesBy: { field: i },
      valueOf: (row) => row.reasons[i]?.status ?? null,
    },
    {
      name: `${field}_reason`,
      isProperty: true,
      variesBy: { field: i },
      valueOf: (row) => row.reasons[i]?.reason ?? null,
    },
  ]
}

function uniqueInputNames(inputColumns: string[], takenNames: string[]): string[] {
  const names = new Set(takenNames)
  const nextNumbers = new Map<string, number>()
  return inputColumns.map((column) => {
    const name = names.has(column) ? freeName(`input_${column}`) : column
    names.add(name)
    return name
  })

  function freeName(name: string): string {
    if (!names.has(name)) return name
    let number = nextNumbers.get(name) ?? 2
    while (names.has(`${name}_${number}`)) number++
    nextNumbers.set(name, number + 1)
    return `${name}_${number}`
  }
}
