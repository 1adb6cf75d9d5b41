import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BackupError } from '../backup/backup-error.ts'
import type { ArchiveKind } from '../backup/tar.ts'
import { tryParseJson } from '../model/record.ts'

const Checksum = Type.String({ pattern: '^[0-9a-f]{64}$' })
const NullableText = Type.Union([Type.String(), Type.Null()])

/** The manifest of an exported region, `region.json`. `packs` describes its packs to the operator. */
const RegionManifest = Type.Object({
  format: Type.Literal('fieldstone-region-1'),
  created_at: Type.String(),
  version: Type.String(),
  catalog_version: Type.String(),
  public_key: Type.String(),
  files: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer({ minimum: 0 }), sha256: Checksum })),
  packs: Type.Array(
    Type.Object({ file: Type.String(), area: NullableText, vintage: NullableText, fetched_at: NullableText }),
  ),
})
export type RegionManifest = Static<typeof RegionManifest>

export const regionManifestFile = 'region.json'
export const regionSignatureFile = 'region.sig'

/** An exported region in messages. A state has some hundred counties, each with many packs and their manifests. */
export const regionKind: ArchiveKind = { what: 'region archive', entriesMax: 20_000 }

/** Packs with their manifests, address packs, and layers. Files with other names are never written. */
const allowedNames =
  /^(?:packs\/(?:\w[\w-]*\/)?\w[\w.-]*\.(?:gpkg|tif|json)|packs\/\w[\w.-]*\.sqlite|catalog\.d\/\w[\w.-]*\.json)$/

/** Whether a file of this name can be in an archive. */
export function isRegionFileName(name: string): boolean {
  return allowedNames.test(name)
}

/** Parses the manifest. @throws {BackupError} if it is invalid or lists an unexpected file. */
export function parseRegionManifest(text: string): RegionManifest {
  const manifest = tryParseJson(text)
  if (!Value.Check(RegionManifest, manifest))
    throw new BackupError(
      `Unsupported ${regionKind.what}: its ${regionManifestFile} has an unknown format. A newer Fieldstone may have made it.`,
    )
  const unexpected = manifest.files.find(({ name }) => !isRegionFileName(name))
  if (unexpected)
    throw new BackupError(`Not a Fieldstone ${regionKind.what}: it lists the file ${JSON.stringify(unexpected.name)}.`)
  const unlisted = manifest.packs.find(({ file }) => !manifest.files.some(({ name }) => name === `packs/${file}`))
  if (unlisted)
    throw new BackupError(`Not a Fieldstone ${regionKind.what}: it describes ${JSON.stringify(unlisted.file)}.`)
  return manifest
}
