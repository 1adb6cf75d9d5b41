import { expect, test } from 'bun:test'
import { isMonthExpired, monthOf } from '../../src/store/audit.ts'

const day_ms = 86_400_000

test('for every day from 2024 to 2032, and the times around its midnight, a record is kept for at least 30 days and deleted after at most 61', () => {
  const faults: string[] = []
  for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2033, 0, 1); day += day_ms)
    for (const time of [day, day + 1, day + day_ms / 2, day + day_ms - 1]) {
      const month = monthOf(new Date(time))
      if (isMonthExpired(month, new Date(time + 30 * day_ms - 1)))
        faults.push(`${new Date(time).toISOString()} went too early`)
      if (!isMonthExpired(month, new Date(time + 61 * day_ms)))
        faults.push(`${new Date(time).toISOString()} stays too long`)
    }
  expect(faults).toEqual([])
})

test('a month expires exactly 30 days after its end', () => {
  for (let year = 2024; year <= 2032; year++)
    for (let month = 0; month < 12; month++) {
      const end = Date.UTC(year, month + 1, 1)
      const name = monthOf(new Date(Date.UTC(year, month, 15)))
      expect(isMonthExpired(name, new Date(end + 30 * day_ms - 1))).toBe(false)
      expect(isMonthExpired(name, new Date(end + 30 * day_ms))).toBe(true)
    }
})
