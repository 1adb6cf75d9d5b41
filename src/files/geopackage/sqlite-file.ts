import { constants, Database } from 'bun:sqlite'
import { closeSync, constants as fileConstants, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FileError } from '../file-error.ts'

/** What a pack that is a SQLite file must be, for messages: `a GeoPackage`. */
export type PackKind = { noun: string; advice: string }

export const geopackageKind: PackKind = { noun: 'a GeoPackage', advice: '' }
export const addressPackKind: PackKind = {
  noun: 'an address pack',
  advice: ' Build an address pack with `fieldstone pack build addresses`.',
}

/**
 * Checks the header of a SQLite file: that it is complete, and that no program is writing it.
 * @throws FileError that names what the file is instead.
 */
export function checkSqliteHeader(path: string, { noun, advice }: PackKind): void {
  const name = basename(path)
  const { header, size } = readHeader(path)
  if (size === 0) throw new FileError(`${name} is empty (0 bytes). Expected ${noun}.${advice}`)
  const text = header.toString('latin1')
  if (!text.startsWith('SQLite format 3\0')) {
    const kind =
      signatures.find(([begin]) => text.startsWith(begin))?.[1] ?? `the bytes ${header.subarray(0, 8).toString('hex')}`
    throw new FileError(`${name} is not ${noun} (a SQLite file). It starts with ${kind}.${advice}`)
  }
  const pageSize = header.length < header_bytes ? 0 : header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const expected = pageSize === 0 ? header_bytes : pageSize * header.readUInt32BE(28)
  if (size < expected)
    throw new FileError(`${name} is truncated: its header declares ${expected} bytes, but it has ${size}.`)
  for (const suffix of ['-wal', '-journal']) {
    if (existsSync(path + suffix) && statSync(path + suffix).size > 0)
      throw new FileError(
        `${name} is still being written, or a program stopped while writing it: the file ${name}${suffix} exists next to it. Close the program that writes it, or build the file again.`,
      )
  }
}

/** Opens a file that `checkSqliteHeader` accepted. Without locks, a read costs no system call. */
export function openImmutable(path: string): Database {
  return new Database(
    `${pathToFileURL(path).href}?immutable=1`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  )
}

/** An error of SQLite as a FileError. Other errors stay as they are. */
export function toSqliteFileError(error: unknown, path: string, { noun }: PackKind): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  if (code === null || !code.startsWith('SQLITE_')) return error
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new FileError(`${basename(path)} is locked by a program that writes to it. Close that program.`, {
      cause: error,
      retryable: true,
    })
  return new FileError(
    `${basename(path)} cannot be read as ${noun}. SQLite reports: ${(error as Error).message} (${code}).`,
    { cause: error },
  )
}

const header_bytes = 100
const signatures: [string, string][] = [
  ['PK', 'a ZIP archive'],
  ['II*\0', 'a TIFF'],
  ['MM\0*', 'a TIFF'],
  ['{', 'JSON'],
  ['<', 'XML or HTML'],
  ['fgb', 'FlatGeobuf'],
  ['PAR1', 'Parquet'],
]

function readHeader(path: string): { header: Buffer; size: number } {
  // Opening a named pipe without O_NONBLOCK waits for a writer.
  const file = openSync(path, fileConstants.O_RDONLY | fileConstants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new FileError(`${basename(path)} is not a regular file. Copy the file itself here.`)
    const header = Buffer.alloc(header_bytes)
    return { header: header.subarray(0, readSync(file, header, 0, header_bytes, 0)), size: stats.size }
  } finally {
    closeSync(file)
  }
}
