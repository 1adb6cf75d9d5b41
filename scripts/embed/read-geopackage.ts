import type { Database } from 'bun:sqlite'
import type { Properties } from '../../src/model/source.ts'
import { quoteIdentifier } from '../../src/files/geopackage/geopackage.ts'

/** A layer as described by the GeoPackage's metadata: table, geometry column, and the other columns except the key. */
type Layer = { name: string; geometry: string; attributes: string[] }

/** Describes a layer. @throws Error that lists the existing layers if there is none of that name. */
export function describeLayer(db: Database, name: string): Layer {
  const layers = db
    .query<{ table_name: string; column_name: string }, []>(
      'SELECT table_name, column_name FROM gpkg_geometry_columns ORDER BY table_name',
    )
    .all()
  const geometry = layers.find((layer) => layer.table_name === name)?.column_name
  if (geometry === undefined)
    throw new Error(
      `The GeoPackage has no layer ${name}. Its layers: ${layers.map((layer) => layer.table_name).join(', ') || 'none'}.`,
    )
  const columns = db
    .query<{ name: string; pk: number }, [string]>('SELECT name, pk FROM pragma_table_info(?)')
    .all(name)
  const attributes = columns.filter((column) => !column.pk && column.name !== geometry).map((column) => column.name)
  return { name, geometry, attributes }
}

/** Yields every feature of a layer in key order. The geometry of a feature may be null. */
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
