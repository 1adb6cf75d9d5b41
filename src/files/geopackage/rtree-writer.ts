import type { Database, Statement } from 'bun:sqlite'
import { quoteIdentifier } from './geopackage.ts'

/** The names of a table, its key column and its geometry column. */
export type RtreeNames = { table: string; key: string; geometry: string }

const rowsPerBatch = 10_000

/** Writes the R-tree of a table. Its rows are in Hilbert order: adjacent ones share a node, and the tree is compact. */
export function writeRtree(db: Database, names: RtreeNames): void {
  const { table, key, geometry } = names
  const insert = createRtree(db, names)
  const read = db.prepare<{ id: number; head: Uint8Array }, [number]>(
    `SELECT ${quoteIdentifier(key)} AS id, substr(${quoteIdentifier(geometry)}, 1, 40) AS head FROM ${quoteIdentifier(table)} WHERE ${quoteIdentifier(key)} > ? AND ${quoteIdentifier(geometry)} IS NOT NULL ORDER BY 1 LIMIT ${rowsPerBatch}`,
  )
  for (let rows = read.all(0); rows.length > 0; rows = read.all(rows.at(-1)!.id)) {
    for (const { id, head } of rows) {
      const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
      insert.run(id, ...[8, 16, 24, 32].map((at) => view.getFloat64(at, true)))
    }
  }
  read.finalize()
  finishRtree(db, names, insert)
}

/** Creates an empty R-tree. Returns the statement that adds a row: its key, and its bounds from west to north. */
export function createRtree(db: Database, { table, geometry }: RtreeNames): Statement {
  const rtree = quoteIdentifier(`rtree_${table}_${geometry}`)
  db.run(`CREATE VIRTUAL TABLE ${rtree} USING rtree(id, minx, maxx, miny, maxy)`)
  return db.prepare(`INSERT INTO ${rtree} VALUES (?, ?, ?, ?, ?)`)
}

/** Completes an R-tree that has all rows. */
export function finishRtree(db: Database, names: RtreeNames, insert: Statement): void {
  insert.finalize()
  for (const sql of triggerStatements(`rtree_${names.table}_${names.geometry}`, names)) db.run(sql)
}

/** The triggers that keep the R-tree current when a program changes the table (OGC 12-128r19, annex F.3). */
function triggerStatements(rtree: string, { table, key, geometry }: RtreeNames): string[] {
  const [r, t, k, g] = [quoteIdentifier(rtree), quoteIdentifier(table), quoteIdentifier(key), quoteIdentifier(geometry)]
  const upsert = `INSERT OR REPLACE INTO ${r} VALUES (NEW.${k}, ST_MinX(NEW.${g}), ST_MaxX(NEW.${g}), ST_MinY(NEW.${g}), ST_MaxY(NEW.${g}));`
  const hasGeometry = `(NEW.${g} NOT NULL AND NOT ST_IsEmpty(NEW.${g}))`
  const isEmpty = `(NEW.${g} ISNULL OR ST_IsEmpty(NEW.${g}))`
  const trigger = (name: string, when: string) =>
    `CREATE TRIGGER ${quoteIdentifier(`${rtree}_${name}`)} AFTER ${when} END`
  return [
    trigger('insert', `INSERT ON ${t} WHEN ${hasGeometry} BEGIN ${upsert}`),
    trigger('update1', `UPDATE OF ${g} ON ${t} WHEN OLD.${k} = NEW.${k} AND ${hasGeometry} BEGIN ${upsert}`),
    trigger(
      'update2',
      `UPDATE OF ${g} ON ${t} WHEN OLD.${k} = NEW.${k} AND ${isEmpty} BEGIN DELETE FROM ${r} WHERE id = OLD.${k};`,
    ),
    trigger(
      'update3',
      `UPDATE ON ${t} WHEN OLD.${k} != NEW.${k} AND ${hasGeometry} BEGIN DELETE FROM ${r} WHERE id = OLD.${k}; ${upsert}`,
    ),
    trigger(
      'update4',
      `UPDATE ON ${t} WHEN OLD.${k} != NEW.${k} AND ${isEmpty} BEGIN DELETE FROM ${r} WHERE id IN (OLD.${k}, NEW.${k});`,
    ),
    trigger('delete', `DELETE ON ${t} WHEN OLD.${g} NOT NULL BEGIN DELETE FROM ${r} WHERE id = OLD.${k};`),
  ]
}
