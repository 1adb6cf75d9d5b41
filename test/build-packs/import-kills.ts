import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { finishInstalls } from '../../src/backup/region-install.ts'
import { removeAbandonedWorkFolders } from '../../src/store/work-folder.ts'
import { installedFilesOf, createRegionFolder, exportAll, newFiles } from './region-folders.ts'

/** What an import left that was killed as it entered the n-th call of a system function, after the next start. */
type ImportKill = { call: string; nth: number; isKilled: boolean; state: 'old' | 'new' | 'mixed' }

/** The system functions with which an import changes files. */
const changingCalls =
  'rename renameat renameat2 mkdir mkdirat unlink unlinkat rmdir fsync fdatasync ftruncate write pwrite64 writev'.split(
    ' ',
  )
const builders = join(import.meta.dir, '../../src/build-packs')
const program = `
  const { openRegionArchive, stageRegion } = await import(${JSON.stringify(join(builders, 'region-import.ts'))})
  const [archive, packs, data] = process.argv.slice(1)
  const opened = openRegionArchive(archive)
  const staged = stageRegion(opened, packs)
  staged.install({ packs, data })
  staged.remove()
  process.exit(0)`

const oldFiles = {
  'packs/epa_tri.gpkg': 'old sites',
  'packs/usfws_nwi/08013.gpkg': 'old wetlands',
  'packs/usfws_nwi/08013.json': '{"vintage":"2020"}',
  'packs/usfws_nwi/08059.gpkg': 'stays',
  'catalog.d/zones.json': '{"old":true}',
}

/** Kills imports at every `step`-th call of each function, from the first to the last. */
export async function killImports(step: number): Promise<ImportKill[]> {
  const kills: ImportKill[] = []
  for (const call of changingCalls)
    for (let nth = 1; nth === 1 || kills.at(-1)!.isKilled; nth += call.includes('write') ? 5 * step : step)
      kills.push(await killImportAt(call, nth))
  return kills
}

/** Kills an import at one call, and does what the next start does. */
async function killImportAt(call: string, nth: number): Promise<ImportKill> {
  const source = createRegionFolder(newFiles)
  const target = createRegionFolder(oldFiles)
  const archive = join(source.data, 'region.tar')
  exportAll(source, archive)
  const child = Bun.spawn(
    [
      ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'signal=none', '-e', `trace=${call}`],
      ['-e', `inject=${call}:signal=SIGKILL:when=${nth}`],
      [process.execPath, '--no-env-file', '-e', program, archive, target.packs, target.data],
    ].flat(),
    { stdout: 'ignore', stderr: 'inherit' },
  )
  const isKilled = (await child.exited) !== 0
  finishInstalls(target)
  removeAbandonedWorkFolders(target.packs)
  const contents = JSON.stringify(installedFilesOf(target))
  const isOld = contents === JSON.stringify(sorted(oldFiles))
  const isNew = contents === JSON.stringify(sorted({ ...oldFiles, ...newFiles }))
  rmSync(source.data, { recursive: true })
  rmSync(target.data, { recursive: true })
  return { call, nth, isKilled, state: isOld ? 'old' : isNew ? 'new' : 'mixed' }
}

function sorted(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
