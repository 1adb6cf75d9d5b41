import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const source = join(import.meta.dir, '..', '..', 'dist', 'embedded.bin')
let shared: { name: string; file: string } | null = null

/**
 * Puts the embedded data, unpacked, into a data folder, as an earlier start of the executable would have left it there:
 * unpacking costs two seconds of processor. The executable checks the file, and unpacks its own if this is not intact.
 * All folders share one file in the folder for temporary files.
 */
export function linkUnpackedData(dataFolder: string): void {
  shared ??= copyUnpackedData()
  const link = join(dataFolder, shared.name)
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    if (!existsSync(link)) linkSync(shared.file, link)
  } catch {
    // A folder that cannot be written, or on another file system: the executable does what it does there.
  }
}

function copyUnpackedData(): { name: string; file: string } {
  const sha256 = new Bun.CryptoHasher('sha256').update(readFileSync(source)).digest('hex')
  const name = `embedded-${sha256.slice(0, 16)}.bin`
  const file = join(tmpdir(), `fieldstone-test-${name}`)
  if (!existsSync(file)) {
    const part = `${file}.${process.pid}`
    copyFileSync(source, part)
    renameSync(part, file)
  }
  return { name, file }
}
