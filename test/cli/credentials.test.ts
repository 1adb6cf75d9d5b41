import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from './fieldstone.ts'

const { folder, remove } = newFolder()
afterAll(remove)

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
