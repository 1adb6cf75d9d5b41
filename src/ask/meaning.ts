import type { Field } from '../catalog/records.ts'
import { inUnit, unitNamed } from './units.ts'

/** The longest hints of our own catalog have some 400 characters; layers of an operator may have any. */
const hintsMax = 600

/** What the interpretation hints say of just this value; null where they say nothing of it. */
export function meaningOf(value: string | number | boolean, { interpretation_hints, unit }: Pick<Field, 'interpretation_hints' | 'unit'>): string | null {
  const clauses = interpretation_hints.slice(0, hintsMax).split(/(?<=[.;])\s+/).map((clause) => clause.replace(/[.;]$/, ''))
  const found = typeof value === 'number' ? clauses.flatMap((clause) => clause.split(/,\s+(?![^(]*\))/)).flatMap((part) => ofNumber(value, part, unit) ?? []) : clauses.flatMap((clause) => ofKey(String(value), clause) ?? [])
  return found.find((said) => !/^(?:in )?the source$/.test(said))?.replace(/^(?:\([^)]*\)|cm|m|km|ft)\s*:\s*/, '') ?? null
}

/** `A, AE: 1-percent-annual-chance flood area`: keys, a colon, and what they mean. */
function ofKey(value: string, clause: string): string | null {
  const at = clause.indexOf(': ')
  if (at < 0) return null
  const keys = clause.slice(0, at).split(/,\s*|\s+(?:and|or)\s+/).map((key) => key.replace(/^['"]|['"]$/g, ''))
  return keys.includes(value) ? clause.slice(at + 2) : null
}

const spans = /^(-?\d[\d,.]*)\s*(?:-|to)\s*(-?\d[\d,.]*)\s+(?:(?:m|km|cm|mm|ft|in)\s+)?(?:(?:is|means)\s+)?([a-z].*)$/
const bounds = /^(?:(?:and|or)\s+)?(under|below|less than|above|over|more than)\s+(-?\d[\d,.]*)\s*(%|[a-zA-Z]+\b)?:?\s*(.*)$/i

/** `51-100 moderate`, `Under 250 is desert`, `over 50 km interpolate`. */
function ofNumber(value: number, part: string, unit: string | null): string | null {
  const span = spans.exec(part)
  if (span) return value >= numberIn(span[1]!) && value <= numberIn(span[2]!) ? span[3]! : null
  const bound = bounds.exec(part)
  if (!bound) return null
  const [, side, written, word = '', rest = ''] = bound
  const limit = numberIn(written!)
  const named = word === '%' ? '%' : unitNamed(word)
  const compared = named === null ? value : inUnit({ value, unit: unit ?? '' }, named)
  if (compared === null || limit === 0) return null
  const holds = /under|below|less/i.test(side!) ? compared < limit : compared > limit
  const said = (named === null ? `${word} ${rest}` : rest).trim().replace(/^(?:is|means|suggests)\s+/, '')
  return holds && said !== '' ? said : null
}

function numberIn(text: string): number {
  return Number(text.replaceAll(',', ''))
}
