import { auditTableOf, createAuditTable, monthOfTable } from './audit-tables.ts'
import { stepOf, type Dialect, type LockName } from './sql.ts'

/** The numbers of the locks of PostgreSQL that are not of a row. */
const lockNumbers: Record<LockName, number> = { migration: 1, clients: 2, devices: 3, audit: 4, run_sweep: 5 }
/** `FSTN` in ASCII: the advisory locks of Fieldstone. */
const lockClass = 0x4653544e

const sqliteClock_ms = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

/** What SQLite writes differently. */
export const sqliteDialect: Dialect = {
  clock_ms: sqliteClock_ms,
  forUpdate: '',
  forShare: '',
  recordStatement: (_columns, textOf) => textOf((name) => `$${name}`, ''),
  updateEach: (sql, _table, statement, records) => sql.runEach(statement, records),
  leaseOfRun: 'r.number',
  isChunkOfFile: 'c.run = a.run AND c.name = a.name',
  readChunk: `SELECT start, substr(bytes, $from - start + 1, $limit_bytes) AS bytes, NULL AS block FROM run_chunks
    WHERE run = $run AND name = $name AND start <= $from ORDER BY start DESC LIMIT 1`,
  blockOf: () => 'NULL',
  chunkBytes: (bytes) => bytes,
  addChunk: (condition) =>
    `INSERT INTO run_chunks (run, name, start, bytes) SELECT $run, $name, $start, $bytes WHERE ${condition}`,
  *clearFile(sql, { run, name }) {
    for (const table of ['run_artifacts', 'run_chunks'])
      yield* sql.run(`DELETE FROM ${table} WHERE run = $run AND name = $name`, { run, name })
  },
  *finishFile(sql, file) {
    yield* sql.run('INSERT INTO run_artifacts (run, name, etag, bytes) VALUES ($run, $name, $etag, $bytes)', file)
  },
  newRun: { columns: '', values: '' },
  tablesOfRun: ['run_artifacts'],
  *auditMonths(sql) {
    const tables = yield* sql.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB $pattern ORDER BY name",
      { pattern: 'geocode_audit_[0-9][0-9][0-9][0-9]_[0-9][0-9]' },
    )
    return tables.map(monthOfTable)
  },
  *createAuditMonth(sql, month) {
    yield* sql.run(createAuditTable(month))
  },
  auditMonth: () => ({ column: '', value: '' }),
  limitLockWait: () => stepOf(undefined),
  shareLock: () => stepOf(undefined),
  takeLock: () => stepOf(undefined),
  lockAccount: () => stepOf(undefined),
}

const deleteChunks = 'DELETE FROM run_chunks WHERE run = $run AND name = $name'
const postgresClock_ms = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** What PostgreSQL writes differently. */
export const postgresDialect: Dialect = {
  clock_ms: postgresClock_ms,
  forUpdate: 'FOR UPDATE',
  forShare: 'FOR SHARE',
  recordStatement(columns, textOf) {
    // JSON has no bytes. `runEach` writes them as hexadecimal text.
    const types = Object.entries(columns).map(([name, type]) => `${name} ${type === 'bytea' ? 'text' : type}`)
    return textOf(
      (name) => (columns[name] === 'bytea' ? `decode(record.${name}, 'hex')` : `record.${name}`),
      `FROM json_to_recordset($records::text::json) AS record (${types.join(', ')})`,
    )
  },
  *updateEach(sql, table, statement, records) {
    yield* sql.all(
      `SELECT id FROM ${table} WHERE id IN (SELECT value::bigint FROM json_array_elements_text($ids::text::json))
       ORDER BY id FOR NO KEY UPDATE`,
      { ids: JSON.stringify(records.map(({ id }) => id)) },
    )
    yield* sql.runEach(statement, records)
  },
  leaseOfRun: `(SELECT l.run FROM run_leases l WHERE l.run = r.number AND l.epoch = r.epoch AND l.until > ${postgresClock_ms})`,
  isChunkOfFile: 'c.run = a.run AND c.name = a.name AND c.epoch = a.epoch',
  readChunk: `SELECT start, substr(bytes, ($from::bigint - start + 1)::int, $limit_bytes::int) AS bytes, block FROM (
      SELECT c.start, c.bytes, c.block
      FROM run_artifacts a JOIN run_chunks c ON c.run = a.run AND c.name = a.name AND c.epoch = a.epoch
      WHERE a.run = $run AND a.name = $name AND c.start <= $from ORDER BY c.start DESC LIMIT 1) chunk`,
  blockOf: (table) => `${table}.block`,
  chunkBytes: (bytes) => Bun.zstdCompressSync(bytes),
  addChunk: (condition) =>
    `INSERT INTO run_chunks (run, name, epoch, start, bytes, block)
     SELECT $run::bigint, $name::text, $epoch::bigint, $start::bigint, '', $bytes::bytea WHERE ${condition}`,
  *clearFile(sql, { run, name, epoch }, isShared) {
    yield* sql.run(isShared ? `${deleteChunks} AND epoch = $epoch` : deleteChunks, { run, name, epoch })
    const hasNoChunks = `NOT EXISTS (SELECT FROM run_chunks c WHERE ${this.isChunkOfFile})`
    const deleteFile = 'DELETE FROM run_artifacts a WHERE run = $run AND name = $name'
    yield* sql.run(isShared ? `${deleteFile} AND ${hasNoChunks}` : deleteFile, { run, name })
  },
  *finishFile(sql, file) {
    yield* sql.run(
      `INSERT INTO run_artifacts (run, name, etag, bytes, epoch) VALUES ($run, $name, $etag, $bytes, $epoch)
       ON CONFLICT (run, name) DO NOTHING`,
      file,
    )
    // The chunks of workers that lost their lease, or that finish the same file later.
    yield* sql.run(
      `${deleteChunks} AND epoch <> (SELECT epoch FROM run_artifacts WHERE run = $run AND name = $name)`,
      file,
    )
  },
  // The locations of a new run are in blocks of this release.
  newRun: { columns: ', block_epoch', values: ', 0' },
  tablesOfRun: ['run_artifacts', 'run_leases'],
  *auditMonths(sql) {
    const partitions = yield* sql.all<{ name: string }>(
      `SELECT p.relname AS name FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
       WHERE i.inhparent = 'geocode_audit'::regclass ORDER BY 1`,
    )
    return partitions.map(monthOfTable)
  },
  *createAuditMonth(sql, month) {
    if ((yield* this.auditMonths(sql)).includes(month)) return
    const table = auditTableOf(month)
    yield* sql.run(`CREATE TABLE ${table} (LIKE geocode_audit)`)
    yield* sql.run(`ALTER TABLE geocode_audit ATTACH PARTITION ${table} FOR VALUES IN ('${month}')`)
  },
  auditMonth: (month) => ({ column: 'month, ', value: `'${month}', ` }),
  limitLockWait: (sql) => sql.run('SET LOCAL lock_timeout = 100'),
  shareLock: (sql, name) =>
    sql.get('SELECT pg_advisory_xact_lock_shared($lockClass::int, $number::int)', {
      lockClass,
      number: lockNumbers[name],
    }),
  takeLock: (sql, name) =>
    sql.get('SELECT pg_advisory_xact_lock($lockClass::int, $number::int)', { lockClass, number: lockNumbers[name] }),
  lockAccount: (sql, account, values) =>
    sql.get(`SELECT id FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`, values),
}
