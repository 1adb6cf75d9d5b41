import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BackupRefused } from './backup-refused.ts'

const Sum = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })

/** What a backup says of itself in its first file, `backup.json`: what it was made of, the files that follow with their checksums, and the packs that are not in it. */
const Contents = Type.Object({
  format: Type.Literal('fieldstone-backup-1'),
  made_at: Type.String(),
  version: Type.String(),
  catalog_version: Type.String(),
  state_version: Count,
  rows: Type.Record(Type.String(), Count),
  files: Type.Array(Type.Object({ name: Type.String(), bytes: Count, sha256: Sum })),
  packs: Type.Array(Type.Object({ name: Type.String(), bytes: Count, sha256: Type.Union([Sum, Type.Null()]) })),
})
export type Contents = Static<typeof Contents>

export const contentsFile = 'backup.json'
export const stateFile = 'state.db'
export const settingsFile = 'settings.env'

/** What may be in one: nothing of another name is ever written anywhere. */
const named = /^(?:state\.db|settings\.env|catalog\.d\/[^/\\.\0][^/\\\0]*\.json)$/

/** Reads what a backup says of itself. */
export function contentsOf(text: string): Contents {
  const contents = parsed(text)
  if (!Value.Check(Contents, contents)) throw new BackupRefused('It is no backup that this Fieldstone can read: its backup.json has another form. A newer Fieldstone may have made it.')
  const strange = contents.files.find(({ name }) => !named.test(name))
  if (strange) throw new BackupRefused(`It is no backup of Fieldstone: there is a file ${JSON.stringify(strange.name)} in it.`)
  return contents
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new BackupRefused('It is no backup of Fieldstone: its backup.json is no JSON.', { cause })
  }
}
