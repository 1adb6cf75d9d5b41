import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AppOptions } from '../app.ts'
import { backedUpOf, removeLeftovers } from '../backup/backup.ts'
import { stateFile } from '../backup/contents.ts'
import { ordered } from '../backup/storage-worker.ts'
import type { Config } from '../config.ts'
import { mustBeOpenFolder } from '../store/read-only.ts'
import { StoreError } from '../store/store-error.ts'
import { exits } from './exits.ts'
import { onInterrupt } from './on-interrupt.ts'
import { rowsHeld } from './rows-held.ts'
import { UsageError } from './usage-error.ts'

/** `fieldstone backup <file>`: one file of all that a data folder holds but the packs and what may be lost. Works while the server runs. */
export async function backupTo([file]: string[], { config, house }: { config: Config; house(config: Config): Omit<AppOptions, 'config'> }, { print, complain }: { print(line: string): void; complain(line: string): void }): Promise<number> {
  if (file === undefined) throw new UsageError('`fieldstone backup <file> [--data <folder>]` writes one file.')
  const state = join(config.data, stateFile)
  if (existsSync(config.data)) mustBeOpenFolder(config.data)
  if (!existsSync(state)) throw new StoreError(`There is no ${state}: nothing was ever kept there. --data names the folder that is meant.`)
  const { contents, version, workers } = house(config)
  const interrupted = onInterrupt(() => removeLeftovers(resolve(file)))
  const answer = await ordered({ backup: { ...backedUpOf(config), version, catalog_version: contents.version, file: resolve(file), at: new Date() } }, workers.backup)
  interrupted.over()
  if ('backedUp' in answer) {
    const { bytes, rows, packs } = answer.backedUp
    print(`${resolve(file)}: ${(bytes / 1e6).toFixed(1)} MB, whole. ${rowsHeld(rows)}. Not in it: keys, and packs (${packs} listed).`)
    return exits.done
  }
  complain('failed' in answer ? answer.failed : 'No backup was made.')
  return exits.refused
}
