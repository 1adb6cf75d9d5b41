import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BackupError } from './backup-error.ts'
import { parseJson } from '../model/record.ts'

const Checksum = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })

/** The manifest in the first file of a backup, `backup.json`. `packs` lists packs that the backup does not contain. */
const BackupManifest = Type.Object({
  format: Type.Literal('fieldstone-backup-1'),
  created_at: Type.String(),
  version: Type.String(),
  catalog_version: Type.String(),
  state_version: Count,
  rows: Type.Record(Type.String(), Count),
  files: Type.Array(Type.Object({ name: Type.String(), bytes: Count, sha256: Checksum })),
  packs: Type.Array(Type.Object({ name: Type.String(), bytes: Count, sha256: Type.Union([Checksum, Type.Null()]) })),
})
export type BackupManifest = Static<typeof BackupManifest>

export const manifestFile = 'backup.json'
export const stateFile = 'state.db'
export const settingsFile = 'settings.env'

/** The allowed file names in a backup. Files with other names are never extracted. */
const allowedNames = /^(?:state\.db|settings\.env|catalog\.d\/[^/\\.\0][^/\\\0]*\.json)$/

/** Parses the manifest. @throws {BackupError} if it is invalid or lists an unexpected file. */
export function parseBackupManifest(text: string): BackupManifest {
  const manifest = parseJson(
    text,
    (cause) => new BackupError('Not a Fieldstone backup: its backup.json is not valid JSON.', { cause }),
  )
  if (!Value.Check(BackupManifest, manifest))
    throw new BackupError(
      'Unsupported backup: its backup.json has an unknown format. A newer Fieldstone may have made it.',
    )
  const unexpected = manifest.files.find(({ name }) => !allowedNames.test(name))
  if (unexpected)
    throw new BackupError(`Not a Fieldstone backup: it contains the file ${JSON.stringify(unexpected.name)}.`)
  return manifest
}
