import { closeSync, existsSync, fsyncSync, openSync, statSync, writeSync } from 'node:fs'
import { runWithDeadline } from '../async/deadline.ts'
import type { Budget } from '../model/source.ts'
import type { HttpClient } from '../net/http-client.ts'
import { readStorageRange, type FileStorage } from './file-storage.ts'
import type { StorageFile } from '../packs/layer/raster-pointer.ts'

const range_bytes = 8 * 1_048_576
const rangeDeadline_ms = 60_000

/** The HTTP client and the storage that files are read from. */
export type StorageReader = { net: HttpClient; storage: FileStorage }

/**
 * Copies a file to a local path, in ranges of the same version. A copy that was interrupted continues, so the path must
 * belong to the version.
 * @throws {FileChangedError} if the file is replaced during the copy.
 */
export async function copyStorageFile(
  reader: StorageReader,
  file: StorageFile,
  path: string,
  budget: Budget,
): Promise<void> {
  const copied_bytes = existsSync(path) ? statSync(path).size : 0
  const target = openSync(path, copied_bytes > file.size_bytes ? 'w' : 'a')
  try {
    const start = copied_bytes > file.size_bytes ? 0 : copied_bytes
    for (let offset = start; offset < file.size_bytes; offset += range_bytes) {
      const length = Math.min(range_bytes, file.size_bytes - offset)
      const bytes = await readBeforeDeadline(reader, file, { offset, length }, budget)
      for (let written = 0; written < bytes.length;) written += writeSync(target, bytes, written)
    }
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}

/** Reads a small file completely. */
export async function readStorageFile(reader: StorageReader, file: StorageFile, budget: Budget): Promise<Uint8Array> {
  if (file.size_bytes === 0) return new Uint8Array(0)
  return readBeforeDeadline(reader, file, { offset: 0, length: file.size_bytes }, budget)
}

async function readBeforeDeadline(
  reader: StorageReader,
  file: StorageFile,
  range: { offset: number; length: number },
  budget: Budget,
): Promise<Uint8Array> {
  return runWithDeadline(rangeDeadline_ms, budget.signal, async (signal) =>
    readStorageRange(reader, file, range, { signal }),
  )
}
