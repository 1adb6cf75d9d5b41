import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where `npm run build` puts the compressed data, and `npm start` the plain file, below the folder of the code. */
const packed = 'embedded.gpkg.zst'
const plain = join('dist', 'embedded.gpkg')
const nameLength = 16

/** The embedded GeoPackage. Run from source it is the file that scripts/embed.ts made; in the executable it is unpacked into the data folder, under the sum that the build took of it. */
export function embeddedFile(root: string, dataFolder: string, sha256: string | null): string | Uint8Array {
  return sha256 === null ? join(root, plain) : unpackedOnce(() => readFileSync(join(root, packed)), sha256, dataFolder)
}

/** The file that compressed data make in a folder, made when it is not there yet (a database cannot be opened inside an executable); the bytes where no file can be made. Whole, the data have that sha256. */
export function unpackedOnce(compressed: () => Uint8Array, sha256: string, folder: string): string | Uint8Array {
  const file = join(folder, `embedded-${sha256.slice(0, nameLength)}.gpkg`)
  if (existsSync(file)) return file
  const bytes = Bun.zstdDecompressSync(compressed())
  return written(bytes, file) ? file : bytes
}

/** Removes what an executable of before, or a start that was cut short, has unpacked into a data folder that this process holds alone. */
export function sweepEmbedded(folder: string, kept: string | Uint8Array): void {
  if (typeof kept !== 'string' || dirname(kept) !== folder) return
  for (const name of readdirSync(folder)) if (/^embedded-[0-9a-f]{16}\.gpkg(?:\.\d+)?$/.test(name) && name !== basename(kept)) rmSync(join(folder, name), { force: true })
}

/** Under another name until it is whole and on the disk, so that the name never stands for half a file. */
function written(bytes: Uint8Array, file: string): boolean {
  const unfinished = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    putOnDisk(bytes, unfinished)
    renameSync(unfinished, file)
    return true
  } catch {
    if (existsSync(unfinished)) rmSync(unfinished)
    return false
  }
}

function putOnDisk(bytes: Uint8Array, file: string): void {
  const handle = openSync(file, 'w', 0o600)
  try {
    writeFileSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
