import { expect, test } from 'bun:test'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fillState } from '../../scripts/soak/big-state.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { isTooLargeForFullCheck } from '../../src/store/sqlite/repair/integrity-check.ts'
import { startFieldstone } from '../cli/fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

/** Two starts on a busy machine. */
const startsTwice_ms = 60_000

test(
  'a state.db that is too large for a check at startup is checked after startup; damage ends the server with exit code 78 and a message',
  async () => {
    const data = join(root, 'data')
    const file = join(data, 'state.db')
    await fillState(data, 80)
    expect(isTooLargeForFullCheck(file)).toBe(true)
    const whole = startFieldstone(['serve', '--data', data], {}, root)
    await whole.waitForOutput(/"integrity_checked".*"integrity_error":null/)
    whole.signal('SIGTERM')
    expect((await whole.end()).code).toBe(0)

    const handle = openSync(file, 'r+')
    writeSync(handle, new Uint8Array(4096).fill(0xa5), 0, 4096, Math.floor(statSync(file).size / 8192) * 4096)
    closeSync(handle)
    const { code, err } = await startFieldstone(['serve', '--data', data], {}, root).end()
    expect([code, err.trim().split('\n').at(-1)]).toEqual([
      78,
      expect.stringMatching(/state\.db is damaged .*Restore a backup, or run `fieldstone doctor --recover`/),
    ])
  },
  startsTwice_ms,
)

test('a large state.db with damage in a small table is rejected at startup', async () => {
  const data = join(root, 'data-2')
  const file = join(data, 'state.db')
  await fillState(data, 80)
  const db = openState(data)
  const { rootpage } = db
    .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'tokens'")
    .get()!
  db.close()
  const handle = openSync(file, 'r+')
  writeSync(handle, new Uint8Array(4096).fill(0xa5), 0, 4096, (rootpage - 1) * 4096)
  closeSync(handle)
  expect(() => openState(data)).toThrow(/damaged|malformed/)
})
