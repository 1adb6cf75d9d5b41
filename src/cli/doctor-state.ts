import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pluralize } from '../model/pluralize.ts'
import { damaged, mustBeOurs } from '../store/database.ts'
import { lockFolder } from '../store/folder-lock.ts'
import { brokenInvariants } from '../store/invariants.ts'
import { migrations } from '../store/migrations.ts'
import { pragma } from '../store/pragma.ts'
import { lookAt, mustBeOpenFolder } from '../store/read-only.ts'
import { recoverState, type Recovered } from '../store/recover.ts'
import { StoreError } from '../store/store-error.ts'
import { faultIn } from '../store/whole.ts'
import { exits } from './exits.ts'
import { faulty, good, unusable, type Found } from './doctor-finding.ts'
import { shellWord } from './shell-word.ts'

/** Looks through the whole `state.db`, without changing a byte: whether it is ours, whole, of a version that is known, and whether its rows fit together. */
export function stateFinding(data: string, now: Date): Found {
  const file = join(data, 'state.db')
  if (!existsSync(file)) return good('state', `There is no ${file} yet: the first start makes it.`)
  try {
    mustBeOurs(file)
    return wholeFinding(file, now)
  } catch (error) {
    return unusable('state', error instanceof StoreError ? error.message : damaged(file, (error as Error).message).message)
  }
}

function wholeFinding(file: string, now: Date): Found {
  const db = lookAt(file)
  try {
    const fault = faultIn(db)
    if (fault !== null) throw damaged(file, fault)
    const version = pragma(db, 'user_version')
    if (version < migrations.length) return good('state', `${file} is whole; its tables are those of version ${version}, and the next start brings them up to date (a copy is kept).`)
    const broken = brokenInvariants(db, now)
    return broken.length === 0 ? good('state', `${file} is whole.`) : faulty('state', `${file} is whole for SQLite, but its rows do not fit together: ${broken.join(' ')} Stop the service; \`fieldstone doctor --recover\` writes a file in which they do.`)
  } finally {
    db.close()
  }
}

/** `fieldstone doctor --recover`: writes what can be read of the state into a new file beside it, and says what was lost and what to do. */
export function recoverHere(data: string, now: Date, print: (line: string) => void): number {
  const file = join(data, 'state.db')
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const [into, aside] = [join(data, `state.recovered-${time}.db`), join(data, `state.damaged-${time}.db`)]
  const { tables, remarks } = recoveredAlone(data, file, into, now)
  for (const { table, rows, damaged: isDamaged } of tables) print(`${table}: ${pluralize(rows, 'row')}${isDamaged ? '; a part of it could not be read' : ''}`)
  for (const remark of remarks) print(remark)
  const isLossless = remarks.length === 0 && tables.every((it) => !it.damaged)
  print(isLossless ? 'Nothing was lost.' : 'What could not be read is lost, unless a backup has it.')
  print(`${into} is whole, and ${file} is as it was. To go on with the new file, while no service runs:`)
  print(`  mv ${[file, aside].map(shellWord).join(' ')} && rm -f ${[`${file}-wal`, `${file}-shm`].map(shellWord).join(' ')} && mv ${[into, file].map(shellWord).join(' ')}`)
  return isLossless ? exits.done : exits.refused
}

/** A database that a service writes to meanwhile would be copied in the middle of it: the folder is taken for as long as it lasts. */
function recoveredAlone(data: string, file: string, into: string, now: Date): Recovered {
  if (existsSync(data)) mustBeOpenFolder(data)
  if (!existsSync(file)) throw new StoreError(`There is no ${file}: there is nothing to recover. --data names the folder that is meant.`)
  const unlock = lockFolder(data)
  try {
    return recoverState(file, into, now)
  } finally {
    unlock()
  }
}
