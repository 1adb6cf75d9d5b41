import type { Dialect, SqlPools } from '../sql.ts'

/** The usage of an account on one day at one endpoint. `source` is empty for the total of the endpoint. */
export type UsageRow = {
  account_id: string
  day: string
  endpoint: string
  source: string
  requests: number
  fields: number
  metered_calls: number
}

/**
 * Units of an account that count toward a limit in a window. The window starts on a UTC day, such as 2026-11-23, or at
 * a minute, such as 2026-11-23T14:05.
 */
export type QuotaRow = { account_id: string; window_start: string; units: number }

/** Allocates as many units of a window as remain, at most `max`; none if fewer than `min` remain. */
type QuotaAllocation = { account_id: string; window_start: string; limit: number; min: number; max: number }

/** The usage counters, and those of the limits. */
export type LimitStore = {
  addUsage(rows: readonly UsageRow[]): Promise<void>
  /** The rows of an account between two days, inclusive, newest day first. */
  listUsage(account_id: string, from: string, to: string): Promise<UsageRow[]>
  /** Adds units, also beyond the limit. A negative number returns allocated units, at most all. */
  addQuota(rows: readonly QuotaRow[]): Promise<void>
  /** Adds units, but not beyond the limit. Returns how many, and the units of the window after that. */
  allocate(request: QuotaAllocation): Promise<{ granted: number; units: number }>
  /** Returns the units of an account in a window. */
  quotaOf(account_id: string, window_start: string): Promise<number>
  /** Deletes the usage before a day, and the units before a day and a minute. */
  sweep(before: { usage: string; day: string; minute: string }): Promise<void>
}

/** Returns the units that an allocation gets if `used` units are already allocated. */
function grantedUnits({ limit, min, max }: QuotaAllocation, used: number): number {
  const remaining = limit - used
  return remaining < min ? 0 : Math.max(0, Math.min(max, remaining))
}

/** Creates the limit store. */
export function createLimits({ quick, work }: SqlPools): LimitStore {
  const { dialect } = quick
  const [addUsage, addQuota] = [addUsageWith(dialect), addQuotaWith(dialect)]
  const findUnitsToChange = `${findUnits} ${dialect.forUpdate}`
  return {
    addUsage: (rows) => quick.write((sql) => sql.runEach(addUsage, sumByKey(rows, usageKey, addCounts))),
    listUsage: (account_id, from, to) => quick.all(listUsage, { account_id, from, to }),
    addQuota: (rows) => quick.write((sql) => sql.runEach(addQuota, sumByKey(rows, quotaKey, addUnits))),
    allocate: (request) =>
      quick.write(function* (sql) {
        const { account_id, window_start } = request
        const key = { account_id, window_start }
        let found = yield* sql.get<QuotaRow>(findUnitsToChange, key)
        if (!found) {
          yield* sql.run(addWindow, key)
          found = yield* sql.get<QuotaRow>(findUnitsToChange, key)
        }
        const used = found!.units
        const granted = grantedUnits(request, used)
        const units = used + granted
        if (granted > 0) yield* sql.run(setUnits, { account_id, window_start, units })
        return { granted, units }
      }),
    async quotaOf(account_id, window_start) {
      return (await quick.get<QuotaRow>(findUnits, { account_id, window_start }))?.units ?? 0
    },
    sweep: ({ usage, day, minute }) =>
      work.write(function* (sql) {
        yield* sql.run('DELETE FROM usage WHERE day < $usage', { usage })
        yield* sql.run("DELETE FROM quota_usage WHERE day < $day OR (day LIKE '%T%' AND day < $minute)", {
          day,
          minute,
        })
      }),
  }
}

const hasKey = 'account_id = $account_id AND day = $window_start'
const findUnits = `SELECT units FROM quota_usage WHERE ${hasKey}`
const setUnits = `UPDATE quota_usage SET units = $units WHERE ${hasKey}`
const addWindow =
  'INSERT INTO quota_usage (account_id, day, units) VALUES ($account_id, $window_start, 0) ON CONFLICT DO NOTHING'

const addUsageWith = ({ recordStatement }: Dialect) =>
  recordStatement(
    {
      account_id: 'text',
      day: 'text',
      endpoint: 'text',
      source: 'text',
      requests: 'bigint',
      fields: 'bigint',
      metered_calls: 'bigint',
    },
    (value, from) =>
      `INSERT INTO usage (account_id, day, endpoint, source, requests, fields, metered_calls)
       SELECT ${value('account_id')}, ${value('day')}, ${value('endpoint')}, ${value('source')}, ${value('requests')},
         ${value('fields')}, ${value('metered_calls')} ${from} WHERE true
       ON CONFLICT (account_id, day, endpoint, source) DO UPDATE SET requests = usage.requests + excluded.requests,
         fields = usage.fields + excluded.fields, metered_calls = usage.metered_calls + excluded.metered_calls`,
  )

const addQuotaWith = ({ recordStatement }: Dialect) =>
  recordStatement(
    { account_id: 'text', window_start: 'text', units: 'bigint' },
    (value, from) =>
      `INSERT INTO quota_usage (account_id, day, units)
       SELECT ${value('account_id')}, ${value('window_start')}, ${value('units')} ${from} WHERE true
       ON CONFLICT (account_id, day) DO UPDATE SET units = ${notNegative('quota_usage.units + excluded.units')}`,
  )

const notNegative = (units: string) => `CASE WHEN ${units} > 0 THEN ${units} ELSE 0 END`
const usageKey = ({ account_id, day, endpoint, source }: UsageRow) => [account_id, day, endpoint, source].join('\n')
const quotaKey = ({ account_id, window_start }: QuotaRow) => [account_id, window_start].join('\n')
const addUnits = (a: QuotaRow, b: QuotaRow): QuotaRow => ({ ...a, units: a.units + b.units })
const addCounts = (a: UsageRow, b: UsageRow): UsageRow => ({
  ...a,
  requests: a.requests + b.requests,
  fields: a.fields + b.fields,
  metered_calls: a.metered_calls + b.metered_calls,
})

/**
 * Adds up rows with the same key. The result is in the order of the keys, so that two processes that add the same rows
 * do not wait for each other.
 */
function sumByKey<Row>(rows: readonly Row[], keyOf: (row: Row) => string, add: (a: Row, b: Row) => Row): Row[] {
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const key = keyOf(row)
    const sum = sums.get(key)
    sums.set(key, sum ? add(sum, row) : row)
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

const listUsage = `SELECT account_id, day, endpoint, source, requests, fields, metered_calls FROM usage
  WHERE account_id = $account_id AND day BETWEEN $from AND $to ORDER BY day DESC, endpoint, source`
