import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

test('a command that creates the data folder says so once, on standard error', async () => {
  const data = join(folder, 'new', 'data')
  const words = ['mcp', '--local', '--data', data]
  const first = await startFieldstone(words, {}, folder).end()
  expect([first.code, first.out, existsSync(data)]).toEqual([0, '', true])
  expect(first.err).toContain(`Created the data folder ${data}. To use another one, set --data.\n`)
  expect((await startFieldstone(words, {}, folder).end()).err).not.toContain('Created the data folder')
})
