import { existsSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { manifestName, readManifest } from '../packs/pack-manifest.ts'
import { createWorkFolder } from '../store/work-folder.ts'
import { syncToDisk } from '../store/sync-to-disk.ts'
import { BackupError } from '../backup/backup-error.ts'
import { layerNamesIn, requireNewBackupFile } from '../backup/backup.ts'
import { sha256AndSizeOf } from '../backup/file-bytes.ts'
import { isRegionFileName, regionManifestFile, regionSignatureFile, type RegionManifest } from './region-manifest.ts'
import { openRegionArchive, verifyRegion } from './region-import.ts'
import type { SigningKey } from './signing-keys.ts'
import { inMemoryMember, writeArchive, type ArchiveMember } from '../backup/tar.ts'

/** What to export: packs by their paths in the packs folder, and the layers of the operator. */
export type RegionExport = {
  packs: string
  data: string
  packFiles: readonly string[]
  file: string
  key: SigningKey
  version: string
  catalog_version: string
  at: Date
}

type RegionFile = { name: string; path: string; bytes: number; sha256: string }

/**
 * Writes a signed archive of packs, their manifests and the operator's layers. The output file appears only when it is
 * complete. Returns its manifest.
 * @throws {BackupError} if a pack differs from the checksum in its manifest, or the output file exists.
 */
export function exportRegion({ packs, data, packFiles, file, key, at, ...versions }: RegionExport): RegionManifest {
  requireNewBackupFile(file)
  const files = [
    ...packFiles.flatMap((pack) => filesOfPack(packs, pack)),
    ...layerNamesIn(join(data, 'catalog.d')).map((name) => fileOf(`catalog.d/${name}`, join(data, 'catalog.d', name))),
  ]
  if (files.length === 0) throw new BackupError(`${packs} has no packs to export, and there are no local layers.`)
  const manifest: RegionManifest = {
    format: 'fieldstone-region-1',
    created_at: at.toISOString(),
    ...versions,
    public_key: key.publicKey,
    files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
    packs: packFiles.map((pack) => describePack(packs, pack)),
  }
  const manifestPart = inMemoryMember(`${JSON.stringify(manifest, null, 2)}\n`)
  const signature = inMemoryMember(`${key.sign(manifestPart.text)}\n`)
  const parts: ArchiveMember[] = [
    { name: regionManifestFile, ...manifestPart },
    { name: regionSignatureFile, ...signature },
    ...files,
  ]
  const work = createWorkFolder(dirname(file))
  try {
    const unfinished = join(work.path, basename(file))
    writeArchive(unfinished, parts, at)
    requireIntact(unfinished)
    renameSync(unfinished, file)
    syncToDisk(dirname(file))
  } finally {
    work.remove()
  }
  return manifest
}

/** Reads the finished archive, because a pack could change while it was copied. */
function requireIntact(file: string): void {
  const archive = openRegionArchive(file)
  try {
    verifyRegion(archive)
  } finally {
    archive.close()
  }
}

/** A pack and its manifest. */
function filesOfPack(packs: string, pack: string): RegionFile[] {
  const file = fileOf(`packs/${pack}`, join(packs, pack))
  if (pack.endsWith('.sqlite')) return [file]
  const { sha256 } = readManifest(packs, pack)
  if (sha256 !== null && sha256 !== file.sha256)
    throw new BackupError(`${join(packs, pack)} differs from the checksum in its manifest. Build the pack again.`)
  const manifest = manifestName(pack)
  return existsSync(join(packs, manifest)) ? [fileOf(`packs/${manifest}`, join(packs, manifest)), file] : [file]
}

function fileOf(name: string, path: string): RegionFile {
  if (!isRegionFileName(name))
    throw new BackupError(`${path} cannot be exported: its name can only have letters, digits, "_", "-" and ".".`)
  if (!statSync(path).isFile()) throw new BackupError(`${path} cannot be exported: it is not a file.`)
  return { name, path, ...sha256AndSizeOf(path) }
}

function describePack(packs: string, pack: string): RegionManifest['packs'][number] {
  if (pack.endsWith('.sqlite')) return { file: pack, area: null, vintage: null, fetched_at: null }
  const { area, vintage, fetchedAt } = readManifest(packs, pack)
  return { file: pack, area, vintage, fetched_at: fetchedAt }
}
