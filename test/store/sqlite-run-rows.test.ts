import { expect, test } from 'bun:test'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { createRunRows } from '../../src/store/sqlite/run-rows.ts'
import { createSqliteSql } from '../../src/store/sqlite/sqlite-sql.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createTransactions } from '../../src/store/sqlite/transactions.ts'
import type { Sql } from '../../src/store/sql.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// All locations of a large run as texts would take more memory than the result files that are written after this.
test('only locations that may have an address are read to find one', async () => {
  const sql = createSqliteSql(createTransactions(openState(temporaryFolder())))
  const read: unknown[] = []
  const counted: Sql = {
    ...sql,
    async all<Row>(...query: Parameters<Sql['all']>) {
      const found = await sql.all<Row>(...query)
      read.push(...found)
      return found
    },
  }
  const rows = createRunRows(counted)
  const points = Array.from({ length: 2000 }, (_, lat) => ({ input: `{"lat":${lat / 100},"lng":0}` }))
  const add = (run: number, inputs: string[]) => {
    const locations = packLocations([...points, ...inputs.map((input) => ({ input }))])
    return sql.write((statements) => rows.prepare(locations)(statements, run))
  }
  await add(1, ['{"lat":1,"lng":0,"address":null}'])
  await add(2, ['{"lat":1,"lng":0,"address":null}', '{"address":"1 Main St"}'])
  expect([await rows.hasAddress(1), read.splice(0).length]).toEqual([false, 1])
  expect([await rows.hasAddress(2), read.length]).toEqual([true, 2])
})
