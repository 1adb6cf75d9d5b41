import type { AreaAnswer, AreaFieldResult } from '../../areas/area-answer.ts'
import { quotedCellOf } from '../../runs/artifacts/csv-cell.ts'

const columns = [
  'field',
  'area_kind',
  'status',
  'part',
  'value',
  'unit',
  'share',
  'share_of_unit',
  'area_m2',
  'length_m',
  'cells',
  'from_m',
  'to_m',
  'covered_share',
  'source',
  'dataset_vintage',
  'reason',
] as const
type Row = Partial<Record<(typeof columns)[number], unknown>>

/** All values of an answer as CSV, one line for each number. */
export function areaCsvOf({ fields }: AreaAnswer): string {
  const rows = Object.entries(fields).flatMap(([field, result]) =>
    rowsOf(result).map((row): Row => ({ ...sharedCells(result), field, ...row })),
  )
  const lines = rows.map((row) => columns.map((column) => quotedCellOf(row[column])).join(','))
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

function sharedCells({ area_kind, status, unit, covered_share, source, dataset_vintage }: AreaFieldResult): Row {
  return { area_kind, status, unit, covered_share, source, dataset_vintage }
}

function rowsOf(result: AreaFieldResult): Row[] {
  const absent = (result.absent_parts ?? []).map((part): Row => ({ part: 'without_value', ...part }))
  if (result.status === 'failed') return [{ reason: result.error }]
  if (result.status === 'absent') return absent.length > 0 ? absent : [{ reason: result.absent_reason }]
  return [...valueRows(result), ...absent]
}

function valueRows({ value }: Extract<AreaFieldResult, { status: 'ok' }>): Row[] {
  const crossings = ('crossings' in value ? (value.crossings ?? []) : []).map((it): Row => ({
    part: 'crossing',
    ...it,
  }))
  if ('classes' in value) return [...value.classes.map((it): Row => ({ part: 'class', ...it })), ...crossings]
  if ('share_true' in value) {
    const { share_true, area_m2, length_m, cells } = value
    return [{ part: 'class', value: true, share: share_true, area_m2, length_m, cells }, ...crossings]
  }
  if ('mean' in value) {
    const { profile = [], cells, ...numbers } = value
    const statistics = Object.entries(numbers).map(([part, it]): Row => ({ part, value: it, cells }))
    return [...statistics, ...profile.map(([from_m, it]): Row => ({ part: 'profile', from_m, value: it }))]
  }
  if ('units' in value) {
    const { units, apportioned_sum } = value
    const sum: Row[] = apportioned_sum === undefined ? [] : [{ part: 'apportioned_sum', value: apportioned_sum }]
    return [...units.map(({ key, ...it }): Row => ({ part: key, ...it })), ...sum]
  }
  if ('count' in value) return [{ part: 'count', ...value, value: value.count }]
  if ('distance_m' in value)
    return [
      { part: 'nearest', value: value.value ?? value.distance_m, from_m: value.distance_m },
      ...Object.entries(value.feature ?? {}).map(([part, it]): Row => ({ part, value: it, unit: null })),
    ]
  return [{ part: 'representative_point', value: value.value }]
}
