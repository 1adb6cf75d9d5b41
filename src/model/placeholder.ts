import { UpstreamError } from './error.ts'
import type { Value } from './source.ts'

/**
 * Whether a value is one that programs write where they have none, such as -9999 or `<Null>`. It is no value of any
 * publisher. Where a publisher uses one on purpose, its dataset lists it as a sentinel or as "no data".
 */
export function isPlaceholder(value: Value): boolean {
  if (typeof value === 'number') return isPlaceholderNumber(value)
  if (typeof value !== 'string' || value.length > longest) return false
  const text = value.trim()
  return placeholderTexts.has(text.toLowerCase()) || (numberPattern.test(text) && isPlaceholderNumber(Number(text)))
}

/** The error of a placeholder that is no sentinel. */
export function placeholderError(raw: Value): UpstreamError {
  return new UpstreamError('bad_value', `The source returned ${JSON.stringify(raw)} in place of a value.`)
}

const placeholderNumbers = new Set([-9999, -99_999, -999_999, -9_999_999, -32_768, -2_147_483_648])
/** No measurement is larger. Rasters use 1e20 and the limits of 32-bit floats. */
export const magnitudeMax = 1e19

function isPlaceholderNumber(value: number): boolean {
  return placeholderNumbers.has(value) || Math.abs(value) >= magnitudeMax
}

const placeholderTexts = new Set(['<null>', 'null', 'nan', 'n/a', '#n/a', 'undefined'])
const longest = 40
/** A long text of digits alone is an identifier. */
const numberPattern = /^(-\d+|-?\d+\.\d*(e[+-]?\d+)?|-?\d+e[+-]?\d+)$/i
