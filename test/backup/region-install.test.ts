import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'bun:test'
import { commitInstall } from '../../src/backup/region-install.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const folders = { packs: join(folder, 'packs'), data: join(folder, 'data') }
mkdirSync(folders.packs)
let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'> | null = null
afterAll(() => server?.kill())

test('a server that starts may finish the install of a command meanwhile', async () => {
  const module = join(import.meta.dir, '../../src/backup/region-install.ts')
  server = Bun.spawn(
    [
      process.execPath,
      '--no-env-file',
      '-e',
      `const { finishInstalls } = await import(${JSON.stringify(module)}); console.log('ready'); for (;;) finishInstalls(${JSON.stringify(folders)})`,
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  )
  await server.stdout.getReader().read()
  for (let i = 0; i < 60; i++) {
    const staged = join(folders.packs, `.staging-${String(i).padStart(6, '0')}`, 'files')
    mkdirSync(join(staged, 'packs'), { recursive: true })
    for (const name of ['a', 'b', 'c']) writeFileSync(join(staged, 'packs', `${name}.gpkg`), `${name} ${i}`)
    commitInstall(staged, folders)
    for (const name of ['a', 'b', 'c'])
      expect(readFileSync(join(folders.packs, `${name}.gpkg`), 'utf8')).toBe(`${name} ${i}`)
  }
  expect(server.exitCode).toBeNull()
  expect(readdirSync(folders.packs).filter((name) => name.startsWith('.fieldstone-install-'))).toEqual([])
})
