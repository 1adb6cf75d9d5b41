import { describe, expect, test } from 'bun:test'
import { hasPostgres } from '../support/postgres-server.ts'
import { killDuringRuns } from './sliced-runs.ts'

describe.skipIf(!hasPostgres)('three servers on one database that are killed while they answer large runs', () => {
  test('lose and double no row, and write the same file as a single server', async () => {
    const { kills, runs, ...wrong } = await killDuringRuns({ rows: 15_000, kills: 4, seed: 20_261_129, cancelEach: 3 })
    expect([kills, runs > 0]).toEqual([4, true])
    expect(wrong).toEqual({ unfinished: 0, setAside: 0, wrongRows: 0, different: 0, uncancelled: 0 })
  }, 300_000)
})
