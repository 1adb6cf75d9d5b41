import { confirmExpiry } from '../expiry.ts'
import type { RunSweep } from './runs.ts'
import type { SqlPools } from '../sql.ts'

const batch_rows = 500

/** Creates the run sweep. */
export function createRunSweep({ work }: SqlPools): RunSweep {
  const deletions = deletionsOf(work.dialect.tablesOfRun)
  return {
    confirmExpired: (now) =>
      work.write(function* (sql) {
        yield* sql.dialect.takeLock(sql, 'run_sweep')
        const expired = yield* sql.all<{ number: number }>('SELECT number FROM runs WHERE expires_at <= $now', { now })
        const numbers = expired.map(({ number }) => String(number))
        return (yield* confirmExpiry(sql, 'run', numbers, now)).map(Number)
      }),
    removeBatch: (run) =>
      work.write(function* (sql) {
        for (const deletion of deletions) if ((yield* sql.run(deletion, { run })) > 0) return true
        return false
      }),
    async removeKeys(before) {
      await work.run('DELETE FROM run_keys WHERE created_at <= $before', { before })
    },
  }
}

/** The run itself comes last, so that an interrupted sweep is continued. */
function deletionsOf(tables: readonly string[]): string[] {
  return [
    deleteBatch('run_chunks', 'run, name, start', batch_rows / 100),
    ...tables.map((table) => `DELETE FROM ${table} WHERE run = $run`),
    deleteBatch('run_results', 'run, idx', batch_rows),
    deleteBatch('run_locations', 'run, idx', batch_rows),
    'DELETE FROM runs WHERE number = $run',
  ]
}

function deleteBatch(table: string, key: string, rows: number): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE run = $run LIMIT ${rows})`
}
