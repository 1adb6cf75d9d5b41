import { UpstreamError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import { requireNumber } from '../../geo/attribute.ts'

const daysPerMonth = [31, 28.25, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const base_c = 18.3

type Limits = (mean_c: number, days: number) => { least: number; most: number }

/** What the total of a month can be, from its mean temperature. */
const limitsOf: Record<string, Limits> = {
  heating: (mean_c, days) => limitsOfDegreeDays(base_c - mean_c, days),
  cooling: (mean_c, days) => limitsOfDegreeDays(mean_c - base_c, days),
  frost: (mean_c, days) => ({ least: mean_c <= 0 ? 10 : 0, most: days + 1 }),
}

/** Days scatter around their mean, so a month has at least the degree days of its mean. */
function limitsOfDegreeDays(degrees: number, days: number) {
  const ofMean = days * Math.max(0, degrees)
  return { least: 0.8 * ofMean - 25, most: 1.2 * ofMean + 3.5 * days }
}

/**
 * The total of a year. NASA POWER does not say whether its climatology has a sum or a mean for the year, and the sums
 * of some of its parameters run over all 20 years. So the months are added, and must fit their temperatures. `months`
 * and `t2m`, in degC, are comma-separated, January first; a thirteenth value is ignored. `kind` is heating, cooling or
 * frost.
 * @throws {UpstreamError} `bad_value` if `year` is neither the sum nor the mean of the months, or a month does not fit.
 */
export function totalOfYear(
  year: Value = null,
  months: Value = null,
  t2m: Value = null,
  kind: Value = null,
): number | null {
  if (year === null || months === null || t2m === null) return null
  const ofMonths = monthsOf(months)
  const total = ofMonths.reduce((sum, ofMonth) => sum + ofMonth, 0)
  if (![total, total / 12].some((it) => Math.abs(it - requireNumber(year)) <= 0.02 * it + 0.1))
    throw new UpstreamError(
      'bad_value',
      `The source returned ${year} for the year, which is neither the sum nor the mean of its months: ${months}.`,
    )
  monthsOf(t2m).forEach((mean_c, month) => {
    const { least, most } = limitsOf[String(kind)]!(mean_c, daysPerMonth[month]!)
    const ofMonth = ofMonths[month]!
    if (ofMonth < least || ofMonth > most)
      throw new UpstreamError(
        'bad_value',
        `The source returned ${ofMonth} for a month with a mean of ${mean_c} degC. Expected ${Math.max(0, least).toFixed(1)} to ${most.toFixed(1)}.`,
      )
  })
  return total
}

function monthsOf(list: Value): number[] {
  const months = String(list).split(',').slice(0, 12).map(requireNumber)
  if (months.length === 12) return months
  throw new UpstreamError('bad_value', `The source returned ${months.length} months. Expected 12.`)
}
