import type { Properties } from '../../model/source.ts'
import { openGeopackage, quoted, type PackTableFacts } from '../geopackage-file.ts'
import { PackRefused } from '../pack-refused.ts'
import { batchSize, type Batch, type Incoming, type Input, type InputChoice } from './input.ts'
import { chosenLayer } from './layer-choice.ts'
import { partsOfBlob } from './wkb-parts.ts'

/** A layer or table of a GeoPackage. */
export function openGeopackageInput(path: string, name: string, choice: InputChoice): Input {
  const file = openGeopackage(path)
  try {
    if (file.tables.length === 0) throw new PackRefused(`${name} is a GeoPackage without layers.`)
    const table = chosenLayer(file.tables, choice, name)
    if (table.isCut) throw new PackRefused(`The layer ${table.name} of ${name} is a pack whose polygons are in pieces; what it was built from was expected, or a pack built with --whole.`)
    const srs = table.geometry?.srs ?? null
    const code = srs && srs.organization_coordsys_id > 0 && srs.organization.toUpperCase() === 'EPSG' ? `EPSG:${srs.organization_coordsys_id}` : null
    return { format: `GeoPackage (${table.name})`, crs: srs && code === 'EPSG:4326' ? code : definitionOf(srs?.definition ?? null, code), hasGeometry: table.geometry !== null, columns: table.columns.map((column) => column.name), isText: false, batches, close: file.close }

    function* batches(): Generator<Batch> {
      const { select, incomingOf } = rowsOf(table)
      let features: Incoming[] = []
      let count = 0
      for (const row of file.db.query<Record<string, unknown>, []>(select).iterate()) {
        features.push(incomingOf(row))
        if (features.length < batchSize) continue
        count += features.length
        yield { features, done: Math.min(1, count / Math.max(1, table.rows)) }
        features = []
      }
      yield { features, done: 1 }
    }
  } catch (error) {
    file.close()
    throw error
  }
}

/** The names of the columns may be anything, so that they are read by their place. */
function rowsOf({ name, columns, geometry }: PackTableFacts): { select: string; incomingOf: (row: Record<string, unknown>) => Incoming } {
  const selected = [...columns.map((column, i) => `${quoted(column.name)} AS c${i}`), ...(geometry ? [`${quoted(geometry.column)} AS g`] : [])]
  return {
    select: `SELECT ${selected.join(', ') || '1'} FROM ${quoted(name)} ORDER BY rowid`,
    incomingOf(row) {
      const properties: Properties = {}
      for (const [i, column] of columns.entries()) properties[column.name] = valueOf(row[`c${i}`], column.type)
      return { parts: partsIn(row.g), properties }
    },
  }
}

function partsIn(blob: unknown): Incoming['parts'] {
  if (blob === null || blob === undefined) return []
  try {
    return blob instanceof Uint8Array ? partsOfBlob(blob) : 'broken'
  } catch {
    return 'broken' // counted, and told at the end
  }
}

function valueOf(value: unknown, type: string): string | number | boolean | null {
  if (type === 'BOOLEAN' && typeof value === 'number') return value !== 0
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** A code says more than a definition, which some programs leave open. */
function definitionOf(definition: string | null, code: string | null): string | null {
  if (definition === null || /^\s*$|^undefined$/i.test(definition)) return code
  return code === null ? definition : `${code} ${definition}`
}

