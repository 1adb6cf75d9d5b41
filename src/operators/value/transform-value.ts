import { numberOf, requireNumber } from '../../geo/attribute.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import { t } from '../operator.ts'

const transformPattern =
  "^(slice\\(\\d+, ?\\d+\\)|prefix\\('[^']*'\\)|year|iso_date|epoch_ms_to_date|fahrenheit_to_celsius|volts_to_kv|power_to_mva)$"

/**
 * A transform: `slice(a,b)`, `prefix('x')`, `year`, `iso_date`, `epoch_ms_to_date`, `fahrenheit_to_celsius`,
 * `volts_to_kv` (the largest of several, separated by semicolons), `power_to_mva` (with its unit).
 */
export const transformSchema = t.String({ pattern: transformPattern })

/** Transforms a value. null stays null. Throws `bad_value` if the value does not fit the transform. */
export function transformValue(value: Value, transform: string): Value {
  if (value === null) return null
  const [name = '', rest = ''] = transform.split('(', 2)
  if (name === 'slice') return sliceText(value, rest)
  if (name === 'prefix') return rest.slice(1, -2) + String(value)
  if (name === 'year') return Number(dateOf(value).slice(0, 4))
  if (name === 'iso_date' || name === 'epoch_ms_to_date') return dateOf(value)
  if (name === 'fahrenheit_to_celsius') return ((requireNumber(value) - 32) * 5) / 9
  if (name === 'volts_to_kv') return Math.max(...String(value).split(';').map(requireNumber)) / 1000
  if (name === 'power_to_mva') return inMegavoltAmperes(String(value))
  throw new Error(`Unknown transform ${transform}.`)
}

const megavoltAmperesByUnit: Record<string, number> = { mva: 1, kva: 1e-3, va: 1e-6 }

function inMegavoltAmperes(text: string): number {
  const [, number = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([kM]?VA)\s*$/i.exec(text) ?? []
  const factor = megavoltAmperesByUnit[unit.toLowerCase()]
  if (factor !== undefined) return Number(number) * factor
  throw new UpstreamError('bad_value', `The source returned ${JSON.stringify(text)}. Expected a power such as 300 MVA.`)
}

function sliceText(value: Value, limits: string): string {
  const [from, to] = limits.slice(0, -1).split(',').map(Number)
  return String(value).slice(from, to)
}

/**
 * Returns YYYY-MM-DD for epoch milliseconds or text that starts with a date. A number from 1000 to 9999 is a year: its
 * first day.
 */
function dateOf(value: Value): string {
  const number = numberOf(value)
  if (number === null) return parseIsoDate(String(value))
  if (Number.isInteger(number) && number >= 1000 && number <= 9999) return `${number}-01-01`
  const date = new Date(number)
  if (Number.isNaN(date.getTime())) throw dateError(value)
  return date.toISOString().replace(/T.*/, '')
}

function parseIsoDate(text: string): string {
  const date = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text.trim())?.[0]
  if (date === undefined || Number.isNaN(Date.parse(date))) throw dateError(text)
  return date
}

function dateError(value: Value): UpstreamError {
  return new UpstreamError('bad_value', `The source returned ${JSON.stringify(value)}. Expected a date.`)
}
