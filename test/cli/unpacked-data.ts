import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const source = join(import.meta.dir, '..', '..', 'dist', 'embedded.bin')
let shared: { name: string; file: string } | null = null

/**
 * Puts the embedded data, unpacked, into a data folder, as an earlier start of the executable would have left it there:
 * unpacking costs two seconds of processor. The executable checks the file, and unpacks its own if this is not intact.
 * All folders share one file in the folder for temporary files. Returns a function that removes a folder which was made
 * here and holds nothing else, so that a test can see whether the executable made one.
 */
export function linkUnpackedData(dataFolder: string): () => void {
  const { name, file } = (shared ??= copyUnpackedData())
  const link = join(dataFolder, name)
  try {
    const made = mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    if (!existsSync(link)) linkSync(file, link)
    return () => {
      if (made && existsSync(made) && readdirSync(dataFolder).join() === name) rmSync(made, { recursive: true })
    }
  } catch {
    // A folder that cannot be written, or on another file system: the executable does what it does there.
    return () => {}
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
