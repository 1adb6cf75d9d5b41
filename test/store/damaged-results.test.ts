import { afterEach, describe, expect, test } from 'bun:test'
import { runExpiryOf } from '../../src/runs/run-id.ts'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { parseRunColumn } from '../../src/store/runs/run-request.ts'
import type { RunReader } from '../../src/store/runs/runs.ts'
import { findDamagedResults } from '../../src/store/damaged-results.ts'
import { createRunWriter } from '../../src/store/sqlite/run-queue.ts'
import { createSqliteSql } from '../../src/store/sqlite/sqlite-sql.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createTransactions } from '../../src/store/sqlite/transactions.ts'
import { newFolder } from '../cli/fieldstone.ts'

const folders: { remove(): void }[] = []
afterEach(() => folders.splice(0).forEach(({ remove }) => remove()))

const entryOf = (idx: number) =>
  JSON.stringify({ index: idx, ok: true, fields: { county: { value: `County ${idx}` } } })

/** A finished run with three results, the second of which failed. */
async function finishedRun() {
  const { folder, remove } = newFolder()
  folders.push({ remove })
  const db = openState(folder)
  const { runs: reader, submissions } = createSqliteStore(db)
  const sql = createSqliteSql(createTransactions(db))
  const id = 'run_00000000000000000000000001'
  const run = {
    id,
    account_id: 'a',
    scopes: 'fetch',
    kind: 'fetch_batch',
    created_at: 0,
    expires_at: runExpiryOf(0),
    selection: '{}',
    fields: '["county"]',
    margin_fields: '[]',
    columns: '[]',
    catalog_version: '1',
    name: null,
  }
  const locations = packLocations([0, 1, 2].map((lat) => ({ input: `{"lat":${lat},"lng":0}` })))
  await submissions.submit(run, locations, null)
  const { epoch } = db
    .query<{ epoch: number }, []>('INSERT INTO run_epochs (started_at) VALUES (0) RETURNING epoch')
    .get()!
  const writer = createRunWriter(sql, epoch)
  const { number } = (await writer.adopt(0, 1, 3))!
  const results = [0, 1, 2].map((idx) => ({
    idx,
    ok: idx !== 1,
    retryable: false,
    failedFields: 0,
    entry: entryOf(idx),
  }))
  await writer.saveProgress(number, results, [])
  await writer.finish(number, 'done', 0, null)
  return { db, number, reader, sql }
}

const page = { from: 0, limit: 10, ok: null }
type Read = (reader: RunReader, run: number) => Promise<unknown>
const reads: Record<string, Read> = {
  'a page of results': (reader, run) => reader.readResults(run, page, '{"items":['),
  'a page of results that succeeded': (reader, run) => reader.readResults(run, { ...page, ok: true }, ''),
  'entries with their inputs': (reader, run) => reader.listEntries(run, 0, 10),
  'a single entry': (reader, run) => reader.findEntry(run, 2),
}

describe('the results of a run', () => {
  test('are read as they were written', async () => {
    const { reader, number, sql } = await finishedRun()
    const group = (await reader.readResults(number, page, '['))!
    expect(new TextDecoder().decode(group.bytes)).toBe(`[${[0, 1, 2].map(entryOf).join(',')}`)
    expect(await reader.findEntry(number, 2)).toBe(entryOf(2))
    expect((await reader.listEntries(number, 0, 10)).map(({ entry }) => entry)).toEqual([0, 1, 2].map(entryOf))
    expect(await findDamagedResults(sql)).toEqual([])
  })

  test('of earlier versions, which have no checksum, are read', async () => {
    const { db, reader, number } = await finishedRun()
    db.run('UPDATE run_results SET checksum = NULL')
    expect(await reader.findEntry(number, 2)).toBe(entryOf(2))
    expect(await reader.readResults(number, page, '')).not.toBeNull()
  })

  test.each(Object.keys(reads))('with one other bit are damaged, never a wrong value: %s', async (name) => {
    const { db, reader, number, sql } = await finishedRun()
    // 2 and 3 differ in one bit.
    db.run("UPDATE run_results SET entry = replace(entry, 'County 2', 'County 3') WHERE idx = 2")
    expect(reads[name]!(reader, number)).rejects.toMatchObject({ code: 'stored_data_damaged' })
    expect(await reader.findEntry(number, 0)).toBe(entryOf(0))
    expect(await findDamagedResults(sql)).toEqual(['Damaged results: run_00000000000000000000000001/results/2.'])
  })

  test.each<[string, string, Read]>([
    [
      'the location of a page',
      'UPDATE run_locations SET input = \'{"lat":3,"lng":0}\' WHERE idx = 2',
      (reader, number) => reader.readInputs({ number, kind: 'fetch_batch' }, { from: 0, limit: 10 }, '['),
    ],
    [
      'the location of an entry',
      "UPDATE run_locations SET passthrough = '[]' WHERE idx = 2",
      (reader, number) => reader.listEntries(number, 2, 1),
    ],
    ...(['id', 'scopes', 'kind', 'total', 'selection', 'fields', 'columns', 'name', 'retry_of'] as const).map(
      (column): [string, string, Read] => [
        `the ${column} of the request`,
        `UPDATE runs SET ${column} = ${column === 'total' ? 2 : `'["countx"]'`}`,
        async (reader) => parseRunColumn((await reader.list('a', 'z', 0, 1))[0]!, 'margin_fields'),
      ],
    ),
  ])('are of no other request: %s', async (_name, change, read) => {
    const { db, reader, number, sql } = await finishedRun()
    await read(reader, number)
    expect(await findDamagedResults(sql)).toEqual([])
    db.run(change)
    expect(read(reader, number)).rejects.toMatchObject({ code: 'stored_data_damaged' })
    expect((await findDamagedResults(sql)).join()).toMatch(/^Damaged (requests: |locations: run_0+1\/locations\/2)/)
    for (const table of ['runs', 'run_locations']) db.run(`UPDATE ${table} SET checksum = NULL`)
    await read(reader, number)
  })

  test('are damaged by another flag or index', async () => {
    const { db, reader, number } = await finishedRun()
    db.run('UPDATE run_results SET ok = 0 WHERE idx = 0')
    expect(reader.readResults(number, { ...page, ok: false }, '')).rejects.toMatchObject({
      code: 'stored_data_damaged',
    })
  })
})

test('a pin and the request of a run that are no JSON are damaged, and doctor names the run', async () => {
  const { db, sql } = await finishedRun()
  const { pins, runs } = createSqliteStore(db)
  db.run('PRAGMA foreign_keys = OFF')
  db.run("INSERT INTO pins (id, account_id, name, content, created_at) VALUES ('pin_a', 'a', 'x', 'garbage', 0)")
  expect(pins.listPins('a')).rejects.toMatchObject({ code: 'stored_data_damaged' })
  db.run("UPDATE runs SET selection = '{', checksum = NULL")
  const run = (await runs.find('run_00000000000000000000000001', 'a'))!
  expect(() => parseRunColumn(run, 'selection')).toThrow('The request of run_00000000000000000000000001')
  expect(parseRunColumn(run, 'fields')).toEqual(['county'])
  expect(await findDamagedResults(sql)).toEqual(['Damaged requests: run_00000000000000000000000001.'])
})
