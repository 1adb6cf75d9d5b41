import { insideUs } from '../geo/us.ts'
import { gridPlaceOf } from './grid-place.ts'

/** A coordinate as text, the right way round or longitude first. */
export type CoordinateText = { kind: 'coordinates'; lat: number; lng: number } | { kind: 'swapped'; lat: number; lng: number; suggestion: string }

/**
 * The coordinate that a text is, or null when it is none: `39.74,-104.99`, `39.74 N 104.99 W`, `39°44'21"N 104°59'3"W`, a grid reference or a
 * plus code. Latitude first is expected: what only makes sense the other way round is swapped; what makes sense in no way is a coordinate too,
 * outside the United States.
 */
export function coordinatesOf(text: string): CoordinateText | null {
  // Before the letters are made equal: that would make an o of one, and a blank and a ring of the other.
  const it = text.replace(/[º˚]/g, '°').normalize('NFKC').toUpperCase().replace(/[−–]/g, '-').trim()
  const named = gridPlaceOf(it)
  if (named) return { kind: 'coordinates', ...named }
  if (it.length > longest || !/^[\d.,;:/ ()[\]+°'"′″’”A-Z-]*$/.test(it)) return null
  const bare = it.replace(/LATITUDE|LONGITUDE|LAT|LNG|LONG|LON/g, ' ').replace(/[()[\]=]/g, ' ').replace(/DEG|°/g, '° ')
  const parts = anglesOf(bare)
  if (!parts) return null
  const [first, second] = parts
  const isNamed = /LAT|L(?:ON|NG)/.test(it)
  const isWritten = isNamed || first.axis !== null || second.axis !== null || it.includes('°') || it.includes(',') || it.includes('.')
  if (!isWritten || (first.axis !== null && first.axis === second.axis)) return null
  const isLongitudeFirst = first.axis === 'lng' || second.axis === 'lat' || /^L(?:ON|NG)/.test(it)
  const at = { lat: first.degrees, lng: second.degrees }
  const turned = { lat: second.degrees, lng: first.degrees }
  const isSwapped = isLongitudeFirst || (!insideUs(at) && (insideUs(turned) || (Math.abs(at.lat) > 90 && Math.abs(at.lat) <= 180 && Math.abs(turned.lat) <= 90)))
  if (!isSwapped) return { kind: 'coordinates', ...at }
  return { kind: 'swapped', ...turned, suggestion: `${turned.lat}, ${turned.lng}` }
}

const longest = 80

type Angle = { degrees: number; axis: 'lat' | 'lng' | null }

/** Two angles, each a decimal or degrees, minutes and seconds, with or without the letter of its half of the globe; none of sixty minutes or more. */
function anglesOf(text: string): [Angle, Angle] | null {
  const pieces = text.match(/[+-]?\d+(?:\.\d*)?|[+-]?\.\d+|[NSEW]|[°'"′″’”,;:/]|\S/g) ?? []
  const angles: Angle[] = []
  let open: { parts: number[]; isNegative: boolean; axis: Angle['axis']; negates: boolean; isDone: boolean } | null = null
  let ahead: string | null = null
  const close = () => {
    if (open) angles.push(angleOf(open))
    open = null
  }
  const isMarked = /['"′″’”]/.test(text) || /[NSEW]/.test(text) && (text.match(/\d+(?:\.\d*)?/g)?.length ?? 0) > 2
  for (const piece of pieces) {
    if (/\d/.test(piece)) {
      if (open && (!isMarked || open.isDone || open.parts.length === 3)) close()
      if (open) open.parts.push(Number(piece))
      else open = { parts: [Math.abs(Number(piece))], isNegative: piece.startsWith('-'), axis: axisOf(ahead), negates: isFar(ahead), isDone: false }
      ahead = null
    } else if (/[NSEW]/.test(piece)) {
      if (open && open.axis === null) {
        open.axis = axisOf(piece)
        open.negates = isFar(piece)
        open.isDone = true
      } else if (ahead === null) {
        close()
        ahead = piece
      } else return null
    } else if (/[,;/]/.test(piece)) close()
    else if (!/[°'"′″’”:]/.test(piece)) return null
  }
  close()
  const [first, second] = angles
  if (!first || !second || angles.length !== 2 || ahead !== null || !Number.isFinite(first.degrees + second.degrees)) return null
  return Math.abs(first.degrees) <= 360 && Math.abs(second.degrees) <= 360 ? [first, second] : null
}

function angleOf({ parts, isNegative, axis, negates }: { parts: number[]; isNegative: boolean; axis: Angle['axis']; negates: boolean }): Angle {
  const [degrees = 0, minutes = 0, seconds = 0] = parts
  const size = minutes < 60 && seconds < 60 ? Number((degrees + minutes / 60 + seconds / 3600).toFixed(7)) : NaN
  return { degrees: isNegative || negates ? -size : size, axis }
}

function axisOf(letter: string | null): Angle['axis'] {
  return letter === null ? null : /[NS]/.test(letter) ? 'lat' : 'lng'
}

function isFar(letter: string | null): boolean {
  return letter === 'S' || letter === 'W'
}
