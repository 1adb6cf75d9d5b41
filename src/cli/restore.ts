import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BackupRefused } from '../backup/backup-refused.ts'
import { settingsFile, type Contents } from '../backup/contents.ts'
import { restore } from '../backup/restore.ts'
import type { Config } from '../config.ts'
import { pluralize } from '../model/pluralize.ts'
import { exits } from './exits.ts'
import { rowsHeld } from './rows-held.ts'
import { shellWord } from './shell-word.ts'
import { UsageError } from './usage-error.ts'

/** `fieldstone restore <file> --data <folder>`: verifies a backup, and makes a new data folder of it. */
export function restoreFrom([file]: string[], { data }: Config, { print, complain }: { print(line: string): void; complain(line: string): void }): number {
  if (file === undefined) throw new UsageError('`fieldstone restore <file> --data <folder>` makes a new data folder of a backup.')
  try {
    const contents = restore(resolve(file), data, new Date())
    const { rows, made_at, version } = contents
    print(`${data}: as it was at ${made_at} (Fieldstone ${version}): ${rowsHeld(rows)}.`)
    for (const line of lackingPacks(contents, join(data, 'packs'))) print(line)
    print(`Keys are not in a backup: set them again. The other settings are in ${join(data, settingsFile)}; to use them:`)
    print(`  fieldstone serve --data ${shellWord(data)} --env-file ${shellWord(join(data, settingsFile))}`)
    return exits.done
  } catch (error) {
    if (!(error instanceof BackupRefused)) throw error
    complain(error.message)
    return exits.refused
  }
}

function lackingPacks({ packs }: Contents, folder: string): string[] {
  const lacking = packs.filter(({ name, bytes }) => !existsSync(join(folder, name)) || statSync(join(folder, name)).size !== bytes)
  return lacking.length === 0 ? [] : [`Packs that it had and that are to be put into ${folder}: ${lacking.map(({ name, bytes }) => `${name} (${pluralize(bytes, 'byte')})`).join(', ')}.`]
}
