import type { Database } from 'bun:sqlite'
import type { Properties } from '../model/source.ts'
import { quoteIdentifier } from './geopackage-file.ts'

/** A layer of a GeoPackage as its own tables describe it: a table, the column of its geometry, and the other columns but the key. */
type Layer = { name: string; geometry: string; attributes: string[] }

/** What a GeoPackage says of a layer; throws with the layers that are there when it has none of that name. */
export function describeLayer(db: Database, name: string): Layer {
  const layers = db
    .query<{ table_name: string; column_name: string }, []>(
      'SELECT table_name, column_name FROM gpkg_geometry_columns ORDER BY table_name',
    )
    .all()
  const geometry = layers.find((layer) => layer.table_name === name)?.column_name
  if (geometry === undefined)
    throw new Error(
      `There is no layer ${name} in the GeoPackage; it has ${layers.map((layer) => layer.table_name).join(', ') || 'none'}.`,
    )
  const columns = db
    .query<{ name: string; pk: number }, [string]>('SELECT name, pk FROM pragma_table_info(?)')
    .all(name)
  const attributes = columns.filter((column) => !column.pk && column.name !== geometry).map((column) => column.name)
  return { name, geometry, attributes }
}

/** Every feature of a layer, in the order of its key, one at a time. The geometry of a feature may be missing. */
export function* readFeatures(
  db: Database,
  { name, geometry, attributes }: Layer,
): Generator<{ geometry: Uint8Array | null; properties: Properties }> {
  const columns = [geometry, ...attributes].map(quoteIdentifier).join(', ')
  for (const row of db
    .query<Record<string, Uint8Array | null>, []>(`SELECT ${columns} FROM ${quoteIdentifier(name)} ORDER BY rowid`)
    .iterate()) {
    const { [geometry]: blob = null, ...properties } = row
    yield { geometry: blob, properties: properties as Properties }
  }
}

/** Every row of a table without geometry. */
export function readAllRows<Row>(db: Database, table: string): Row[] {
  return db.query<Row, []>(`SELECT * FROM ${quoteIdentifier(table)} ORDER BY rowid`).all()
}
