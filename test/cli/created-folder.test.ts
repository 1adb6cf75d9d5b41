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

test('a command that fails says so too', async () => {
  const data = join(folder, 'failed', 'data')
  const { code, err } = await startFieldstone(
    ['backup', join(folder, 'missing', 'b.tar'), '--data', data],
    {},
    folder,
  ).end()
  expect([code !== 0, err.includes('Created the data folder')]).toEqual([true, existsSync(data)])
})
