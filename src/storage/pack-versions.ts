import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { addressPackPattern } from '../packs/addresses/address-pack-folder.ts'
import { manifestName } from '../packs/pack-manifest.ts'
import { packPathPattern } from '../packs/part-files.ts'
import { StorageFile } from '../packs/layer/raster-pointer.ts'
import { replaceFile, tryReadJson } from '../files/small-files.ts'

const VersionRecord = Type.Object({ pack: StorageFile, manifest: Type.Union([StorageFile, Type.Null()]) })

/** A pack in storage with its manifest, if it has one. */
export type PackVersion = Static<typeof VersionRecord>

/** The packs among the files of storage, by their path. */
export function packVersionsIn(files: readonly StorageFile[]): Map<string, PackVersion> {
  const byName = new Map(files.map((file) => [file.name, file]))
  const packs = files.filter(({ name }) => packPathPattern.test(name) || addressPackPattern.test(name))
  return new Map(packs.map((pack) => [pack.name, { pack, manifest: byName.get(manifestName(pack.name)) ?? null }]))
}

/** The file that lists the versions which were copied. */
const listName = 'versions.json'
const VersionList = Type.Record(Type.String(), VersionRecord)

/** The versions that were copied to a folder. Without the list, every pack is copied again. */
export function readKnownVersions(folder: string): Map<string, PackVersion> {
  const value = tryReadJson(join(folder, listName))
  return new Map(Value.Check(VersionList, value) ? Object.entries(value) : [])
}

/** Replaces the list of the versions that were copied. */
export function writeKnownVersions(folder: string, versions: ReadonlyMap<string, PackVersion>): void {
  replaceFile(join(folder, listName), JSON.stringify(Object.fromEntries(versions)))
}
