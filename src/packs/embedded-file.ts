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

/** Where `npm run build` puts the compressed data, and `npm start` the plain file, below the folder of the code. */
const compressedName = 'embedded.gpkg.zst'
const plainPath = join('dist', 'embedded.gpkg')
const nameLength = 16

/** The embedded GeoPackage. Run from source it is the file that scripts/embed.ts made; in the executable it is unpacked into the data folder, under the sum that the build took of it. */
export function resolveEmbeddedFile(root: string, dataFolder: string, sha256: string | null): string | Uint8Array {
  return sha256 === null
    ? join(root, plainPath)
    : unpackOnce(() => readFileSync(join(root, compressedName)), sha256, dataFolder)
}

/** The file that compressed data make in a folder, made when it is not there yet (a database cannot be opened inside an executable); the bytes where no file can be made. Whole, the data have that sha256. */
export function unpackOnce(compressed: () => Uint8Array, sha256: string, folder: string): string | Uint8Array {
  const file = join(folder, `embedded-${sha256.slice(0, nameLength)}.gpkg`)
  if (existsSync(file)) return file
  const bytes = Bun.zstdDecompressSync(compressed())
  return writeAtomically(bytes, file) ? file : bytes
}

/** Removes what an executable of before, or a start that was cut short, has unpacked into a data folder that this process holds alone. */
export function removeStaleEmbedded(folder: string, current: string | Uint8Array): void {
  if (typeof current !== 'string' || dirname(current) !== folder) return
  for (const name of readdirSync(folder))
    if (/^embedded-[0-9a-f]{16}\.gpkg(?:\.\d+)?$/.test(name) && name !== basename(current))
      rmSync(join(folder, name), { force: true })
}

/** Under another name until it is whole and on the disk, so that the name never stands for half a file. */
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
