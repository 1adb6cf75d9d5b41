import { coalesceReads } from '../drivers/coalesce-reads.ts'
import { UpstreamError } from '../model/error.ts'
import { FileError } from '../files/file-error.ts'
import type { StorageFile } from '../packs/layer/raster-pointer.ts'
import type { RangeReader, Raster } from '../raster/raster.ts'
import type { Rasters } from '../raster/rasters.ts'
import type { StorageReader } from './copy-file.ts'
import { FileChangedError, readStorageRange } from './file-storage.ts'

/** Opens rasters that stay in storage. */
export type StorageRasters = { open(pointer: StorageFile): Promise<Raster> }

const openDeadline_ms = 20_000
/** After a failure, the storage is not asked for the same version again for this time. */
const failurePause_ms = 15_000

type StorageRastersOptions = {
  reader: StorageReader
  rasters: Rasters
  /** Called when a read finds that the file was replaced. */
  onChange: () => void
  now: () => Date
}

/** Opens exactly the version that the pointer names. A read of another version fails. */
export function createStorageRasters({ reader, rasters, onChange, now }: StorageRastersOptions): StorageRasters {
  const failures = new Map<string, { version: string; at_ms: number; error: FileError }>()
  return {
    async open(pointer) {
      const id = `${reader.storage.location}${pointer.name} ${pointer.version}`
      const failure = failures.get(pointer.name)
      if (failure?.version === pointer.version && now().getTime() - failure.at_ms < failurePause_ms) throw failure.error
      try {
        const raster = await rasters.open(createRangeReader(id, pointer, { reader, onChange }), {
          signal: AbortSignal.timeout(openDeadline_ms),
        })
        failures.delete(pointer.name)
        return raster
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        const fileError = new FileError(`${pointer.name} cannot be opened: ${error.message}`, { retryable: true })
        failures.set(pointer.name, { version: pointer.version, at_ms: now().getTime(), error: fileError })
        throw fileError
      }
    },
  }
}

function createRangeReader(
  id: string,
  pointer: StorageFile,
  { reader, onChange }: Pick<StorageRastersOptions, 'reader' | 'onChange'>,
): RangeReader {
  const { size_bytes } = pointer
  const read = coalesceReads(async (offset, length, budget) => {
    const available_bytes = Math.min(length, size_bytes - offset)
    if (available_bytes <= 0) return new Uint8Array(0)
    try {
      return await readStorageRange(reader, pointer, { offset, length: available_bytes }, budget)
    } catch (error) {
      if (error instanceof FileChangedError) onChange()
      throw error
    }
  })
  return { id, read }
}
