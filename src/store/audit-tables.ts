/** The table name of a month of the geocoding audit. The format check makes it safe in SQL. */
export function auditTableOf(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new Error(`Not a month: ${month}.`)
  return `geocode_audit_${month.replace('-', '_')}`
}

/** The month of a table, such as `2026-11`. */
export function monthOfTable({ name }: { name: string }): string {
  return name.slice(-7).replace('_', '-')
}

/** The statement that creates the table of a month in SQLite if it does not exist. */
export function createAuditTable(month: string): string {
  return `CREATE TABLE IF NOT EXISTS ${auditTableOf(month)} (
    at INTEGER NOT NULL, account TEXT NOT NULL, address_hash BLOB NOT NULL, outcome TEXT NOT NULL, provider TEXT, cached INTEGER NOT NULL
  ) STRICT`
}

/** The statement that creates the month table with this name in SQLite; null for any other name. */
export function createAuditTableNamed(table: string): string | null {
  return /^geocode_audit_\d{4}_\d\d$/.test(table) ? createAuditTable(monthOfTable({ name: table })) : null
}
