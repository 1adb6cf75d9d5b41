import { normalizeAttributeName } from '../../geo/attribute.ts'
import { isPlainValue } from '../../model/record.ts'
import type { Properties, Value } from '../../model/source.ts'
import { formatNames, quoteIdentifier, type PackTableInfo } from '../../files/geopackage/geopackage.ts'
import { FileError } from '../../files/file-error.ts'

/** Reads the columns of a table: the SELECT list, and the properties of a result row whose values start at `from`. */
export type PackColumns = { select: string; propertiesOf: (values: unknown[], from: number) => Properties }

/**
 * Maps the columns of a table to the names that the catalog reads. A column that the catalog does not read keeps its
 * name. The name in the file may differ: by `renames` (from the manifest), or because a shapefile cuts names to ten
 * letters.
 * @throws FileError if a required column is missing.
 */
export function resolveColumns(
  table: PackTableInfo,
  required: readonly string[],
  renames: ReadonlyMap<string, string>,
): PackColumns {
  const names = columnsByName(table)
  const aliases = new Map<string, string>()
  for (const attribute of required) {
    const column = findColumn(attribute, names, renames)
    if (column === undefined)
      throw new FileError(
        `${table.name} has no column ${attribute}, which the catalog reads. Its columns: ${formatNames(table.columns.map(({ name }) => name))}.`,
      )
    aliases.set(column, attribute)
  }
  const isBoolean = table.columns.map(({ type }) => type === 'BOOLEAN')
  const propertyNames = table.columns.map(({ name }) => aliases.get(name) ?? name)
  return {
    select: table.columns.map(({ name }) => quoteIdentifier(name)).join(', ') || 'NULL',
    propertiesOf(values, from) {
      const properties: Properties = {}
      for (let i = 0; i < propertyNames.length; i++)
        properties[propertyNames[i]!] = isBoolean[i] ? booleanOf(values[from + i]) : valueOf(values[from + i])
      return properties
    },
  }
}

/** The columns of a table by lower-case name, with and without the qualifier before a dot. */
export function columnsByName({ columns }: PackTableInfo): Map<string, string> {
  return new Map([
    ...columns.map(({ name }): [string, string] => [normalizeAttributeName(name), name]),
    ...columns.map(({ name }): [string, string] => [name.toLowerCase(), name]),
  ])
}

/** The column of a table for a catalog attribute; undefined if there is none. */
export function findColumn(
  attribute: string,
  names: ReadonlyMap<string, string>,
  renames: ReadonlyMap<string, string>,
): string | undefined {
  const fileColumn = renames.get(attribute.toLowerCase())
  const name = normalizeAttributeName(fileColumn ?? attribute)
  return (
    names.get(name) ?? (name.length > shapefileNameLength ? names.get(name.slice(0, shapefileNameLength)) : undefined)
  )
}

const shapefileNameLength = 10

function booleanOf(value: unknown): Value {
  return value === null || value === undefined ? null : value === 1 || value === 'true'
}

function valueOf(value: unknown): Value {
  return isPlainValue(value) ? value : null
}
