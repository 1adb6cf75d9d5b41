import type { ReadSpec } from './records.ts'

/** Whether the value of a resolved read, or of one of its fallbacks, comes with a margin of error. */
export function hasMarginOfError(read: ReadSpec): boolean {
  return isEstimate(read) || (read.fallback ?? []).some(hasMarginOfError)
}

function isEstimate(read: ReadSpec): boolean {
  if (read.op === 'computed') return read.proportional_to !== undefined
  if (read.op !== 'row' || !read.margins || read.reducer !== undefined) return false
  const [estimateEnd] = read.margins.suffixes
  return (read.percentage?.whole ?? read.column)?.endsWith(estimateEnd) ?? false
}
