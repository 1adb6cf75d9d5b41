import type { Value } from '../../model/source.ts'
import { requireNumber } from '../../geo/attribute.ts'
import type { ComputedFunction } from './function.ts'

/** Days per month, from January. */
const daysPerMonth = [31, 28.25, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const northernSummer = [3, 4, 5, 6, 7, 8]
const northernWinter = [9, 10, 11, 0, 1, 2]

type Months = number[]

/**
 * The Köppen-Geiger class by the rules of Beck et al. (2018), from twelve comma-separated monthly means, January first:
 * `t2m` in degC and `prectotcorr` in mm/day. Ignores a thirteenth value, the yearly mean. null if a month is missing.
 * @throws {UpstreamError} `bad_value` if a month is not a number.
 */
export const koppenGeiger: ComputedFunction = ({ t2m = null, prectotcorr = null }) => {
  const temperature_c = parseMonths(t2m)
  const rain_mm = parseMonths(prectotcorr)?.map((perDay, month) => perDay * daysPerMonth[month]!)
  return temperature_c && rain_mm ? classOf(temperature_c, rain_mm) : null
}

function parseMonths(list: Value): Months | null {
  const months = String(list ?? '')
    .split(',')
    .slice(0, 12)
    .map((month) => (['', '-999'].includes(month.trim()) ? NaN : requireNumber(month)))
  return months.length === 12 && months.every((month) => Number.isFinite(month) && month > -100) ? months : null
}

function classOf(t: Months, rain: Months): string {
  const yearly = {
    mean_c: sum(t) / 12,
    coldest_c: Math.min(...t),
    hottest_c: Math.max(...t),
    rain_mm: sum(rain),
    driest_mm: Math.min(...rain),
  }
  const threshold_mm = 10 * drynessThreshold(yearly.mean_c, rain, t)
  if (yearly.rain_mm < threshold_mm)
    return `B${yearly.rain_mm < threshold_mm / 2 ? 'W' : 'S'}${yearly.mean_c >= 18 ? 'h' : 'k'}`
  if (yearly.coldest_c >= 18) return `A${tropicalSubtype(yearly)}`
  if (yearly.hottest_c <= 10) return yearly.hottest_c > 0 ? 'ET' : 'EF'
  return `${yearly.coldest_c > 0 ? 'C' : 'D'}${drySeason(rain, t)}${warmth(t)}`
}

function drynessThreshold(mean_c: number, rain: Months, t: Months): number {
  const { summer, winter } = seasonsOf(t)
  if (sum(valuesOfMonths(rain, winter)) > 0.7 * sum(rain)) return 2 * mean_c
  return 2 * mean_c + (sum(valuesOfMonths(rain, summer)) > 0.7 * sum(rain) ? 28 : 14)
}

function tropicalSubtype({ rain_mm, driest_mm }: { rain_mm: number; driest_mm: number }): string {
  if (driest_mm >= 60) return 'f'
  return driest_mm >= 100 - rain_mm / 25 ? 'm' : 'w'
}

/** The dry season: `s` for summer, `w` for winter, `f` for none. */
function drySeason(rain: Months, t: Months): string {
  const { summer, winter } = seasonsOf(t)
  const [inSummer, inWinter] = [valuesOfMonths(rain, summer), valuesOfMonths(rain, winter)]
  if (Math.min(...inSummer) < 40 && Math.min(...inSummer) < Math.max(...inWinter) / 3) return 's'
  return Math.min(...inWinter) < Math.max(...inSummer) / 10 ? 'w' : 'f'
}

function warmth(t: Months): string {
  if (Math.max(...t) >= 22) return 'a'
  if (t.filter((month) => month > 10).length >= 4) return 'b'
  return Math.min(...t) < -38 ? 'd' : 'c'
}

/** Summer is the warmer half-year: April to September, or October to March. */
function seasonsOf(t: Months): { summer: number[]; winter: number[] } {
  const isNorthern = sum(valuesOfMonths(t, northernSummer)) >= sum(valuesOfMonths(t, northernWinter))
  return isNorthern
    ? { summer: northernSummer, winter: northernWinter }
    : { summer: northernWinter, winter: northernSummer }
}

function valuesOfMonths(months: Months, monthIndexes: number[]): Months {
  return monthIndexes.map((month) => months[month]!)
}

function sum(months: Months): number {
  return months.reduce((total, month) => total + month, 0)
}
