import { Database } from 'bun:sqlite'
import { createAuditTableNamed } from '../../audit-tables.ts'
import { migrations } from '../../migrations.ts'
import { readPragma } from '../database-file.ts'

const maxReported = 5

/**
 * Returns a phrase for each part of a schema that SQLite would execute and that Fieldstone did not create: triggers,
 * views, virtual tables, and changed columns of our tables. Compares with a new database of the same schema version.
 */
export function findForeignSchema(db: Database): string[] {
  const own = createSchema(readPragma(db, 'user_version'), tableNamesIn(db))
  try {
    const ownTables = tableNamesIn(own)
    const known = new Set(executedPartsOf(own, ownTables))
    return executedPartsOf(db, ownTables)
      .filter((part) => !known.has(part))
      .slice(0, maxReported)
  } finally {
    own.close()
  }
}

/** Creates an empty database with the schema of a version, and the month tables of the audit among `names`. */
function createSchema(version: number, names: readonly string[]): Database {
  const db = new Database(':memory:', { strict: true })
  for (const statement of migrations.slice(0, version).flat()) db.run(statement)
  for (const table of names.map(createAuditTableNamed)) if (table) db.run(table)
  return db
}

/** The names of the tables of a database, without those of SQLite. */
export function tableNamesIn(db: Database): string[] {
  return db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name)
}

/** Other tables may exist: a replication tool may add its own. Nothing executes them. */
function executedPartsOf(db: Database, ownTables: readonly string[]): string[] {
  return db
    .query<{ part: string }, [string]>(
      `SELECT 'the ' || type || ' ' || name AS part FROM sqlite_schema WHERE type IN ('trigger', 'view')
       UNION ALL
       SELECT 'the virtual table ' || name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'
       UNION ALL
       SELECT format('the column %s %s %s %s of %s', c.name, c.type, c.hidden, coalesce(c.dflt_value, ''), t.value)
       FROM json_each(?) t, pragma_table_xinfo(t.value) c`,
    )
    .all(JSON.stringify(ownTables))
    .map(({ part }) => part)
}
