import { closeSync, fstatSync, open, read } from 'node:fs'
import { promisify } from 'node:util'
import { UpstreamError } from '../model/error.ts'
import type { RangeReader } from './raster.ts'

/** The maximum size of a single read. */
const readMax_bytes = 128 * 1_048_576

const openFile = promisify(open)
const readInto = promisify(read)

/**
 * Opens a local file. Its `id` contains path, size, modification time and inode, so that caches miss after the file is
 * replaced. `close` lets the reads that have begun end.
 */
export async function openFileReader(path: string): Promise<RangeReader & { size_bytes: number; close(): void }> {
  // A file descriptor, not a FileHandle: garbage collection of an unclosed FileHandle ends the process.
  const file = await openFile(path, 'r')
  let isOpen = true
  let reads = 0
  const { size, mtimeMs, ino } = fstatSync(file)
  return {
    id: `${path} ${size} ${mtimeMs} ${ino}`,
    size_bytes: size,
    async read(offset, length, { signal }) {
      signal.throwIfAborted()
      if (!isOpen) throw new Error(`The file ${path} is closed.`)
      const available_bytes = Math.max(0, Math.min(length, size - offset))
      if (available_bytes > readMax_bytes)
        throw new UpstreamError(
          'too_large',
          `A read of ${available_bytes} bytes from a raster exceeds the maximum of ${readMax_bytes} bytes.`,
        )
      reads++
      try {
        return await readCompletely(file, new Uint8Array(available_bytes), offset)
      } finally {
        reads--
        if (!isOpen && reads === 0) closeSync(file)
      }
    },
    close() {
      // Another file could get the descriptor during a read, and the read would return its bytes.
      if (isOpen && reads === 0) closeSync(file)
      isOpen = false
    },
  }
}

/** Fills the bytes from an offset of a file on. Returns fewer if the file ends before. */
async function readCompletely(file: number, bytes: Uint8Array, offset: number): Promise<Uint8Array> {
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await readInto(file, bytes, filled, bytes.length - filled, offset + filled)
    if (bytesRead === 0) return bytes.subarray(0, filled)
    filled += bytesRead
  }
  return bytes
}
