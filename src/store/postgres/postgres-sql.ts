import { postgresDialect } from '../dialect.ts'
import {
  runWithWaits,
  stepOf,
  type Sql,
  type SqlPools,
  type SqlValues,
  type Statements,
  type Transaction,
} from '../sql.ts'
import type { PostgresPool, PostgresPools, PostgresQuery } from './postgres-pool.ts'

/** Creates the statements of both pools. */
export function createPostgresSql({ quick, work }: Pick<PostgresPools, 'quick' | 'work'>): SqlPools {
  return { quick: createPoolSql(quick), work: createPoolSql(work) }
}

/** Creates the statements of a pool. */
export function createPoolSql({ query, transaction }: PostgresPool): Sql {
  const numberParameters = createNumbering()
  const { all, get, run } = createMethods(query, numberParameters)
  const write: Sql['write'] = (work) =>
    transaction((send) => runWithWaits(work(createStatements(send, numberParameters))))
  return { dialect: postgresDialect, all, get, run, read: write, write }
}

/** Executes statements in a transaction that is open already. */
export function runStatements<T>(query: PostgresQuery, work: Transaction<T>): Promise<T> {
  return runWithWaits(work(createStatements(query, createNumbering())))
}

function createStatements(query: PostgresQuery, numberParameters: Numbering): Statements {
  const { all, get, run } = createMethods(query, numberParameters)
  return {
    dialect: postgresDialect,
    all: <Row>(text: string, values?: SqlValues) => stepOf(all<Row>(text, values)),
    get: <Row>(text: string, values?: SqlValues) => stepOf(get<Row>(text, values)),
    run: (text, values) => stepOf(run(text, values)),
    *runEach(text, records) {
      if (records.length > 0) yield* stepOf(run(text, { records: JSON.stringify(records.map(hexOfBytes)) }))
    },
  }
}

function createMethods(query: PostgresQuery, numberParameters: Numbering): Pick<Sql, 'all' | 'get' | 'run'> {
  const send = <Row>(text: string, values: SqlValues = {}) => {
    const { numbered, names } = numberParameters(text)
    return query<Row>(numbered, ...names.map((name) => values[name]!))
  }
  return {
    all: send,
    get: async <Row>(text: string, values?: SqlValues) => (await send<Row>(text, values))[0] ?? null,
    run: async (text, values) => (await send(text, values)).count!,
  }
}

/** Returns a record for JSON, with its bytes as hexadecimal digits. */
export function hexOfBytes(record: SqlValues): SqlValues {
  const entries = Object.entries(record)
  return Object.fromEntries(entries.map(([name, value]) => [name, value instanceof Uint8Array ? value.toHex() : value]))
}

type Numbering = (text: string) => { numbered: string; names: string[] }

/** PostgreSQL numbers the parameters: `$id` becomes `$1`. */
function createNumbering(): Numbering {
  const known = new Map<string, ReturnType<Numbering>>()
  return (text) => {
    let found = known.get(text)
    if (!found) known.set(text, (found = numberParametersOf(text)))
    return found
  }
}

function numberParametersOf(text: string): ReturnType<Numbering> {
  const names: string[] = []
  const numbered = text.replaceAll(/\$([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { numbered, names }
}
