import { closeSync, fstatSync, open, read } from 'node:fs'
import { promisify } from 'node:util'
import { UpstreamError } from '../model/error.ts'
import type { RangeReader } from './raster.ts'

/** The most bytes that are asked of a file at once. */
const readMax_bytes = 128 * 1_048_576

const openFile = promisify(open)
const readInto = promisify(read)

/** A file of our own. It is known by its name, size and time of change, so that a new edition is read anew. */
export async function openFileReader(path: string): Promise<RangeReader & { size_bytes: number; close(): void }> {
  // A number and no FileHandle: that one, forgotten unclosed, ends the process when its memory is collected.
  const file = await openFile(path, 'r')
  let isOpen = true
  const { size, mtimeMs, ino } = fstatSync(file)
  return {
    id: `${path} ${size} ${mtimeMs} ${ino}`,
    size_bytes: size,
    async read(offset, length, { signal }) {
      signal.throwIfAborted()
      if (!isOpen) throw new Error(`${path} was closed.`)
      const available_bytes = Math.max(0, Math.min(length, size - offset))
      if (available_bytes > readMax_bytes)
        throw new UpstreamError('too_large', `A piece of ${available_bytes} bytes was asked of a raster.`)
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
