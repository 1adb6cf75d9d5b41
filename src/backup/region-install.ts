import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { syncToDisk } from '../store/sync-to-disk.ts'

/** The packs folder and the data folder of a server. */
export type RegionFolders = { packs: string; data: string }

const prefix = '.fieldstone-install-'

/**
 * Installs the files of a folder, which is on the disk of the packs folder, and replaces those that are there. Renaming
 * this folder commits: before it, nothing is changed; after it, `finishInstalls` can install the rest.
 */
export function commitInstall(staged: string, folders: RegionFolders): void {
  // Folders that cannot be created fail here, and nothing is changed.
  for (const name of filesIn(staged)) makeFolderOf(targetOf(name, folders), name)
  const committed = join(folders.packs, `${prefix}${basename(dirname(staged)).slice(-6)}`)
  syncToDisk(staged)
  renameSync(staged, committed)
  syncToDisk(folders.packs)
  installIfPresent(committed, folders)
}

/**
 * Installs the rest of what was interrupted after its commit. Returns how many folders there were. Another process may
 * do the same at the same time.
 */
export function finishInstalls(folders: RegionFolders): number {
  if (!existsSync(folders.packs)) return 0
  const committed = readdirSync(folders.packs).filter((name) => name.startsWith(prefix))
  for (const name of committed) installIfPresent(join(folders.packs, name), folders)
  return committed.length
}

/** The process that installed the last file removes the folder: a command, or a server that starts meanwhile. */
function installIfPresent(committed: string, folders: RegionFolders): void {
  try {
    installFiles(committed, folders)
  } catch (error) {
    if (existsSync(committed) || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Moves every file to its place, and removes the folder. Can be repeated. */
function installFiles(committed: string, folders: RegionFolders): void {
  const changed = new Set([folders.packs])
  for (const name of filesIn(committed)) {
    const target = targetOf(name, folders)
    makeFolderOf(target, name)
    moveFile(join(committed, name), target)
    changed.add(dirname(target))
  }
  for (const folder of changed) syncToDisk(folder)
  rmSync(committed, { recursive: true, force: true })
}

function targetOf(name: string, { packs, data }: RegionFolders): string {
  return name.startsWith(packsPrefix) ? join(packs, name.slice(packsPrefix.length)) : join(data, name)
}

const packsPrefix = 'packs/'

function makeFolderOf(target: string, name: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: name.startsWith(packsPrefix) ? 0o755 : 0o700 })
}

/** The files of the folder: each manifest before its pack, as in every published pack. */
function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const order = (name: string) => (name.endsWith('.json') ? 0 : 1)
  return names.toSorted((a, b) => order(a) - order(b))
}

/** Moves a file, also to another disk. Another process may have moved it already. */
export function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && existsSync(to)) return
    if (code !== 'EXDEV') throw error
    const copy = join(dirname(to), `.${basename(to)}.part`)
    copyFileSync(from, copy)
    syncToDisk(copy)
    renameSync(copy, to)
    rmSync(from)
  }
}
