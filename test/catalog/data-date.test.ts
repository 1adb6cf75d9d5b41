import { describe, expect, test } from 'bun:test'
import { datasets } from '../../catalog/contents.ts'
import { dateOfRecords } from '../../src/catalog/data-date.ts'
import type { Dataset } from '../../src/catalog/records.ts'

const now = new Date('2026-11-22T12:00:00Z')
const features: Pick<Dataset, 'shape'> = { shape: 'features' }

function dateOf(records: unknown[], dated_by: Dataset['dated_by'], shape: Dataset['shape'] = 'features') {
  return dateOfRecords(records, { ...datasets.usda_cdl!, ...features, shape, ...(dated_by && { dated_by }) }, now)
}

describe('the date of data is', () => {
  test.each<[string, unknown[], Dataset['dated_by'], string | null]>([
    ['a time in UTC', [{ time: '2026-11-22T05:15:00-05:00' }], { text: '{time}' }, '2026-11-22T10:15:00.000+00:00'],
    ['a day, if the time has no zone', [{ time: '2026-11-22T05:15' }], { text: '{time}' }, '2026-11-22'],
    ['a day in epoch milliseconds', [{ EFF_DATE: 1_416_355_200_000 }], { text: '{EFF_DATE}' }, '2014-11-19'],
    ['a day in US notation', [{ saverest: '9/8/2025 5:54:36 AM' }], { text: '{saverest}' }, '2025-09-08'],
    ['an edition of two members', [{ year: '2026', qtr: 1 }], { text: '{year} Q{qtr}' }, '2026 Q1'],
    [
      'of a part of a document',
      [{ current: { time: '2026-11-22' } }],
      { from: '$.current', text: '{time}' },
      '2026-11-22',
    ],
    [
      'a period, if the records have several',
      [{ t: '2026-07-09' }, { t: '2026-07-01' }],
      { text: '{t}' },
      '2026-07-01 to 2026-07-09',
    ],
    ['unknown without records', [], { text: '{t}' }, null],
    ['unknown if a record states none', [{ t: '2026-07-09' }, { t: null }], { text: '{t}' }, null],
    ['unknown if the member is gone', [{ time: '2026-07-09' }], { text: '{t}' }, null],
    ['unknown at a placeholder in the future', [{ t: '9999-09-09' }], { text: '{t}' }, null],
    ['unknown at a placeholder long ago', [{ t: '0001-01-01T00:00:00Z' }], { text: '{t}' }, null],
    ['unknown if the dataset does not say where it is', [{ t: '2026-07-09' }], undefined, null],
  ])('%s', (_name, records, dated_by, date) => expect(dateOf(records, dated_by)).toBe(date))

  test('the year of the cells of a raster with editions', () => {
    expect(dateOf([{ cells: [1], year: 2025 }], undefined, 'raster')).toBe('2025')
    expect(dateOf([{ year: 2025 }, { year: 2021 }], undefined, 'raster')).toBe('2021 to 2025')
    expect(dateOf([{ cells: [1] }], undefined, 'raster')).toBeNull()
  })
})
