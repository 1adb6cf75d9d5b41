import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BackupError } from './backup-error.ts'

const Checksum = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })

/** What a backup says of itself in its first file, `backup.json`: what it was made of, the files that follow with their checksums, and the packs that are not in it. */
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

/** What may be in one: nothing of another name is ever written anywhere. */
const allowedNames = /^(?:state\.db|settings\.env|catalog\.d\/[^/\\.\0][^/\\\0]*\.json)$/

/** Reads what a backup says of itself. */
export function parseBackupManifest(text: string): BackupManifest {
  const manifest = parseJson(text)
  if (!Value.Check(BackupManifest, manifest))
    throw new BackupError(
      'It is no backup that this Fieldstone can read: its backup.json has another form. A newer Fieldstone may have made it.',
    )
  const unexpected = manifest.files.find(({ name }) => !allowedNames.test(name))
  if (unexpected)
    throw new BackupError(`It is no backup of Fieldstone: there is a file ${JSON.stringify(unexpected.name)} in it.`)
  return manifest
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new BackupError('It is no backup of Fieldstone: its backup.json is no JSON.', { cause })
  }
}
