import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alignColumns } from '../question/answer-table.ts'
import { exitCodes } from '../exit-codes.ts'
import { sampleFiles } from './sample-files.ts'
import { UsageError } from '../usage-error.ts'

/**
 * `fieldstone sample <folder>`: writes the small files that the guide uses. Writes nothing if one of them exists,
 * except with --force.
 */
export function sampleCommand(
  [folder]: string[],
  { isForced, print }: { isForced: boolean; print(line: string): void },
): number {
  if (folder === undefined) throw new UsageError('No folder given. Usage: `fieldstone sample <folder>`.')
  mkdirSync(folder, { recursive: true })
  const existing = sampleFiles.filter(({ name }) => existsSync(join(folder, name))).map(({ name }) => name)
  if (existing.length > 0 && !isForced)
    throw new UsageError(
      `${folder} already has ${existing.join(', ')}. Nothing was written. To replace them, add --force.`,
    )
  for (const { name, text } of sampleFiles) writeFileSync(join(folder, name), text, { flag: isForced ? 'w' : 'wx' })
  const rows = sampleFiles.map(({ name, description }) => [join(folder, name), description])
  for (const line of alignColumns(rows)) print(line)
  return exitCodes.ok
}
