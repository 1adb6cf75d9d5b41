import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'

const chunk_bytes = 1_048_576

/**
 * Yields a range of an open file in chunks. Each chunk is valid only until the next one.
 * @throws {Error} if the file is too short.
 */
export function* readFileChunks(handle: number, from: number, bytes: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(chunk_bytes, Math.max(1, bytes)))
  for (let done = 0; done < bytes;) {
    const read = readSync(handle, buffer, 0, Math.min(buffer.length, bytes - done), from + done)
    if (read === 0) throw new Error('Unexpected end of file.')
    done += read
    yield buffer.subarray(0, read)
  }
}

/** The SHA-256 of a range of an open file. */
export function sha256OfRange(handle: number, from: number, bytes: number): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const chunk of readFileChunks(handle, from, bytes)) hasher.update(chunk)
  return hasher.digest('hex')
}

/** The size and the SHA-256 of a file. */
export function sha256AndSizeOf(path: string): { bytes: number; sha256: string } {
  const handle = openSync(path, 'r')
  try {
    const bytes = statSync(path).size
    return { bytes, sha256: sha256OfRange(handle, 0, bytes) }
  } finally {
    closeSync(handle)
  }
}

/** Writes all bytes: one write call may write fewer. */
export function writeAll(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done, bytes.length - done)
}
