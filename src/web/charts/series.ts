import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import { pluralize } from '../../model/text.ts'
import { dayLengthOf, noonElevationOf, sunDeclinationAt } from '../../geo/sun.ts'

/** A column of the table of a chart. Its values are formatted, one for each label. */
type Column = { name: string; values: string[] }

/**
 * A series of values that belongs to a place: numbers, which a chart shows as bars, classes, or a profile along a line.
 * The table has the same values, and may have more columns.
 */
export type ChartSeries = {
  title: string
  /** Where the values come from. */
  source: string
  /** The name of a row, and its short form below a bar. */
  labels: { long: string; short: string }[]
  heading: string
  table: Column[]
} & (
  | { kind: 'numbers'; values: number[] }
  | { kind: 'classes'; values: string[] }
  | { kind: 'profile'; values: (number | null)[]; distances_m: number[]; textOf: (value: number) => string }
)

/** An answer with the place that it is about. */
type PlaceAnswer = Pick<FetchAnswer, 'lat' | 'lng' | 'fields' | 'fetched_at'>

/** Returns what can be drawn of an answer. */
export function seriesOf(answer: PlaceAnswer): ChartSeries[] {
  const crops = answer.fields.crop_rotation_5y
  return [
    ...(Object.keys(answer.fields).some(isAboutSun) ? [sunSeries(answer)] : []),
    ...(crops?.status === 'ok' && typeof crops.value === 'string' ? [cropSeries(crops, crops.value)] : []),
  ]
}

const sunPrefixes = ['ghi_', 'dni_', 'dhi_', 'clearsky_', 'pv_']

/** Whether a field is about the sun, so that its course through the year belongs to it. */
function isAboutSun(field: string): boolean {
  return field.includes('solstice') || sunPrefixes.some((prefix) => field.startsWith(prefix))
}

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
/** The day of each month that is computed. The solstices fall on it. */
const sunDay = 21

function sunSeries({ lat, fetched_at }: PlaceAnswer): ChartSeries {
  const year = new Date(fetched_at).getUTCFullYear()
  const declinations = monthNames.map((_, month) => sunDeclinationAt(new Date(Date.UTC(year, month, sunDay, 12))))
  const daylight = declinations.map((declination) => dayLengthOf(lat, declination))
  return {
    title: `Hours of daylight on day ${sunDay} of each month`,
    source: `Computed from the latitude for ${year}, with a flat horizon.`,
    heading: 'Month',
    labels: monthNames.map((long) => ({ long, short: long.slice(0, 3) })),
    kind: 'numbers',
    values: daylight,
    table: [
      { name: 'Hours of daylight', values: daylight.map((hours) => hours.toFixed(1)) },
      {
        name: 'Height of the sun at noon',
        values: declinations.map((declination) => `${noonElevationOf(lat, declination).toFixed(1)}°`),
      },
    ],
  }
}

function cropSeries({ source, dataset_vintage }: FieldResult, sequence: string): ChartSeries {
  const crops = sequence.split(' > ')
  const labels = yearsOf(dataset_vintage, crops.length)
  return {
    title: `Crops of the latest ${crops.length} years`,
    source: `Source: ${source}.`,
    heading: 'Year',
    labels: labels.map((label) => ({ long: label, short: label })),
    kind: 'classes',
    values: crops,
    table: [{ name: 'Crop', values: crops }],
  }
}

/** The years of a vintage such as `2021 to 2025`. Without the years, their order. */
function yearsOf(vintage: string | null | undefined, count: number): string[] {
  const [first, last] = (/^(\d{4}) to (\d{4})$/.exec(vintage ?? '') ?? []).slice(1).map(Number)
  return Array.from({ length: count }, (_, i) => {
    if (first !== undefined && last !== undefined && last - first === count - 1) return String(first + i)
    const before = count - 1 - i
    return before === 0 ? 'latest year' : `${pluralize(before, 'year')} before`
  })
}
