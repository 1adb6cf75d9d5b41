import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Paths below the code folder: `npm run build` writes the compressed data, `npm start` the plain file. */
const compressedName = 'embedded.gpkg.zst'
const plainPath = join('dist', 'embedded.gpkg')
const nameLength = 16

/**
 * Returns the path of the embedded GeoPackage, or its bytes. From source, this is the file made by scripts/embed.ts.
 * The executable unpacks it into the data folder, in a file named for the checksum taken by the build.
 */
export function resolveEmbeddedFile(root: string, dataFolder: string, sha256: string | null): string | Uint8Array {
  return sha256 === null
    ? join(root, plainPath)
    : unpackOnce(() => readFileSync(join(root, compressedName)), sha256, dataFolder)
}

/**
 * Decompresses the data into a file in the folder, unless the file exists, and returns its path. SQLite cannot open a
 * database inside an executable. Returns the bytes if no file can be written. `sha256` is the checksum of the
 * decompressed data.
 */
export function unpackOnce(compressed: () => Uint8Array, sha256: string, folder: string): string | Uint8Array {
  const file = join(folder, `embedded-${sha256.slice(0, nameLength)}.gpkg`)
  if (existsSync(file)) return file
  const bytes = Bun.zstdDecompressSync(compressed())
  return writeAtomically(bytes, file) ? file : bytes
}

/**
 * Removes the files that an earlier version or an interrupted start unpacked. The caller must have exclusive use of the
 * data folder.
 */
export function removeStaleEmbedded(folder: string, current: string | Uint8Array): void {
  if (typeof current !== 'string' || dirname(current) !== folder) return
  for (const name of readdirSync(folder))
    if (/^embedded-[0-9a-f]{16}\.gpkg(?:\.\d+)?$/.test(name) && name !== basename(current))
      rmSync(join(folder, name), { force: true })
}

/** Writes and syncs a temporary file, then renames it, so that the final name never refers to a partial file. */
function writeAtomically(bytes: Uint8Array, file: string): boolean {
  const temporaryFile = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeAndSync(bytes, temporaryFile)
    renameSync(temporaryFile, file)
    return true
  } catch {
    if (existsSync(temporaryFile)) rmSync(temporaryFile)
    return false
  }
}

function writeAndSync(bytes: Uint8Array, file: string): void {
  const handle = openSync(file, 'w', 0o600)
  try {
    writeFileSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
