import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folder in which an operator puts layers of their own, each a JSON file. `changed`: whether the files are others than when it was last asked. */
export type Overlays = { changed(): boolean; files(): { file: string; text: string }[] }

const filesMax = 100
const fileMax_bytes = 4 * 2 ** 20

export function openOverlays(folder: string): Overlays {
  let known = ''
  return {
    changed() {
      const now = names(folder).map((file) => `${file} ${stampOf(join(folder, file))}`).join('\n')
      if (now === known) return false
      known = now
      return true
    },
    files: () => names(folder).flatMap((file) => readable(folder, file)),
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json') && !file.startsWith('.')).toSorted().slice(0, filesMax)
  } catch {
    return [] // no folder: nothing is added
  }
}

/** A file that goes away while it is looked at is not there. */
function stampOf(path: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(path)
    return `${size} ${mtimeMs} ${ino}`
  } catch {
    return 'gone'
  }
}

function readable(folder: string, file: string): { file: string; text: string }[] {
  try {
    const path = join(folder, file)
    return statSync(path).size > fileMax_bytes ? [{ file, text: '"larger than 4 MiB"' }] : [{ file, text: readFileSync(path, 'utf8') }]
  } catch {
    return []
  }
}
