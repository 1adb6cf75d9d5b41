import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { indexedBlocks, type IndexedLayout } from './embedded-layout.ts'
import { createChecksum, decodeLayout, joinBlocks, LayoutError, readHeader } from './layout-file.ts'

/** Paths below the code folder: `npm run build` writes the compressed data, `npm start` the file that is mapped. */
const compressedName = 'embedded.bin.zst'
const plainPath = join('dist', 'embedded.bin')
const nameLength = 16
const readSize_bytes = 1_048_576

/** Where the embedded data is: a file that can be mapped into memory, or its bytes when no file can be written. */
export type EmbeddedFile = string | Uint8Array<ArrayBuffer>

/** `root`: the folder of the code. `sha256`: the checksum that the build of the executable took; null from source. */
export type EmbeddedLocation = { root: string; dataFolder: string; sha256: string | null }

/** Returns the file of the embedded data. The executable unpacks it into the data folder, unless it is there. */
export function resolveEmbeddedFile({ root, dataFolder, sha256 }: EmbeddedLocation): EmbeddedFile {
  if (sha256 === null) return join(root, plainPath)
  return unpackOnce(() => readFileSync(join(root, compressedName)), sha256, dataFolder)
}

/**
 * Unpacks the data into a file in the folder, unless it is there and intact, and returns its path. A file inside an
 * executable cannot be mapped. Returns the bytes if no file can be written. `sha256` names the file: it is the checksum
 * that the build took. On another platform derived indexes may differ from those of the build in the last bits.
 */
export function unpackOnce(compressed: () => Uint8Array, sha256: string, folder: string): EmbeddedFile {
  const file = unpackedPath(folder, sha256)
  if (existsSync(file) && isIntact(file)) return file
  const { buffer, byteOffset, byteLength } = Bun.zstdDecompressSync(compressed())
  const packed = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
  const blocks = indexedBlocks(decodeLayout<IndexedLayout>(packed))
  return writeAtomically(blocks, file) ? file : joinBlocks(blocks)
}

/**
 * Removes the files that an earlier version or an interrupted start unpacked. The caller must have exclusive use of the
 * data folder.
 */
export function removeStaleEmbedded(folder: string, current: EmbeddedFile): void {
  if (typeof current !== 'string' || dirname(current) !== folder) return
  for (const name of readdirSync(folder))
    if (/^embedded-[0-9a-f]{16}\.(?:bin|gpkg)(?:\.\d+)?$/.test(name) && name !== basename(current))
      rmSync(join(folder, name), { force: true })
}

/** The file that the data is unpacked into. */
export function unpackedPath(folder: string, sha256: string): string {
  return join(folder, `embedded-${sha256.slice(0, nameLength)}.bin`)
}

/** Whether a file is complete and has its checksum. Reads it: mapped, it would count as memory of the process. */
function isIntact(file: string): boolean {
  let handle: number | null = null
  try {
    handle = openSync(file, 'r')
    const buffer = new Uint8Array(readSize_bytes)
    const checksum = createChecksum()
    let header: ReturnType<typeof readHeader> | null = null
    for (let length = readSync(handle, buffer); length > 0; length = readSync(handle, buffer)) {
      header ??= readHeader(buffer.subarray(0, length), fstatSync(handle).size)
      checksum.update(buffer.subarray(0, length))
    }
    return header?.checksum === checksum.value()
  } catch (error) {
    if (error instanceof LayoutError || (error as NodeJS.ErrnoException).code !== undefined) return false
    throw error
  } finally {
    if (handle !== null) closeSync(handle)
  }
}

/**
 * Writes a temporary file, then renames it, so that the final name never refers to a partial file. It is not synced to
 * the disk: each start verifies it, and writes it again if it was lost.
 */
function writeAtomically(blocks: readonly Uint8Array[], file: string): boolean {
  const temporaryFile = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const handle = openSync(temporaryFile, 'w', 0o600)
    try {
      for (const block of blocks) writeFileSync(handle, block)
    } finally {
      closeSync(handle)
    }
    renameSync(temporaryFile, file)
    return true
  } catch {
    if (existsSync(temporaryFile)) rmSync(temporaryFile)
    return false
  }
}
