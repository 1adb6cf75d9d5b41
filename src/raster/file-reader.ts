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
 * replaced.
 */
export async function openFileReader(path: string): Promise<RangeReader & { size_bytes: number; close(): void }> {
  // A file descriptor, not a FileHandle: garbage collection of an unclosed FileHandle ends the process.
  const file = await openFile(path, 'r')
  let isOpen = true
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
      const bytes = new Uint8Array(available_bytes)
      let filled = 0
      while (filled < available_bytes) {
        const { bytesRead } = await readInto(file, bytes, filled, available_bytes - filled, offset + filled)
        if (bytesRead === 0) return bytes.subarray(0, filled)
        filled += bytesRead
      }
      return bytes
    },
    close() {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}
