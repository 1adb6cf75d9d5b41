import { roundedPoint, type Point } from '../map/point.ts'

/** A coordinate that was read from a text; `isTurned`: the longitude stood first. */
export type ReadPoint = { at: Point; isTurned: boolean }

/** The coordinate in a text, in any of the usual forms: decimal, degrees and minutes and seconds, with letters, as a geo: address, in the address of a map. Null when it is none. */
export function coordinatesOf(text: string): ReadPoint | null {
  const given = text.trim()
  const pair = pairOfLink(given) ?? pairOfWords(given)
  if (!pair) return null
  const [first, second] = pair
  const isTurned = first.axis === 'lng' || second.axis === 'lat' || (first.axis === null && second.axis === null && Math.abs(first.degrees) > 90 && Math.abs(second.degrees) <= 90)
  const [lat, lng] = isTurned ? [second.degrees, first.degrees] : [first.degrees, second.degrees]
  if (Math.abs(lat) > 90 || Math.abs(lng) > 360) return null
  return { at: roundedPoint({ lat, lng }), isTurned: isTurned && first.axis === null }
}

type Angle = { degrees: number; axis: 'lat' | 'lng' | null }

const number = '[-+−]?\\d{1,3}(?:[.]\\d{1,12})?'
/** `geo:39.7,-105`, and what maps write into their address: `@39.7,-105,12z`, `?q=39.7,-105`, `#map=12/39.7/-105`. */
const links = [
  new RegExp(`^geo:(${number}),(${number})`, 'i'), new RegExp(`@(${number}),(${number})`), new RegExp(`#map=\\d{1,2}(?:[.]\\d{1,3})?/(${number})/(${number})`),
  new RegExp(`[?&](?:q|ll|query|center)=(${number})(?:,|%2C)(${number})`, 'i'),
]

function pairOfLink(text: string): [Angle, Angle] | null {
  for (const link of links) {
    const found = link.exec(text)
    if (found) return [{ degrees: numberOf(found[1]!), axis: 'lat' }, { degrees: numberOf(found[2]!), axis: 'lng' }]
  }
  return null
}

/** Degrees, then perhaps minutes and seconds, each with its sign. */
const angle = '([-+−]?\\d{1,3}(?:\\.\\d{1,12})?)\\s*(?:°|º|deg)?\\s*(?:(\\d{1,2}(?:\\.\\d{1,10})?)\\s*[\'′’]\\s*)?(?:(\\d{1,2}(?:\\.\\d{1,10})?)\\s*(?:"|″|”|\'\'))?'
const letter = '([NSEWnsew])'
/** Two numbers need something between them; behind a letter or a sign nothing is needed. */
const between = '(?:\\s*[,;/]\\s*|\\s+|(?<=[NSEWnsew°º"″”\'′’]))'
const lettersBefore = new RegExp(`^${letter}\\s*${angle}${between}${letter}\\s*${angle}$`)
const lettersAfter = new RegExp(`^${angle}\\s*${letter}?${between}${angle}\\s*${letter}?$`)
/** Without signs: `39 44 21 N 104 59 25 W`; the groups are those of an angle and its letter. */
const bare = /^(\d{1,3})\s+(\d{1,2}(?:\.\d{1,10})?)(?:\s+(\d{1,2}(?:\.\d{1,10})?))?\s*([NSEWnsew])[\s,;]+(\d{1,3})\s+(\d{1,2}(?:\.\d{1,10})?)(?:\s+(\d{1,2}(?:\.\d{1,10})?))?\s*([NSEWnsew])$/

function pairOfWords(text: string): [Angle, Angle] | null {
  const plain = text.replace(/\b(lat|latitude|lng|lon|long|longitude)\b\s*[:=]?/gi, ' ').replace(/[()[\]{}]/g, ' ').replace(/\s+/g, ' ').trim()
  const spaced = bare.exec(plain) ?? lettersAfter.exec(plain)
  if (spaced) return pairOf(angleOf(spaced[4], spaced.slice(1, 4)), angleOf(spaced[8], spaced.slice(5, 8)))
  const before = lettersBefore.exec(plain)
  return before && pairOf(angleOf(before[1], before.slice(2, 5)), angleOf(before[5], before.slice(6, 9)))
}

/** Both with a letter, one of each axis, or none with one. */
function pairOf(a: Angle | null, b: Angle | null): [Angle, Angle] | null {
  return a && b && (a.axis === null) === (b.axis === null) && (a.axis === null || a.axis !== b.axis) ? [a, b] : null
}

function angleOf(written: string | undefined, [degrees = '', minutes = '0', seconds = '0']: (string | undefined)[]): Angle | null {
  if (Number(minutes) >= 60 || Number(seconds) >= 60) return null
  const side = (written ?? '').toUpperCase()
  const size = Math.abs(numberOf(degrees)) + Number(minutes) / 60 + Number(seconds) / 3600
  const isNegative = /^[-−]/.test(degrees) || side === 'S' || side === 'W'
  return { degrees: isNegative ? -size : size, axis: side === '' ? null : side === 'N' || side === 'S' ? 'lat' : 'lng' }
}

function numberOf(text: string): number {
  return Number(text.replace('−', '-'))
}
