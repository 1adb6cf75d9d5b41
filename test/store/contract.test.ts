import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { findBreach, testContract, type OpenedStores } from './contract.ts'
import { sqlFault, type SqlFault } from './sql-fault.ts'

/** Opens two connections to a new state.db, each with a store that may have a fault. */
async function openSqliteStores(fault?: SqlFault): Promise<OpenedStores> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-contract-'))
  const databases = [openState(folder), openState(folder)] as const
  if (fault) for (const db of databases) plant(fault, db)
  const [first, second] = databases
  return {
    stores: [createSqliteStore(first), createSqliteStore(second)],
    async close() {
      for (const db of databases) db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Lets a connection prepare the statements of a fault. */
function plant(fault: SqlFault, db: Database): void {
  const query = db.query.bind(db)
  db.query = (sql: string) => query(fault.changed(sql))
}

describe('the SQLite store', () => {
  testContract(() => openSqliteStores())
})

test.each([
  ['a code is redeemed once', /is_redeemed = 1/, 'is_redeemed = 0'],
  ['a refresh token is rotated once', /SET used_at = \?, successor/, 'SET used_at = ? * NULL, successor'],
  ['a revocation ends all that the token made', /f ON t.parent_id = f.id/, 'f ON 0'],
  ['a revocation ends all that the token made', /token_id IN family/, '0'],
  ['the access epoch grows', /epoch = epoch \+ 1/, 'epoch = epoch'],
  ['the latest use of a token', /max\(coalesce\(last_used_at, 0\), \?\)/, '?'],
  ['usage that both stores add', /requests = requests \+ /, 'requests = '],
  ['an invitation is accepted once', /invitations WHERE account_id = \?/, 'invitations WHERE account_id = ? AND 0'],
  ['the number of clients never exceeds', /count\(\*\) AS clients/, '0 * count(*) AS clients'],
] as const)('the contract finds a fault in SQLite: %s (%p becomes %p)', async (sentence, pattern, replacement) => {
  const fault = sqlFault(pattern, replacement)
  const breach = await findBreach(() => openSqliteStores(fault), sentence)
  expect(fault.isPlanted()).toBe(true)
  expect(Bun.stripANSI(String(breach))).toContain('expect(received)')
})
