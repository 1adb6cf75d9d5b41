import { t } from '../driver.ts'
import type { Static } from '@sinclair/typebox'

/** A statistic of a column of hourly values. `of` starts the title of the column; `wet_bulb` is computed of others. */
export const statisticSchema = t.Object({
  take: t.Union([
    t.Literal('mean'),
    /** The value that `limit` percent of the hours do not exceed. */
    t.Literal('percentile'),
    /** The hours of a year with at most `limit`. */
    t.Literal('hours_at_most'),
    /** The shape k of the Weibull distribution of wind speeds, from their mean and standard deviation. */
    t.Literal('weibull_shape'),
    /** The number of the sector of 16, from north, that has most of the wind energy: the speed of `weight` cubed. */
    t.Literal('prevailing_sector'),
  ]),
  of: t.String({ minLength: 1 }),
  limit: t.Optional(t.Number()),
  weight: t.Optional(t.String({ minLength: 1 })),
  wet_bulb: t.Optional(
    t.Object({ temperature_degc: t.String(), dew_point_degc: t.String(), pressure_hpa: t.String() }),
  ),
})
type Statistic = Static<typeof statisticSchema>

/** The titles of the columns that a statistic reads. */
export function columnsOf({ of, weight, wet_bulb }: Statistic): string[] {
  return [...(wet_bulb ? Object.values(wet_bulb) : [of]), ...(weight === undefined ? [] : [weight])]
}

/** Computes a statistic of the hours of one or several years. `columnNamed` returns the values of a column. */
export function statisticOf(statistic: Statistic, columnNamed: (title: string) => number[]): number {
  const { take, of, limit = 0, weight = of, wet_bulb } = statistic
  const values = wet_bulb ? wetBulbs(wet_bulb, columnNamed) : columnNamed(of)
  if (take === 'mean') return meanOf(values)
  if (take === 'percentile') return percentileOf(values, limit)
  if (take === 'hours_at_most') return (values.filter((it) => it <= limit).length * hoursOfYear) / values.length
  if (take === 'weibull_shape') return weibullShapeOf(values)
  return prevailingSectorOf(values, columnNamed(weight))
}

const hoursOfYear = 8760

function meanOf(values: number[]): number {
  return values.reduce((sum, it) => sum + it, 0) / values.length
}

/** Interpolates between the two nearest ranks. */
function percentileOf(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = (percent / 100) * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!]
  return low + (high - low) * (rank - Math.floor(rank))
}

/** The empirical method of Justus: (standard deviation / mean) to the power of -1.086. */
function weibullShapeOf(speeds: number[]): number {
  const mean = meanOf(speeds)
  const deviation = Math.sqrt(meanOf(speeds.map((speed) => (speed - mean) ** 2)))
  return (deviation / mean) ** -1.086
}

const sectors = 16

function prevailingSectorOf(directions_degrees: number[], speeds: number[]): number {
  const energies = Array.from({ length: sectors }, () => 0)
  directions_degrees.forEach((degrees, i) => {
    energies[Math.round(degrees / (360 / sectors)) % sectors]! += speeds[i]! ** 3
  })
  return energies.indexOf(Math.max(...energies))
}

function wetBulbs(
  { temperature_degc, dew_point_degc, pressure_hpa }: NonNullable<Statistic['wet_bulb']>,
  columnNamed: (title: string) => number[],
): number[] {
  const [dewPoints, pressures] = [columnNamed(dew_point_degc), columnNamed(pressure_hpa)]
  return columnNamed(temperature_degc).map((temperature, i) => wetBulbOf(temperature, dewPoints[i]!, pressures[i]!))
}

/** The psychrometer coefficient of a ventilated wet bulb, per degree. */
const psychrometer = 0.000_662

/** Solves the psychrometer equation between the dew point and the temperature by bisection. */
function wetBulbOf(temperature_degc: number, dewPoint_degc: number, pressure_hpa: number): number {
  const vapor_hpa = saturation_hpa(dewPoint_degc)
  let [low, high] = [Math.min(dewPoint_degc, temperature_degc), temperature_degc]
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    const excess = saturation_hpa(middle) - psychrometer * pressure_hpa * (temperature_degc - middle) - vapor_hpa
    if (excess > 0) high = middle
    else low = middle
  }
  return (low + high) / 2
}

/** The pressure of saturated water vapor over water (Magnus formula). */
function saturation_hpa(temperature_degc: number): number {
  return 6.112 * Math.exp((17.62 * temperature_degc) / (243.12 + temperature_degc))
}
