import type { Database, Statement } from 'bun:sqlite'
import { sqliteDialect } from '../dialect.ts'
import { runAtOnce, stepOf, type Sql, type Statements, type SqlValues, type Transaction } from '../sql.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the statements of a connection. Each is prepared once. */
export function createSqliteSql({ db, read, write }: SqliteTransactions): Sql {
  const prepare = createPreparation(db)
  const statements = createStatements(prepare)
  return {
    dialect: sqliteDialect,
    all: <Row>(text: string, values: SqlValues = {}) => read(() => prepare(text).all(values) as Row[]),
    get: <Row>(text: string, values: SqlValues = {}) => read(() => prepare(text).get(values) as Row | null),
    run: (text, values = {}) => write(() => prepare(text).run(values).changes),
    read: (work) => read(() => runAtOnce(work(statements))),
    write: (work) => write(() => runAtOnce(work(statements))),
  }
}

/** Executes statements on a connection, outside of the queue of its transactions. */
export function runOnConnection<T>(db: Database, work: Transaction<T>): T {
  return runAtOnce(work(createStatements(createPreparation(db))))
}

type Preparation = (text: string) => Statement<unknown, [SqlValues]>

function createStatements(prepare: Preparation): Statements {
  return {
    dialect: sqliteDialect,
    all: <Row>(text: string, values: SqlValues = {}) => stepOf(prepare(text).all(values) as Row[]),
    get: <Row>(text: string, values: SqlValues = {}) => stepOf(prepare(text).get(values) as Row | null),
    run: (text, values = {}) => stepOf(prepare(text).run(values).changes),
    runEach(text, records) {
      const statement = prepare(text)
      for (const record of records) statement.run(record)
      return stepOf(undefined)
    },
  }
}

/** The cache of the driver has only 20 statements. */
function createPreparation(db: Database): Preparation {
  const prepared = new Map<string, Statement<unknown, [SqlValues]>>()
  return (text) => {
    let statement = prepared.get(text)
    if (!statement) prepared.set(text, (statement = db.query<unknown, [SqlValues]>(text)))
    return statement
  }
}
