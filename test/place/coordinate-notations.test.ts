import { expect, test } from 'bun:test'
import { parseCoordinates } from '../../src/geo/text/parse-coordinates.ts'
import { seededRandom } from '../areas/random-polygons.ts'

type Angle = { degrees: number; minutes: number; seconds: number; decimal: number; letter: string; sign: string }

/** An angle in whole tenths of a second, so that each notation can write it exactly. */
function angleOf(tenths: number, [positive, negative]: [string, string]): Angle {
  const size = Math.abs(tenths)
  return {
    degrees: Math.floor(size / 36_000),
    minutes: Math.floor((size % 36_000) / 600),
    seconds: (size % 600) / 10,
    decimal: tenths / 36_000,
    letter: tenths < 0 ? negative : positive,
    sign: tenths < 0 ? '-' : '',
  }
}

const decimalMinutes = ({ minutes, seconds }: Angle) => (minutes + seconds / 60).toFixed(5)
const whole = ({ degrees, minutes, seconds }: Angle, [first, second, third]: readonly [string, string, string]) =>
  `${degrees}${first}${minutes}${second}${seconds.toFixed(1)}${third}`
const inSeconds =
  (...marks: [string, string, string]) =>
  (it: Angle) =>
    `${whole(it, marks)}${it.letter}`

/** Degrees, minutes and seconds without anything between them. A longitude has three digits of degrees. */
const packed = ({ degrees, minutes, seconds, letter }: Angle) =>
  `${String(degrees).padStart(/[EW]/.test(letter) ? 3 : 2, '0')}${String(minutes).padStart(2, '0')}${seconds.toFixed(1).padStart(4, '0')}`

/** How each notation writes an angle, and what is between the two. */
const notations: [name: string, write: (angle: Angle) => string, between: string][] = [
  ['decimal degrees', ({ decimal }) => decimal.toFixed(6), ', '],
  ['decimal degrees with a space', ({ decimal }) => decimal.toFixed(6), ' '],
  ['decimal degrees with a letter', ({ decimal, letter }) => `${Math.abs(decimal).toFixed(6)}${letter}`, ' '],
  ['a letter ahead', ({ decimal, letter }) => `${letter} ${Math.abs(decimal).toFixed(6)}`, ', '],
  ['hyphens, as the FAA writes', inSeconds('-', '-', ''), ','],
  ['hyphens without a comma', inSeconds('-', '-', ''), ' '],
  ['en dashes', inSeconds('–', '–', ''), ', '],
  ['non-breaking hyphens', inSeconds('‑', '‑', ''), ', '],
  ['hyphens and a letter ahead', (it) => `${it.letter}${whole(it, ['-', '-', ''])}`, ' '],
  ['hyphens and a sign', (it) => `${it.sign}${whole(it, ['-', '-', ''])}`, ', '],
  ['hyphens and decimal minutes', (it) => `${it.degrees}-${decimalMinutes(it)}${it.letter}`, ' '],
  ['colons', inSeconds(':', ':', ''), ' '],
  ['colons and a sign', (it) => `${it.sign}${whole(it, [':', ':', ''])}`, ', '],
  ['spaces', inSeconds(' ', ' ', ' '), ' '],
  ['spaces and a sign', (it) => `${it.sign}${whole(it, [' ', ' ', ''])}`, ', '],
  ['spaces and decimal minutes', (it) => `${it.sign}${it.degrees} ${decimalMinutes(it)}`, ', '],
  ['degrees and minutes with marks', (it) => `${it.sign}${it.degrees}°${decimalMinutes(it)}'`, ' '],
  ['marks', inSeconds('°', "'", '"'), ' '],
  ['marks and a sign', (it) => `${it.sign}${whole(it, ['°', "'", '"'])}`, ' '],
  ['packed digits', (it) => `${packed(it)} ${it.letter}`, ','],
  ['packed digits and a letter ahead', (it) => `${it.letter}${packed(it)}`, ' '],
  ['typographic marks', inSeconds('º', '’', '”'), ' '],
]
/** A tenth of a second is three meters, and decimal minutes have five digits. */
const tolerance_degrees = 2e-6

test.each(notations)('1,000 coordinates are found as written: %s', (_name, write, between) => {
  const random = seededRandom(43)
  const wrong: string[] = []
  for (let i = 0; i < 1000; i++) {
    const lat = angleOf(Math.round((25 + 23 * random()) * 36_000), ['N', 'S'])
    const lng = angleOf(-Math.round((68 + 56 * random()) * 36_000), ['E', 'W'])
    const text = `${write(lat)}${between}${write(lng)}`
    const found = parseCoordinates(text)
    const error = found
      ? Math.max(Math.abs(found.lat - lat.decimal), Math.abs(found.lng - lng.decimal))
      : Number.POSITIVE_INFINITY
    if (found?.kind !== 'coordinates' || error > tolerance_degrees) wrong.push(`${text}: ${JSON.stringify(found)}`)
  }
  expect(wrong.slice(0, 3)).toEqual([])
})

test.each(['39°44\'-21" N 104°59\'25" W', '39 -44 21 N 104 59 25 W', '39-74-21N, 104-59-25W'])(
  '%s is not a coordinate: it fits no notation, or two',
  (text) => expect(parseCoordinates(text)).toBeNull(),
)

test('a hyphen that is not before minutes is a sign', () => {
  expect(parseCoordinates('39.74-104.99')).toEqual({ kind: 'coordinates', lat: 39.74, lng: -104.99 })
  expect(parseCoordinates('39-104.99W')).toEqual({ kind: 'coordinates', lat: 39, lng: -104.99 })
  expect(parseCoordinates('39.74N-104.99W')).toEqual({ kind: 'coordinates', lat: 39.74, lng: -104.99 })
})
