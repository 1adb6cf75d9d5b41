import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readRegularFile } from '../packs/check/regular-file.ts'
import { namesIn } from '../files/small-files.ts'

/** The text of an overlay file, or why it could not be read. */
export type OverlayFile = { file: string; text: string } | { file: string; error: string }

/**
 * The folder with the operator's own catalog layers, one JSON file each. `hasChanged`: whether the files differ from
 * the previous call.
 */
export type OverlayFolder = { hasChanged(): boolean; readFiles(): OverlayFile[] }

const filesMax = 100
const fileMax_bytes = 2 * 2 ** 20

/** Creates the reader of the folder. The folder may be missing. */
export function createOverlayFolder(folder: string): OverlayFolder {
  let lastStamp = ''
  return {
    hasChanged() {
      const stamp = fileNames(folder)
        .map((file) => `${file} ${stampOf(join(folder, file))}`)
        .join('\n')
      if (stamp === lastStamp) return false
      lastStamp = stamp
      return true
    },
    readFiles: () =>
      fileNames(folder).flatMap((file, i) =>
        i < filesMax
          ? readOverlayFile(folder, file)
          : { file, error: `The folder has more than ${filesMax} files; this one is ignored. Merge or remove files.` },
      ),
  }
}

/** The file names; empty if the folder is missing or cannot be listed. */
function fileNames(folder: string): string[] {
  return namesIn(folder)
    .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
    .toSorted()
}

/** The size, time and inode of a file; "gone" if it was deleted meanwhile. */
function stampOf(path: string): string {
  try {
    const { size, mtimeMs, ino, mode } = statSync(path)
    return `${size} ${mtimeMs} ${ino} ${mode}`
  } catch {
    return 'gone'
  }
}

function readOverlayFile(folder: string, file: string): OverlayFile[] {
  try {
    const content = readRegularFile(join(folder, file), fileMax_bytes)
    return 'problem' in content
      ? [{ file, error: `The file ${content.problem}` }]
      : [{ file, text: content.bytes.toString('utf8') }]
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? []
      : [{ file, error: `The file cannot be read: ${(error as Error).message}` }]
  }
}
