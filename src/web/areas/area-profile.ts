import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { AreaFieldResult } from '../../areas/area-answer.ts'
import type { ChartSeries } from '../charts/series.ts'
import { displayValueOf } from '../value-text.ts'
import { lengthText } from './area-rows.ts'

/** The profile of a raster along a line; null for a result without one. `label`: the title of the field. */
export function profileSeriesOf(
  label: string,
  { value, source, unit }: AreaFieldResult,
  units: UnitSystem,
): ChartSeries | null {
  if (!value || !('profile' in value) || !value.profile?.some(([, number]) => number !== null)) return null
  const distances_m = value.profile.map(([at_m]) => at_m)
  const values = value.profile.map(([, number]) => number)
  const textOf = (number: number) => displayValueOf('', { value: number, unit }, { units }).first
  return {
    kind: 'profile',
    title: `${label} along the line`,
    source: `Source: ${source}.`,
    heading: 'Distance',
    labels: distances_m.map((at_m) => ({ long: lengthText(at_m, units), short: lengthText(at_m, units) })),
    table: [{ name: label, values: values.map((number) => (number === null ? 'no data' : textOf(number))) }],
    values,
    distances_m,
    textOf,
  }
}
