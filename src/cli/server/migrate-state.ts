import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { pluralize } from '../../model/text.ts'
import { readDatabaseLocation, type DatabaseLocation } from '../../store/postgres/database-location.ts'
import { transferFromPostgres, transferIntoPostgres } from '../../store/postgres/postgres-transfer.ts'
import { transferFromFolder, transferIntoFolder } from '../../store/sqlite/sqlite-transfer.ts'
import { transferState, type TransferCount } from '../../store/state-transfer.ts'
import { exitCodes } from '../exit-codes.ts'
import { toShellWord } from '../shell-word.ts'
import { UsageError } from '../usage-error.ts'

/** `fieldstone migrate-state --to <target>`: copies the state from the data folder to PostgreSQL, or back. */
export async function migrateStateCommand(
  to: string,
  { data, database }: Pick<Config, 'data' | 'database'>,
  print: (line: string) => void,
): Promise<number> {
  const target = readTarget(to)
  if (database === null && typeof target === 'string')
    throw new UsageError(
      'To copy into a folder, set FIELDSTONE_DATABASE to the database to copy from. To copy a data folder into another one, use `fieldstone backup` and `fieldstone restore`.',
    )
  if (database !== null && typeof target !== 'string')
    throw new UsageError(
      'FIELDSTONE_DATABASE and --to are both databases. To copy from the data folder, remove FIELDSTONE_DATABASE. To copy one database into another, use pg_dump and pg_restore.',
    )
  const counts = typeof target === 'string' ? await copyToFolder(database!, target) : await copyToDatabase(data, target)
  for (const { table, rows } of counts) print(`${table}: ${pluralize(rows, 'row')}`)
  const total = counts.reduce((sum, { rows }) => sum + rows, 0)
  const [from, into] = typeof target === 'string' ? [database!.address, target] : [data, target.address]
  print(`Copied ${pluralize(total, 'row')} from ${from} to ${into}, and verified each table.`)
  print(
    typeof target === 'string'
      ? `To use the copy, remove FIELDSTONE_DATABASE, copy the packs and catalog.d of your data folder into ${target}, and run: fieldstone serve --data ${toShellWord(target)}`
      : 'To use the copy, set FIELDSTONE_DATABASE to the URL of --to, and start the server.',
  )
  return exitCodes.ok
}

function readTarget(to: string): DatabaseLocation | string {
  if (to === '')
    throw new UsageError('No target given. Usage: `fieldstone migrate-state --to postgres://…` or `--to <folder>`.')
  if (!/^[a-z][\w+.-]*:\/\//i.test(to)) return resolve(to)
  const read = readDatabaseLocation('--to', to)
  if ('problem' in read) throw new UsageError(read.problem)
  return read.location
}

function copyToDatabase(data: string, target: DatabaseLocation): Promise<TransferCount[]> {
  return transferFromFolder(data, (from) =>
    transferIntoPostgres(target, (into) => transferState(into.tables, from, into)),
  )
}

function copyToFolder(database: DatabaseLocation, target: string): Promise<TransferCount[]> {
  return transferFromPostgres(database, (from) =>
    transferIntoFolder(target, (into) => transferState(from.tables, from, into)),
  )
}
