import type { Field } from '../../catalog/records.ts'
import { withoutBrackets } from '../planner/subject.ts'
import { convertTo, parseUnit } from './units.ts'

/** Hints in the built-in catalog have at most about 400 characters. Those of an overlay can have any length. */
const hintsMax = 600

/**
 * Returns what a value means, or null: the label of its class, else what the interpretation hints say about it, without
 * the parentheses in them.
 */
export function meaningOf(
  value: string | number | boolean,
  { interpretation_hints, class_labels, unit }: Pick<Field, 'interpretation_hints' | 'class_labels' | 'unit'>,
): string | null {
  const label = class_labels?.[String(value)]
  if (label !== undefined) return label
  const clauses = interpretation_hints
    .slice(0, hintsMax)
    .split(/(?<=[.;])\s+/)
    .map((clause) => clause.replace(/[.;]$/, ''))
  const meanings =
    typeof value === 'number'
      ? clauses
          .flatMap((clause) => clause.split(/,\s+(?![^(]*\))/))
          .flatMap((part) => meaningOfNumber(value, part, unit) ?? [])
      : clauses.flatMap((clause) => meaningOfKey(String(value), clause) ?? [])
  const meaning = meanings
    .find((it) => !/^(?:in )?the source$/.test(it))
    ?.replace(/^(?:\([^)]*\)|cm|m|km|ft)\s*:\s*/, '')
  return meaning === undefined ? null : withoutBrackets(meaning).trim() || null
}

/** Parses `A, AE: 1-percent-annual-chance flood area`: keys, a colon, and their meaning. */
function meaningOfKey(value: string, clause: string): string | null {
  const at = clause.indexOf(': ')
  if (at < 0) return null
  const keys = clause
    .slice(0, at)
    .split(/,\s*|\s+(?:and|or)\s+/)
    .map((key) => key.replace(/^['"]|['"]$/g, ''))
  return keys.includes(value) ? clause.slice(at + 2) : null
}

const rangePattern =
  /^(-?\d[\d,.]*)\s*(?:-|to)\s*(-?\d[\d,.]*)\s+(?:(?:m|km|cm|mm|ft|in)\s+)?(?:(?:is|means)\s+)?([a-z].*)$/
const boundPattern =
  /^(?:(?:and|or)\s+)?(under|below|less than|above|over|more than)\s+(-?\d[\d,.]*)\s*(%|[a-zA-Z]+\b)?:?\s*(.*)$/i

/** Parses `51-100 moderate`, `Under 250 is desert`, `over 50 km interpolate`. */
function meaningOfNumber(value: number, part: string, unit: string | null): string | null {
  const range = rangePattern.exec(part)
  if (range) return value >= parseNumber(range[1]!) && value <= parseNumber(range[2]!) ? range[3]! : null
  const bound = boundPattern.exec(part)
  if (!bound) return null
  const [, side, limitText, unitWord = '', rest = ''] = bound
  const limit = parseNumber(limitText!)
  const limitUnit = unitWord === '%' ? '%' : parseUnit(unitWord)
  const comparable = limitUnit === null ? value : convertTo({ value, unit: unit ?? '' }, limitUnit)
  if (comparable === null || limit === 0) return null
  const isMatch = /under|below|less/i.test(side!) ? comparable < limit : comparable > limit
  const meaning = (limitUnit === null ? `${unitWord} ${rest}` : rest).trim().replace(/^(?:is|means|suggests)\s+/, '')
  return isMatch && meaning !== '' ? meaning : null
}

function parseNumber(text: string): number {
  return Number(text.replaceAll(',', ''))
}
