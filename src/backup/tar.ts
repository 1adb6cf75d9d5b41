import { closeSync, fstatSync, fsyncSync, openSync, readSync } from 'node:fs'
import { BackupError } from './backup-error.ts'
import { readFileChunks, writeAll } from './file-bytes.ts'

/** A file in an archive. `offset` is the position of its content. */
export type TarEntry = { name: string; bytes: number; offset: number }

const block_bytes = 512
const nameMax_bytes = 100
const octalMax = 8 ** 11 - 1

/** The ustar header of a file. @throws {BackupError} if the name is longer than 100 bytes. */
export function tarHeaderOf(name: string, bytes: number, at: Date): Uint8Array {
  const header = Buffer.alloc(block_bytes)
  if (Buffer.byteLength(name) > nameMax_bytes)
    throw new BackupError(`The file name ${name} is too long for a tar archive. The maximum is ${nameMax_bytes} bytes.`)
  header.write(name, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  writeSize(header, bytes)
  header.write(octal(Math.floor(at.getTime() / 1000), 11), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  header.write(`${octal(headerChecksum(header), 6)}\0 `, 148, 'latin1')
  return header
}

/** Writes the size. A size of more than eleven octal digits uses the binary format of GNU tar and bsdtar. */
function writeSize(header: Buffer, bytes: number): void {
  if (bytes <= octalMax) {
    header.write(octal(bytes, 11), 124)
    return
  }
  header.writeUInt8(0x80, 124)
  header.writeBigUInt64BE(BigInt(bytes), 128)
}

/** The zero bytes that fill the last block of a file. */
export function tarPaddingOf(bytes: number): Uint8Array {
  return new Uint8Array((block_bytes - (bytes % block_bytes)) % block_bytes)
}

/** The two zero blocks that end an archive. */
const endOfArchive = new Uint8Array(2 * block_bytes)

/** A file to write to an archive, from memory or from disk. */
export type ArchiveMember = { name: string; bytes: number } & ({ text: Uint8Array } | { path: string })

/** A member of an archive with this text, and its checksum. */
export function inMemoryMember(text: string): { bytes: number; sha256: string; text: Uint8Array } {
  const bytes = new TextEncoder().encode(text)
  return { text: bytes, bytes: bytes.length, sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
}

/** Writes an archive that only its owner can read, and syncs it to disk. */
export function writeArchive(file: string, members: readonly ArchiveMember[], at: Date): void {
  const handle = openSync(file, 'w', 0o600)
  try {
    for (const member of members) {
      writeAll(handle, tarHeaderOf(member.name, member.bytes, at))
      if ('text' in member) writeAll(handle, member.text)
      else appendFile(member.path, member.bytes, handle)
      writeAll(handle, tarPaddingOf(member.bytes))
    }
    writeAll(handle, endOfArchive)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function appendFile(path: string, bytes: number, archive: number): void {
  const from = openSync(path, 'r')
  try {
    for (const chunk of readFileChunks(from, 0, bytes)) writeAll(archive, chunk)
  } finally {
    closeSync(from)
  }
}

/** What an archive is called in messages, and how many files it can have. */
export type ArchiveKind = { what: string; entriesMax: number }

/**
 * Reads the entries of an open archive.
 * @throws {BackupError} if it is not a tar archive, is truncated, or has anything but ordinary files.
 */
export function readTarEntries(handle: number, { what, entriesMax }: ArchiveKind): TarEntry[] {
  const entries: TarEntry[] = []
  const archive_bytes = fstatSync(handle).size
  for (let at = 0; ;) {
    const header = Buffer.alloc(block_bytes)
    if (readSync(handle, header, 0, block_bytes, at) < block_bytes)
      throw new BackupError(`Truncated ${what}: it has no end marker.`)
    if (header.every((byte) => byte === 0)) return entries
    const entry = { ...parseTarHeader(header, what), offset: at + block_bytes }
    at = entry.offset + entry.bytes + tarPaddingOf(entry.bytes).length
    if (!(at <= archive_bytes)) throw new BackupError(`Truncated ${what}: ${entry.name} is not complete.`)
    if (entries.push(entry) > entriesMax)
      throw new BackupError(`Not a Fieldstone ${what}: it has more than ${entriesMax} files.`)
  }
}

function parseTarHeader(header: Buffer, what: string): Omit<TarEntry, 'offset'> {
  const sum = Number.parseInt(header.toString('latin1', 148, 156), 8)
  header.fill(' ', 148, 156)
  if (sum !== headerChecksum(header) || header.toString('latin1', 257, 262) !== 'ustar')
    throw new BackupError(`Not a Fieldstone ${what}: it is not a tar archive, or it is damaged.`)
  const name = textAt(header, 0, nameMax_bytes)
  if (!ordinaryFileTypes.includes(header[156]!))
    throw new BackupError(`Not a Fieldstone ${what}: ${JSON.stringify(name)} is not an ordinary file.`)
  const bytes =
    header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(header.toString('latin1', 124, 136), 8)
  return { name, bytes }
}

/** The type of an ordinary file is the digit 0, or a zero byte in old archives. */
const ordinaryFileTypes = [0, 0x30]

function textAt(header: Buffer, from: number, length: number): string {
  const text = header.toString('utf8', from, from + length)
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

/** The checksum of a header whose checksum field contains spaces. */
function headerChecksum(header: Buffer): number {
  return header.reduce((sum, byte) => sum + byte, 0)
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
