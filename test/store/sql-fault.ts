import type { PostgresPool, PostgresPools } from '../../src/store/postgres/postgres-pool.ts'

/** A planted fault of a store: it executes other statements than it should. */
export type SqlFault = {
  /** Returns the faulty form of a statement. */
  changed(sql: string): string
  /** Whether a statement was changed. */
  isPlanted(): boolean
}

/** Creates the fault that replaces a part of all statements. */
export function sqlFault(pattern: RegExp, replacement: string): SqlFault {
  let planted = false
  return {
    changed(sql) {
      const changed = sql.replace(pattern, replacement)
      planted ||= changed !== sql
      return changed
    },
    isPlanted: () => planted,
  }
}

/** Returns connections to PostgreSQL that execute the statements of a fault. */
export function plantInPools(fault: SqlFault, pools: PostgresPools): PostgresPools {
  const planted = ({ query, transaction, close }: PostgresPool): PostgresPool => ({
    query: (statement, ...values) => query(fault.changed(statement), ...values),
    transaction: (work) =>
      transaction((send) => work((statement, ...values) => send(fault.changed(statement), ...values))),
    close,
  })
  return { ...pools, quick: planted(pools.quick), work: planted(pools.work) }
}
