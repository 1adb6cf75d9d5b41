import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pluralize } from '../model/pluralize.ts'
import { corruptStateError, requireUsableState } from '../store/state-database.ts'
import { lockFolder } from '../store/folder-lock.ts'
import { findViolatedInvariants } from '../store/invariants.ts'
import { migrations } from '../store/migrations.ts'
import { readPragma } from '../store/pragma.ts'
import { openForInspection, requireReadableFolder } from '../store/read-only.ts'
import { recoverState, type RecoveryReport } from '../store/recover.ts'
import { StoreError } from '../store/store-error.ts'
import { findIntegrityError } from '../store/integrity-check.ts'
import { exitCodes } from './exit-codes.ts'
import { warnFinding, passFinding, failFinding, type DoctorFinding } from './doctor-finding.ts'
import { toShellWord } from './shell-word.ts'

/** Looks through the whole `state.db`, without changing a byte: whether it is ours, whole, of a version that is known, and whether its rows fit together. */
export function checkState(data: string, now: Date): DoctorFinding {
  const file = join(data, 'state.db')
  if (!existsSync(file)) return passFinding('state', `There is no ${file} yet: the first start makes it.`)
  try {
    requireUsableState(file)
    return checkStateContents(file, now)
  } catch (error) {
    return failFinding(
      'state',
      error instanceof StoreError ? error.message : corruptStateError(file, (error as Error).message).message,
    )
  }
}

function checkStateContents(file: string, now: Date): DoctorFinding {
  const db = openForInspection(file)
  try {
    const integrityError = findIntegrityError(db)
    if (integrityError !== null) throw corruptStateError(file, integrityError)
    const version = readPragma(db, 'user_version')
    if (version < migrations.length)
      return passFinding(
        'state',
        `${file} is whole; its tables are those of version ${version}, and the next start brings them up to date (a copy is kept).`,
      )
    const violations = findViolatedInvariants(db, now)
    return violations.length === 0
      ? passFinding('state', `${file} is whole.`)
      : warnFinding(
          'state',
          `${file} is whole for SQLite, but its rows do not fit together: ${violations.join(' ')} Stop the service; \`fieldstone doctor --recover\` writes a file in which they do.`,
        )
  } finally {
    db.close()
  }
}

/** `fieldstone doctor --recover`: writes what can be read of the state into a new file beside it, and says what was lost and what to do. */
export function recoverCommand(data: string, now: Date, print: (line: string) => void): number {
  const file = join(data, 'state.db')
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const [recoveredPath, damagedPath] = [
    join(data, `state.recovered-${time}.db`),
    join(data, `state.damaged-${time}.db`),
  ]
  const { tables, remarks } = recoverExclusively(data, file, recoveredPath, now)
  for (const { table, rows, damaged: isDamaged } of tables)
    print(`${table}: ${pluralize(rows, 'row')}${isDamaged ? '; a part of it could not be read' : ''}`)
  for (const remark of remarks) print(remark)
  const isLossless = remarks.length === 0 && tables.every((it) => !it.damaged)
  print(isLossless ? 'Nothing was lost.' : 'What could not be read is lost, unless a backup has it.')
  print(`${recoveredPath} is whole, and ${file} is as it was. To go on with the new file, while no service runs:`)
  print(
    `  mv ${[file, damagedPath].map(toShellWord).join(' ')} && rm -f ${[`${file}-wal`, `${file}-shm`].map(toShellWord).join(' ')} && mv ${[recoveredPath, file].map(toShellWord).join(' ')}`,
  )
  return isLossless ? exitCodes.ok : exitCodes.failure
}

/** A database that a service writes to meanwhile would be copied in the middle of it: the folder is taken for as long as it lasts. */
function recoverExclusively(data: string, file: string, into: string, now: Date): RecoveryReport {
  if (existsSync(data)) requireReadableFolder(data)
  if (!existsSync(file))
    throw new StoreError(`There is no ${file}: there is nothing to recover. --data names the folder that is meant.`)
  const unlock = lockFolder(data)
  try {
    return recoverState(file, into, now)
  } finally {
    unlock()
  }
}
