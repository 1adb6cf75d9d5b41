import type { Properties, Value } from '../model/source.ts'
import { listed, quoted, type PackTableFacts } from './geopackage-file.ts'
import { PackRefused } from './pack-refused.ts'

/** How the columns of a table are read: the list of a SELECT, and what a row of it comes to. */
export type PackColumns = { select: string; propertiesOf: (values: unknown[], from: number) => Properties }

/**
 * Every column under its own name, and under the name the catalog reads it by where that is another: `renamed` (from the manifest), or a
 * name that a Shapefile has cut to ten letters. Refuses a table that lacks a column which is read.
 */
export function columnsOf(table: PackTableFacts, wanted: readonly string[], renamed: ReadonlyMap<string, string>): PackColumns {
  const names = namesOf(table)
  const aliases = new Map<string, string>()
  for (const want of wanted) {
    const column = columnFor(want, names, renamed)
    if (column === undefined) throw new PackRefused(`${table.name} has no column ${want}, which is read from it; it has ${listed(table.columns.map(({ name }) => name))}.`)
    aliases.set(column, want)
  }
  const isBoolean = table.columns.map(({ type }) => type === 'BOOLEAN')
  const keys = table.columns.map(({ name }) => aliases.get(name) ?? name)
  return {
    select: table.columns.map(({ name }) => quoted(name)).join(', ') || 'NULL',
    propertiesOf(values, from) {
      const properties: Properties = {}
      for (let i = 0; i < keys.length; i++) properties[keys[i]!] = isBoolean[i] ? booleanOf(values[from + i]) : valueOf(values[from + i])
      return properties
    },
  }
}

/** The columns of a table by their names in lower case, with and without what stands before a dot. */
export function namesOf({ columns }: PackTableFacts): Map<string, string> {
  return new Map([...columns.map(({ name }): [string, string] => [bare(name), name]), ...columns.map(({ name }): [string, string] => [name.toLowerCase(), name])])
}

/** The column of a table that stands for a name, if there is one. */
export function columnFor(want: string, names: ReadonlyMap<string, string>, renamed: ReadonlyMap<string, string>): string | undefined {
  const given = renamed.get(want.toLowerCase())
  const name = bare(given ?? want)
  return names.get(name) ?? (name.length > shapefileLetters ? names.get(name.slice(0, shapefileLetters)) : undefined)
}

const shapefileLetters = 10

function bare(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

function booleanOf(value: unknown): Value {
  return value === null || value === undefined ? null : value === 1 || value === 'true'
}

function valueOf(value: unknown): Value {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}
