import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pluralize } from '../../model/text.ts'
import { corruptStateError, requireFinishedRestore, requireUsableState } from '../../store/sqlite/state-database.ts'
import { findDamagedResults } from '../../store/damaged-results.ts'
import { lockFolder } from '../../store/sqlite/folder-lock.ts'
import { findViolatedInvariants } from '../../store/sqlite/repair/invariants.ts'
import { migrations } from '../../store/migrations.ts'
import { readPragma } from '../../store/sqlite/database-file.ts'
import { openForInspection, requireReadableFolder } from '../../store/sqlite/read-only.ts'
import { recoverState, type RecoveryReport } from '../../store/sqlite/repair/recover.ts'
import { createSqliteSql } from '../../store/sqlite/sqlite-sql.ts'
import { createTransactions } from '../../store/sqlite/transactions.ts'
import { StoreError } from '../../store/storage-error.ts'
import { findIntegrityError } from '../../store/sqlite/repair/integrity-check.ts'
import { exitCodes } from '../exit-codes.ts'
import { warnFinding, passFinding, failFinding, type DoctorFinding } from './doctor-finding.ts'
import { toShellWord } from '../shell-word.ts'

/** Checks the integrity, the version and the invariants of `state.db`, without writing to it. */
export async function checkState(data: string, now: Date): Promise<DoctorFinding> {
  const file = join(data, 'state.db')
  try {
    requireFinishedRestore(data)
    if (!existsSync(file)) return passFinding('state', `${file} does not exist yet. The first start creates it.`)
    requireUsableState(file)
    return await checkStateContents(file, now)
  } catch (error) {
    return failFinding(
      'state',
      error instanceof StoreError ? error.message : corruptStateError(file, (error as Error).message).message,
    )
  }
}

async function checkStateContents(file: string, now: Date): Promise<DoctorFinding> {
  const db = openForInspection(file)
  try {
    const integrityError = findIntegrityError(db)
    if (integrityError !== null) throw corruptStateError(file, integrityError)
    const version = readPragma(db, 'user_version')
    if (version < migrations.length)
      return passFinding(
        'state',
        `${file} is intact. It has schema version ${version}; the next start upgrades it and keeps a copy.`,
      )
    const violations = [
      ...findViolatedInvariants(db, now),
      ...(await findDamagedResults(createSqliteSql(createTransactions(db)))),
    ]
    return violations.length === 0
      ? passFinding('state', `${file} is intact.`)
      : warnFinding(
          'state',
          `${file} passes SQLite's integrity check, but its rows are inconsistent: ${violations.join(' ')} Stop the server and run \`fieldstone doctor --recover\`, which writes a consistent file.`,
        )
  } finally {
    db.close()
  }
}

/**
 * `fieldstone doctor --recover`: copies the readable rows of `state.db` into a new file, and prints what was lost and
 * what to do.
 */
export function recoverCommand(data: string, now: Date, print: (line: string) => void): number {
  const file = join(data, 'state.db')
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const [recoveredPath, damagedPath] = [
    join(data, `state.recovered-${time}.db`),
    join(data, `state.damaged-${time}.db`),
  ]
  const { tables, remarks } = recoverExclusively(data, file, recoveredPath, now)
  for (const { table, rows, damaged: isDamaged } of tables)
    print(`${table}: ${pluralize(rows, 'row')}${isDamaged ? '; some rows could not be read' : ''}`)
  for (const remark of remarks) print(remark)
  const isLossless = remarks.length === 0 && tables.every((it) => !it.damaged)
  print(isLossless ? 'Nothing was lost.' : 'The unreadable rows are lost. A backup may contain them.')
  print(`${recoveredPath} is intact, and ${file} is unchanged. To use the new file, stop the server and run:`)
  print(
    `  mv ${[file, damagedPath].map(toShellWord).join(' ')} && rm -f ${[`${file}-wal`, `${file}-shm`].map(toShellWord).join(' ')} && mv ${[recoveredPath, file].map(toShellWord).join(' ')}`,
  )
  return isLossless ? exitCodes.ok : exitCodes.failure
}

/** Locks the folder during the recovery, so that no server writes to the database while it is copied. */
function recoverExclusively(data: string, file: string, into: string, now: Date): RecoveryReport {
  if (existsSync(data)) requireReadableFolder(data)
  if (!existsSync(file))
    throw new StoreError(`${file} does not exist, so there is nothing to recover. Set --data to the data folder.`)
  const unlock = lockFolder(data)
  try {
    return recoverState(file, into, now)
  } finally {
    unlock()
  }
}
