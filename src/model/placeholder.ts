import { UpstreamError } from './error.ts'
import type { Value } from './source.ts'

/**
 * Whether a value is one that programs write where they have none, such as -9999 or `<Null>`. It is no value of any
 * publisher. Where a publisher uses one on purpose, its dataset lists it as a sentinel or as "no data".
 */
export function isPlaceholder(value: Value): boolean {
  if (typeof value === 'number') return isPlaceholderNumber(value)
  if (typeof value !== 'string') return false
  if (markupPattern.test(value) || exceptionPattern.test(value) || messagePattern.test(value)) return true
  if (value.length > longest) return false
  const text = value.trim()
  return placeholderTexts.has(text.toLowerCase()) || (numberPattern.test(text) && isPlaceholderNumber(Number(text)))
}

/** Whether a value is a text of marks alone, such as `--`. A formula may compare it; a field cannot have it. */
export function isMark(value: Value): boolean {
  return typeof value === 'string' && value !== '' && !/[\p{L}\p{N}]/u.test(value)
}

/** The error of a placeholder that is no sentinel. */
export function placeholderError(raw: Value): UpstreamError {
  return new UpstreamError('bad_value', `The source returned ${JSON.stringify(raw)} in place of a value.`)
}

/** The limits of integers. -999, -9999.9 and so on are recognized by their digits. */
const placeholderNumbers = new Set([-32_767, -32_768, -2_147_483_647, -2_147_483_648, 2_147_483_647, 4_294_967_295])
const ninesPattern = /^-9{3,}(\.9+)?$/
/** No measurement is larger. Rasters use 1e20 and the limits of floats, tables those of 64-bit integers. */
export const magnitudeMax = 2 ** 63
/** The smallest normal 32-bit float. A measurement other than 0 is larger: a smaller float is other data, misread. */
const magnitudeMin = 2 ** -126

function isPlaceholderNumber(value: number): boolean {
  return (
    placeholderNumbers.has(value) ||
    Math.abs(value) >= magnitudeMax ||
    (value !== 0 && Math.abs(value) <= magnitudeMin) ||
    (value <= -999 && ninesPattern.test(String(value)))
  )
}

const placeholderTexts = new Set(
  '<null>|(null)|null|nan|-nan|n/a|#n/a|#value!|#ref!|#div/0!|undefined|infinity|-infinity|-inf|[object object]'.split(
    '|',
  ),
)
/** An error page in place of a text. */
const markupPattern = /<[!/]?[a-z][a-z0-9]{0,20}[\s/>]/i
/** The name of an error in a program, such as `java.lang.NullPointerException`. */
const exceptionPattern = /[a-z](Exception|Error)\b/
/** The message of a service that failed. Single words are not enough: they can be names and states. */
const messagePattern = new RegExp(
  [
    '^\\W*(error|fatal|exception)( code)?( \\d+)?:|^ora-\\d{5}:|^traceback \\(',
    '^(error|failed|failure|unable) (to|while|when|in|performing|executing|processing|reading|opening|connecting) ',
    '^the (requested )?(service|server|request|resource|operation|query|database) (is|was|has|could|cannot|failed) ',
    '\\b(internal|internal server|unexpected|unknown|database|network|proxy|syntax|unspecified) error\\b',
    '\\b(error (has )?occurred|timed out|connection (refused|reset)|rate limit exceeded|too many requests)\\b',
  ].join('|'),
  'i',
)
const longest = 40
/** A long text of digits alone is an identifier. */
const numberPattern = /^(-\d+|-?\d+\.\d*(e[+-]?\d+)?|-?\d+e[+-]?\d+)$/i
