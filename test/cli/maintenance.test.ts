import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { maintainDataFolder } from '../../src/cli/server/maintenance.ts'
import { workers } from '../../src/workers.ts'
import { openTestService } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const testService = openTestService()
afterAll(testService.close)

test('what killed builds and backups left is removed at start, and the files of a running one stay', async () => {
  const folder = temporaryFolder()
  const service = openTestService({ FIELDSTONE_BACKUP_DIR: folder })
  const { data, packs } = service.app.config
  mkdirSync(packs)
  const code = `
    const { createWorkFolder } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/work-folder.ts'))})
    // The locks end when nothing refers to the folders.
    globalThis.folders = process.argv.slice(1).map(createWorkFolder)
    for (const { path } of folders) await Bun.write(path + '/half.gpkg', 'x')
    console.log('ready')
    setInterval(() => {}, 1000)`
  const start = async () => {
    const child = Bun.spawn([process.execPath, '--no-env-file', '-e', code, packs, folder], { stdout: 'pipe' })
    await child.stdout.getReader().read()
    return child
  }
  const killed = await start()
  const running = await start()
  killed.kill('SIGKILL')
  await killed.exited
  const foldersIn = (parent: string) =>
    readdirSync(parent).filter((name) => name.startsWith('.fieldstone-work-')).length
  expect([foldersIn(packs), foldersIn(folder)]).toEqual([2, 2])
  void maintainDataFolder(service.app, { embedded: join(data, 'embedded-00000000000000aa.bin'), workers })
  expect([foldersIn(packs), foldersIn(folder)]).toEqual([1, 1])
  running.kill('SIGKILL')
  await running.exited
  void maintainDataFolder(service.app, { embedded: join(data, 'embedded-00000000000000aa.bin'), workers })
  expect([foldersIn(packs), foldersIn(folder)]).toEqual([0, 0])
  await service.close()
})

test('an old embedded file that cannot be removed is logged and does not stop the server', async () => {
  const { data } = testService.app.config
  const inTheWay = join(data, 'embedded-00000000000000bb.bin')
  // Removing a file fails if it is a folder.
  mkdirSync(inTheWay)
  let ended: unknown = null
  const note = (how: unknown) => {
    ended = how
  }
  maintainDataFolder(testService.app, { embedded: join(data, 'embedded-00000000000000aa.bin'), workers }).then(
    note,
    note,
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect([ended, existsSync(inTheWay)]).toEqual([null, true])
  expect(testService.logged.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    'embedded_sweep_failed',
  ])
})
