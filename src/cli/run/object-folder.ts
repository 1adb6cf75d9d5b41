import { rmSync } from 'node:fs'
import { UpstreamError } from '../../model/error.ts'
import type { StorageFile } from '../../packs/layer/raster-pointer.ts'
import { copyStorageFile, readStorageFile } from '../../storage/copy-file.ts'
import { FileChangedError } from '../../storage/file-storage.ts'
import { openStorageClient } from '../../storage/open-storage.ts'
import { openS3Storage } from '../../storage/s3-storage.ts'
import { readStorageLocation } from '../../storage/storage-location.ts'
import { UsageError } from '../usage-error.ts'
import { RunCommandError, TemporaryRunError, type RunCommandDeps } from './run-backend.ts'

/** The objects below a prefix of a bucket. Temporary errors of the storage are retried. */
export type ObjectFolder = {
  /** `s3://bucket/prefix/` */
  location: string
  list(): Promise<Map<string, StorageFile>>
  /** Copies exactly the listed version of an object to a file. */
  download(file: StorageFile, path: string): Promise<void>
  readText(file: StorageFile): Promise<string>
  /** Writes an object as a whole, and returns what is stored. */
  upload(name: string, content: Bun.BunFile | string): Promise<StorageFile>
  remove(name: string): Promise<void>
  close(): void
}

/** The pauses before the next attempts. */
const pauses_ms = [500, 2_000, 8_000]
const callMax_ms = 60_000
/** A slower upload is ended, because the client of the storage would wait for ever. */
const slowest_bytesPerMs = 100

/** Opens a prefix. `name` says what it is in errors. @throws {UsageError} if it cannot be used. */
export function openObjectFolder(name: string, url: string, deps: RunCommandDeps): ObjectFolder {
  const read = readStorageLocation(name, url, deps.environment)
  if ('problem' in read) throw new UsageError(read.problem)
  if (read.location.kind !== 's3') throw new UsageError(`${name} is not in S3 storage. Use s3://bucket/prefix/.`)
  if (deps.config.offline) throw new UsageError(`${name} needs the network. Set FIELDSTONE_OFFLINE to 0.`)
  const storage = openS3Storage(read.location)
  const net = openStorageClient(read.location, { ...deps, now: () => new Date() })
  const reader = { net, storage }
  const budget = (limit_ms: number) => ({ signal: AbortSignal.timeout(limit_ms) })
  const describe = async (file: string) => storage.describe(file, budget(callMax_ms))
  return {
    location: storage.location,
    list: async () =>
      retry(async () => new Map((await storage.list(budget(callMax_ms))).map((file) => [file.name, file]))),
    download: async (file, path) =>
      retry(async () => {
        // What was copied of another version must not stay.
        rmSync(path, { force: true })
        await copyStorageFile(reader, file, path, budget(transferMax_ms(file.size_bytes)))
      }),
    readText: async (file) =>
      retry(async () => new TextDecoder().decode(await readStorageFile(reader, file, budget(callMax_ms)))),
    upload: async (file, content) =>
      retry(async () => {
        const size_bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.size
        await storage.write(file, content, budget(transferMax_ms(size_bytes)))
        const stored = await describe(file)
        if (stored.size_bytes === size_bytes) return stored
        throw new UpstreamError(
          'bad_response',
          `${storage.location}${file} has ${stored.size_bytes} bytes, but ${size_bytes} were written.`,
        )
      }),
    remove: async (file) => retry(async () => storage.delete(file, budget(callMax_ms))),
    close: () => net.close(),
  }
}

function transferMax_ms(size_bytes: number): number {
  return callMax_ms + size_bytes / slowest_bytesPerMs
}

async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (const pause_ms of [...pauses_ms, null]) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof UpstreamError && !error.retryable) throw new RunCommandError(error.message, { cause: error })
      const isTemporary = error instanceof UpstreamError || (error as Error).name === 'TimeoutError'
      if (!isTemporary) throw error
      // The listed version does not come back.
      if (pause_ms === null || error instanceof FileChangedError)
        throw new TemporaryRunError(`${(error as Error).message} Run the same command again.`, { cause: error })
      await Bun.sleep(pause_ms)
    }
  }
  throw new Error('There is no further attempt.')
}
