import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dir, '..', '..')
const folder = temporaryFolder()

test('packages that cannot be installed end the set-up with a sentence, and without a stack of its own', async () => {
  for (const name of ['scripts/setup.js', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name))
  const child = Bun.spawn(['node', 'scripts/setup.js'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_registry: `http://127.0.0.1:${freePort()}`,
      npm_config_fetch_retries: '0',
    },
    stderr: 'pipe',
    stdout: 'ignore',
  })
  const said = await child.stderr.text()
  expect(await child.exited).toBe(1)
  expect(said).toEndWith(
    'The packages were not installed. npm says why above. Mend that, then run the command again.\n',
  )
  expect(said).not.toContain('setup.js:')
})
