import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { utcDayOf } from '../../auth/usage-meter.ts'
import { ValidationError } from '../../model/error.ts'
import type { UsageRow } from '../../store/accounts/limits.ts'
import { createViolation } from '../request/violations.ts'

const day_ms = 86_400_000
const daysDefault = 30
const daysMax = 92

export const usageQuery = {
  from: `First day, such as 2026-11-01. Default: ${daysDefault - 1} days before the last day.`,
  to: `Last day. The range can span at most ${daysMax} days. Default: today.`,
}

/** Returns the usage of an account by day and endpoint, newest day first, each with its sources. */
export async function usageDocument({ id }: Account, query: URLSearchParams, { access: { usage }, now }: App) {
  const to = query.get('to') ?? utcDayOf(now())
  const from = query.get('from') ?? (isDay(to) ? utcDayOf(new Date(Date.parse(to) - (daysDefault - 1) * day_ms)) : '')
  const violations = [
    ['to', to],
    ['from', from],
  ].flatMap(([name = '', day = '']) =>
    isDay(day)
      ? []
      : [createViolation('value_error', ['query', name], 'Input should be a day such as 2026-11-01', day)],
  )
  if (violations.length === 0 && Date.parse(to) - Date.parse(from) >= daysMax * day_ms)
    violations.push(
      createViolation('value_error', ['query', 'from'], `The range should span at most ${daysMax} days`, from),
    )
  if (violations.length > 0) throw new ValidationError(violations)
  const byEndpoint = Map.groupBy(await usage.rowsBetween(id, from, to), ({ day, endpoint }) => `${day} ${endpoint}`)
  return { from, to, items: [...byEndpoint.values()].map(itemOf), next_cursor: null }
}

function itemOf(rows: UsageRow[]) {
  const { day, endpoint } = rows[0]!
  const total = rows.find(({ source }) => source === '')
  const sources = rows.filter(({ source }) => source !== '').map(({ source, ...row }) => ({ source, ...countsOf(row) }))
  return { day, endpoint, ...(total ? countsOf(total) : { requests: 0, fields: 0, metered_calls: 0 }), sources }
}

function countsOf({ requests, fields, metered_calls }: Omit<UsageRow, 'source'>) {
  return { requests, fields, metered_calls }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && utcDayOf(new Date(text)) === text
}
