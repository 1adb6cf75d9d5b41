import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** The content of a file, or what is wrong with it. `problem` continues the sentence "The file ...". */
type FileContent = { bytes: Buffer } | { problem: string }

/**
 * Reads a file of an operator's folder. A link may lead to a pipe, which blocks, or to a device, which never ends; both
 * are rejected. Reads `max_bytes` at most, whatever size the file declares.
 * @throws Error if the file is missing or cannot be read.
 */
export function readRegularFile(path: string, max_bytes: number): FileContent {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return { problem: 'is not a regular file. Put a file here.' }
    if (stats.size > max_bytes) return { problem: `has ${stats.size} bytes; the limit is ${max_bytes}. Split it.` }
    // One byte more than declared, because a file may grow, and files of the kernel declare no size.
    const bytes = Buffer.alloc(Math.min(max_bytes, Math.max(stats.size, unsized_bytes)) + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(file, bytes, length, bytes.length - length, length)
    return length < bytes.length
      ? { bytes: bytes.subarray(0, length) }
      : { problem: 'grew while it was being read. Wait until it is complete.' }
  } finally {
    closeSync(file)
  }
}

const unsized_bytes = 65_536
