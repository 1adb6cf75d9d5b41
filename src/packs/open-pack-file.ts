import { join } from 'node:path'
import type { ByteCache } from './layer/byte-cache.ts'
import { FileError } from '../files/file-error.ts'
import type { PackManifest } from './pack-manifest.ts'
import {
  openGeopackagePack,
  openRasterPack,
  type BuiltIndexes,
  type Pack,
  type PackRequirements,
  type RasterFile,
} from './pack.ts'
import { packNameOf } from './part-files.ts'
import type { StorageFile } from './layer/raster-pointer.ts'

/** What opens rasters: of files (null for a process that reads none), and of pointer files (only with storage). */
export type RasterOpeners = {
  rasters: { openFile(path: string): Promise<RasterFile> } | null
  storedRasters?: { open(pointer: StorageFile): Promise<RasterFile> }
}

/** A file of the packs folder that was checked, and what the catalog reads from it. */
type CheckedFile = {
  folder: string
  file: string
  manifest: PackManifest
  indexes: BuiltIndexes
  requirements: readonly PackRequirements[]
}

/** Opens a pack file. @throws FileError if it cannot be used. */
export async function openPackFile(
  { folder, file, manifest, indexes, requirements }: CheckedFile,
  cache: ByteCache,
  { rasters }: RasterOpeners,
): Promise<Pack> {
  const path = join(folder, file)
  if (!file.endsWith('.tif'))
    return openGeopackagePack(path, { manifest, indexes, name: packNameOf(file) }, requirements, cache)
  if (!rasters) throw new FileError(`${file} is a raster, but this process was started without a raster reader.`)
  return openRasterPack(await rasters.openFile(path), manifest, requirements)
}

/** Opens a raster in storage. @throws FileError if this process reads no storage. */
export async function openStoredRaster(
  pointer: StorageFile,
  { manifest, requirements }: Pick<CheckedFile, 'manifest' | 'requirements'>,
  { storedRasters }: RasterOpeners,
): Promise<Pack> {
  if (storedRasters) return openRasterPack(await storedRasters.open(pointer), manifest, requirements)
  throw new FileError(
    `${pointer.name} is in storage. Set FIELDSTONE_PACKS to its location, and FIELDSTONE_OFFLINE to 0.`,
  )
}
