import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs'

/** Where the bytes of a result go, in order. */
export type ResultSink = {
  write(bytes: Uint8Array): void | Promise<void>
  /** Returns the size and the SHA-256 of what was written, after it is on the disk. */
  sync(): { bytes: number; sha256: string }
  close(): void
}

const read_bytes = 1_048_576

/** The file exists and has other bytes than the result. */
export class DifferentFileError extends Error {}

/**
 * Opens the file that a result is written to before it gets its final name. `continued` is what the journal says about
 * it; the rest of the file is discarded. Returns null if the file does not have these bytes.
 */
export function openPartialFile(file: string, continued: { bytes: number; sha256: string } | null): ResultSink | null {
  const hash = new Bun.CryptoHasher('sha256')
  const handle = openSync(file, continued ? 'r+' : 'w')
  let written_bytes = continued?.bytes ?? 0
  if (continued) {
    hashFile(handle, written_bytes, hash)
    if (hash.copy().digest('hex') !== continued.sha256) {
      closeSync(handle)
      return null
    }
    ftruncateSync(handle, written_bytes)
  }
  return {
    write(bytes) {
      hash.update(bytes)
      let at = 0
      while (at < bytes.length) at += writeSync(handle, bytes, at, bytes.length - at, written_bytes + at)
      written_bytes += bytes.length
    },
    sync() {
      fsyncSync(handle)
      return { bytes: written_bytes, sha256: hash.copy().digest('hex') }
    },
    close: () => closeSync(handle),
  }
}

/** Opens standard output. A result that was interrupted there is not continued. */
export function openStandardOutput(): ResultSink {
  let written_bytes = 0
  return {
    async write(bytes) {
      await writeToStandardOutput(bytes)
      written_bytes += bytes.length
    },
    sync: () => ({ bytes: written_bytes, sha256: '' }),
    close() {},
  }
}

/**
 * Writes to standard output, and waits until its reader has taken the bytes. `Bun.write` begins again with the first of
 * them when a pipe is full.
 */
export function writeToStandardOutput(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

/**
 * Opens a file that already exists, to find out whether it is the result. Nothing is written.
 * @throws {DifferentFileError} from `write` and `sync` at the first difference.
 */
export function openComparison(file: string): ResultSink {
  const handle = openSync(file, 'r')
  const hash = new Bun.CryptoHasher('sha256')
  let compared_bytes = 0
  return {
    write(bytes) {
      const existing = Buffer.allocUnsafe(bytes.length)
      const size = readSync(handle, existing, 0, bytes.length, compared_bytes)
      if (size !== bytes.length || !existing.equals(bytes)) throw new DifferentFileError()
      hash.update(bytes)
      compared_bytes += bytes.length
    },
    sync() {
      if (statSync(file).size !== compared_bytes) throw new DifferentFileError()
      return { bytes: compared_bytes, sha256: hash.copy().digest('hex') }
    },
    close: () => closeSync(handle),
  }
}

function hashFile(handle: number, size_bytes: number, hash: Bun.CryptoHasher): Bun.CryptoHasher {
  const buffer = Buffer.allocUnsafe(Math.min(read_bytes, Math.max(1, size_bytes)))
  for (let at = 0; at < size_bytes;) {
    const size = readSync(handle, buffer, 0, Math.min(buffer.length, size_bytes - at), at)
    if (size === 0) break
    hash.update(buffer.subarray(0, size))
    at += size
  }
  return hash
}
