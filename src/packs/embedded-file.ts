import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where `npm run build` puts the compressed data, and `npm start` the plain file, below the folder of the code. */
const packed = 'embedded.gpkg.zst'
const plain = join('dist', 'embedded.gpkg')

/** The embedded GeoPackage. Run from source it is the file that scripts/embed.ts made; in the executable it is unpacked into the data folder. */
export function embeddedFile(root: string, dataFolder: string): string | Uint8Array {
  return Bun.isStandaloneExecutable ? unpackedOnce(readFileSync(join(root, packed)), dataFolder) : join(root, plain)
}

/** The file that compressed data make in a folder, made when it is not there yet (a database cannot be opened inside an executable); the bytes where no file can be made. */
export function unpackedOnce(compressed: Uint8Array, folder: string): string | Uint8Array {
  const file = join(folder, `embedded-${Bun.hash(compressed).toString(16).padStart(16, '0')}.gpkg`)
  if (existsSync(file)) return file
  const bytes = Bun.zstdDecompressSync(compressed)
  return written(bytes, file) ? file : bytes
}

/** Under another name until it is whole and on the disk, so that the name never stands for half a file. */
function written(bytes: Uint8Array, file: string): boolean {
  const unfinished = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeThrough(bytes, unfinished)
    renameSync(unfinished, file)
    return true
  } catch {
    if (existsSync(unfinished)) rmSync(unfinished)
    return false
  }
}

function writeThrough(bytes: Uint8Array, file: string): void {
  const handle = openSync(file, 'w', 0o600)
  try {
    writeFileSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
