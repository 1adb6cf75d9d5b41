import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BackupError } from '../../backup/backup-error.ts'
import { settingsFile, type BackupManifest } from '../../backup/backup-manifest.ts'
import { restoreBackup } from '../../backup/restore.ts'
import type { Config } from '../../config.ts'
import { pluralize } from '../../model/text.ts'
import { exitCodes } from '../exit-codes.ts'
import { requireFolderState } from './writable-state.ts'
import { describeRowCounts } from './backup.ts'
import { toShellWord } from '../shell-word.ts'
import { UsageError } from '../usage-error.ts'

/** `fieldstone restore <file> --data <folder>`: verifies a backup and creates a data folder from it. */
export function restoreCommand(
  [file]: string[],
  config: Config,
  { print, printError }: { print(line: string): void; printError(line: string): void },
): number {
  if (file === undefined)
    throw new UsageError('No backup file given. Usage: `fieldstone restore <file> --data <folder>`.')
  requireFolderState(config)
  const { data } = config
  try {
    const manifest = restoreBackup(resolve(file), data, new Date())
    const { rows, created_at, version } = manifest
    print(`Restored ${data} from ${created_at} (Fieldstone ${version}): ${describeRowCounts(rows)}.`)
    for (const line of missingPackLines(manifest, join(data, 'packs'))) print(line)
    print(
      `A backup contains no API keys: set them again. The other settings are in ${join(data, settingsFile)}. To use them, run:`,
    )
    print(`  fieldstone serve --data ${toShellWord(data)} --env-file ${toShellWord(join(data, settingsFile))}`)
    return exitCodes.ok
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    printError(error.message)
    return exitCodes.failure
  }
}

function missingPackLines({ packs }: BackupManifest, folder: string): string[] {
  const missing = packs.filter(
    ({ name, bytes }) => !existsSync(join(folder, name)) || statSync(join(folder, name)).size !== bytes,
  )
  return missing.length === 0
    ? []
    : [
        `Copy these packs into ${folder}: ${missing.map(({ name, bytes }) => `${name} (${pluralize(bytes, 'byte')})`).join(', ')}.`,
      ]
}
