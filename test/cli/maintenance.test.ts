import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { maintainDataFolder } from '../../src/cli/maintenance.ts'
import { workers } from '../../src/workers.ts'
import { openTestService } from '../support/test-service.ts'

const testService = openTestService()
afterAll(testService.close)

test('an old embedded file that cannot be removed is logged and does not stop the server', async () => {
  const { data } = testService.app.config
  const inTheWay = join(data, 'embedded-00000000000000bb.gpkg')
  // Removing a file fails if it is a folder.
  mkdirSync(inTheWay)
  let ended: unknown = null
  const note = (how: unknown) => {
    ended = how
  }
  maintainDataFolder(testService.app, { embedded: join(data, 'embedded-00000000000000aa.gpkg'), workers }).then(
    note,
    note,
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect([ended, existsSync(inTheWay)]).toEqual([null, true])
  expect(testService.logged.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    'embedded_sweep_failed',
  ])
})
