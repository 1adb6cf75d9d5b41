import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { binIn } from '../readme/reader.ts'
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

test('a command that fails after that says so too', async () => {
  const data = join(folder, 'failed', 'data')
  // Not by startFieldstone, which creates the folder for commands of packs.
  const words = [join(binIn(folder), 'fieldstone'), 'pack', 'build', 'usfws_nwi', join(folder, 'none.gpkg')]
  const env = { PATH: process.env.PATH!, FIELDSTONE_OFFLINE: '1' }
  const child = Bun.spawn([...words, '--data', data], { cwd: folder, env, stdout: 'ignore', stderr: 'pipe' })
  const err = await child.stderr.text()
  expect([await child.exited, existsSync(data)]).toEqual([1, true])
  expect(err).toContain(`Created the data folder ${data}. To use another one, set --data.\n`)
})
