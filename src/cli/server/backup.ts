import { resolve } from 'node:path'
import type { AppOptions } from '../../app.ts'
import { backupOptionsOf } from '../../backup/backup.ts'
import { startBackup } from '../../backup/storage-worker.ts'
import type { Config } from '../../config.ts'
import { exitCodes } from '../exit-codes.ts'
import { onInterrupt } from './stop-signals.ts'
import { UsageError } from '../usage-error.ts'
import { requireFolderState, requireStoredState } from './writable-state.ts'
import { megabytes, pluralize } from '../../model/text.ts'

/**
 * `fieldstone backup <file>`: writes the data folder, without packs and cache, to one file. Works while the server
 * runs.
 */
export async function backupCommand(
  [file]: string[],
  { config, appOptions }: { config: Config; appOptions(config: Config): Omit<AppOptions, 'config'> },
  { print, printError }: { print(line: string): void; printError(line: string): void },
): Promise<number> {
  if (file === undefined) throw new UsageError('No file given. Usage: `fieldstone backup <file> [--data <folder>]`.')
  requireFolderState(config)
  requireStoredState(config.data)
  const { contents, version, workers } = appOptions(config)
  const backup = startBackup(
    {
      ...backupOptionsOf(config),
      version,
      catalog_version: contents.version,
      file: resolve(file),
      at: new Date(),
    },
    workers.backup,
  )
  const interruptHandler = onInterrupt(backup.cancel)
  const result = await backup.result
  interruptHandler.remove()
  if ('backup' in result) {
    const { bytes, rows, packs } = result.backup
    print(
      `${resolve(file)}: ${megabytes(bytes)}, verified. ${describeRowCounts(rows)}. Not included: API keys, and packs (${packs} listed).`,
    )
    return exitCodes.ok
  }
  printError('error' in result ? result.error : 'No backup was made.')
  return exitCodes.failure
}

/** Summarizes the rows of a backup: `1 account, 2 runs, 20 results`. */
export function describeRowCounts({
  accounts = 0,
  runs = 0,
  run_results: results = 0,
}: Record<string, number>): string {
  return [pluralize(accounts, 'account'), pluralize(runs, 'run'), pluralize(results, 'result')].join(', ')
}
