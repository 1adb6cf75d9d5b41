import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

test('a damaged credential file is reported, with the remedy', async () => {
  const file = join(folder, 'fieldstone', 'credentials.json')
  mkdirSync(join(folder, 'fieldstone'))
  writeFileSync(file, '{"http://localhost": {')
  const said = await startFieldstone(['mcp'], { XDG_CONFIG_HOME: folder }, folder).end()
  expect(said).toEqual({
    code: 78,
    out: '',
    err: `${file} is not valid JSON. Remove it and run \`fieldstone login\`.\n`,
  })
})
