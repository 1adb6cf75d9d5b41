import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { maintainDataFolder } from '../../src/cli/maintenance.ts'
import { workers } from '../../src/workers.ts'
import { openHouse } from '../house.ts'

const house = openHouse()
afterAll(house.close)

test('an old file of embedded data that cannot be removed is logged, and ends no service', async () => {
  const { data } = house.app.config
  const inTheWay = join(data, 'embedded-00000000000000bb.gpkg')
  // A folder of that name is removed by nobody who removes files.
  mkdirSync(inTheWay)
  let ended: unknown = null
  const note = (how: unknown) => {
    ended = how
  }
  maintainDataFolder(house.app, { embedded: join(data, 'embedded-00000000000000aa.gpkg'), workers }).then(note, note)
  await new Promise((resolve) => setImmediate(resolve))
  expect([ended, existsSync(inTheWay)]).toEqual([null, true])
  expect(house.logged.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['embedded_sweep_failed'])
})
