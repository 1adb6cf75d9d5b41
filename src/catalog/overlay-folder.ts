import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A file as it was read, or why it could not be. */
export type OverlayFile = { file: string; text: string } | { file: string; error: string }

/** The folder in which an operator puts layers of their own, each a JSON file. `changed`: whether the files are others than when it was last asked. */
export type OverlayFolder = { hasChanged(): boolean; readFiles(): OverlayFile[] }

const filesMax = 100
const fileMax_bytes = 4 * 2 ** 20

/** The folder need not be there. */
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
        i < filesMax ? readOverlayFile(folder, file) : { file, error: `More than ${filesMax} files are not read.` },
      ),
  }
}

/** None where there is no folder, or none that can be listed: then there is no name to tell a fault by. */
function fileNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
      .toSorted()
  } catch {
    return []
  }
}

/** A file that goes away while it is looked at is not there. */
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
    const path = join(folder, file)
    const { size } = statSync(path)
    return size > fileMax_bytes
      ? [{ file, error: `It has ${size} bytes, and no more than ${fileMax_bytes} are read.` }]
      : [{ file, text: readFileSync(path, 'utf8') }]
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? []
      : [{ file, error: `It cannot be read: ${(error as Error).message}` }]
  }
}
