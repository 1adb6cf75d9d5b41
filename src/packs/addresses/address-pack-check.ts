import { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { FileError } from '../../files/file-error.ts'
import { checkRtreeNodes } from '../check/rtree-check.ts'
import {
  addressPackKind,
  checkSqliteHeader,
  openImmutable,
  toSqliteFileError,
} from '../../files/geopackage/sqlite-file.ts'
import {
  checkPages,
  checkRowSize,
  checkStoredTables,
  columnNamesOf,
} from '../../files/geopackage/stored-table-check.ts'
import { openAddressPack } from './address-pack.ts'
import { addressIndexes, addressSchema, oldAddressSchema, oldAddressSchemaVersion } from './address-pack-schema.ts'

/** A longer row is not a street or an address: a line of 8,000 vertices has 64 KiB. */
const maxRow_bytes = 256 * 1024
const maxMetadataRows = 1_000

/**
 * Checks a complete address pack: its schema, its pages, its indexes, and its row counts against the metadata.
 * @throws FileError that says what is wrong.
 */
export function verifyAddressPack(path: string): void {
  checkSqliteHeader(path, addressPackKind)
  const db = openImmutable(path)
  try {
    const tables = storedTablesOf(db)
    checkStoredTables(db, path, tables)
    checkSchema(db, path)
    for (const table of tables) {
      checkPages(db, path, table)
      checkRowSize(db, path, { table, columns: columnNamesOf(db, table), max_bytes: maxRow_bytes })
    }
    checkRtreeNodes(db, 'street_box')
    if (countRows(db, 'meta') > maxMetadataRows)
      throw new FileError(`${basename(path)} has more than ${maxMetadataRows} rows of metadata.`)
    const pack = openAddressPack(path)
    pack.close()
    checkRowCounts(db, path, pack.metadata)
  } catch (error) {
    throw toSqliteFileError(error, path, addressPackKind)
  } finally {
    db.close()
  }
}

function storedTablesOf(db: Database): string[] {
  return db
    .query<{ name: string }, []>(`SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0`)
    .all()
    .map(({ name }) => name)
}

/** Checks that the file has exactly the tables that are built: anything else could compute what it returns. */
function checkSchema(db: Database, path: string): void {
  const expected = new Database(':memory:')
  const version = db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version
  expected.run(version === oldAddressSchemaVersion ? oldAddressSchema : addressSchema)
  expected.run(addressIndexes)
  const difference = [...schemaOf(expected).symmetricDifference(schemaOf(db))][0]
  expected.close()
  if (difference !== undefined)
    throw new FileError(
      `${basename(path)} does not have the tables of an address pack. The first difference: ${difference.slice(0, 100)}. Rebuild it with \`fieldstone pack build addresses\`.`,
    )
}

function schemaOf(db: Database): Set<string> {
  return new Set(
    db
      .query<{ sql: string }, []>('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL')
      .all()
      .map(({ sql }) => sql.replaceAll(/\s+/g, ' ')),
  )
}

function checkRowCounts(db: Database, path: string, metadata: Readonly<Record<string, string>>): void {
  for (const [table, declared] of [
    ['addr', metadata.points],
    ['range', metadata.ranges],
  ] as const) {
    const count = countRows(db, table)
    if (declared !== undefined && count !== Number(declared))
      throw new FileError(`${basename(path)} has ${count} rows in ${table}, but its metadata says ${declared}.`)
  }
}

function countRows(db: Database, table: string): number {
  return db.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()!.count
}
