import { insideUs } from '../us.ts'
import { parseGridReference } from './grid-reference.ts'

/** A coordinate from text, in the right order or with longitude first. */
export type ParsedCoordinates =
  { kind: 'coordinates'; lat: number; lng: number } | { kind: 'swapped'; lat: number; lng: number; suggestion: string }

const number = '[-+−]?\\d{1,3}(?:[.]\\d{1,12})?'
/** Matches `geo:39.7,-105` and map URLs: `@39.7,-105,12z`, `?q=39.7,-105`, `#map=12/39.7/-105`. */
const linkPatterns = [
  new RegExp(`^geo:(${number}),(${number})`, 'i'),
  new RegExp(`^https?:.*@(${number}),(${number})`, 'i'),
  new RegExp(`#map=\\d{1,2}(?:[.]\\d{1,3})?/(${number})/(${number})`),
  new RegExp(`[?&](?:q|ll|query|center)=(${number})(?:,|%2C)(${number})`, 'i'),
]
/** Matches `POINT (-105 39.7)` of well-known text, with the longitude first. */
const pointPattern = new RegExp(`^POINT ?\\( ?(${number}) (${number}) ?\\)$`, 'i')

/** Returns the coordinate of a link or of a point in well-known text as `lat, lng`; otherwise the text. */
function pairOf(text: string): string {
  // Most texts are addresses or pairs, and have none of these characters.
  if (!/[:=(]/.test(text)) return text
  const [, lng, lat] = pointPattern.exec(text) ?? []
  if (lat !== undefined) return `${lat}, ${lng}`
  const match = linkPatterns.map((link) => link.exec(text)).find((it) => it)
  return match ? `${match[1]}, ${match[2]}` : text
}

/**
 * Parses a coordinate, or returns null if the text is not one: `39.74,-104.99`, `39.74 N 104.99 W`, `39°44'21"N
 * 104°59'3"W`, `POINT (-104.99 39.74)`, `geo:39.74,-104.99`, the URL of a map, a grid reference or a plus code. Latitude
 * is expected first, except in `POINT`; a pair that is valid only in the other order is `swapped`. A pair that is valid in neither order is returned as a coordinate outside the United States.
 */
export function parseCoordinates(text: string): ParsedCoordinates | null {
  // Must precede NFKC, which turns º into the letter o and ˚ into a space and a combining ring.
  const normalized = pairOf(text.trim())
    .replace(/[º˚]/g, '°')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[−–‐]/g, '-')
    .trim()
  const gridPoint = parseGridReference(normalized)
  if (gridPoint) return { kind: 'coordinates', ...gridPoint }
  if (normalized.length > maxLength || !/^[\d.,;:/ ()[\]+°'"′″’”A-Z-]*$/.test(normalized)) return null
  const angleText = withoutHyphens(
    unpacked(normalized)
      .replace(/LATITUDE|LONGITUDE|LAT|LNG|LONG|LON/g, ' ')
      .replace(/[()[\]=]/g, ' ')
      .replace(/DEG|°/g, '° '),
  )
  const parts = parseAngles(angleText)
  if (!parts) return null
  const [first, second] = parts
  const hasAxisName = /LAT|L(?:ON|NG)/.test(normalized)
  const isCoordinateLike =
    hasAxisName ||
    first.axis !== null ||
    second.axis !== null ||
    normalized.includes('°') ||
    normalized.includes(',') ||
    normalized.includes('.')
  if (!isCoordinateLike || (first.axis !== null && first.axis === second.axis)) return null
  const isLongitudeFirst = first.axis === 'lng' || second.axis === 'lat' || /^L(?:ON|NG)/.test(normalized)
  const at = { lat: first.degrees, lng: second.degrees }
  const swapped = { lat: second.degrees, lng: first.degrees }
  const isSwapped =
    isLongitudeFirst ||
    (!insideUs(at) &&
      (insideUs(swapped) || (Math.abs(at.lat) > 90 && Math.abs(at.lat) <= 180 && Math.abs(swapped.lat) <= 90)))
  if (!isSwapped) return { kind: 'coordinates', ...at }
  return { kind: 'swapped', ...swapped, suggestion: `${swapped.lat}, ${swapped.lng}` }
}

/** Returns the pairs of decimal degrees in a text, such as a question. */
export function coordinatesIn(text: string): string[] {
  return text.match(/(?<![\d.-])[-+−]?\d{1,3}\.\d{1,12}\s?,\s?[-+−]?\d{1,3}\.\d{1,12}(?!\d)/g) ?? []
}

const maxLength = 80

/** `39-44-21` and `-104-59.4`, but neither `39.7-105`, where the hyphen is a sign, nor a part of `123.45-6-7`. */
const hyphenated = /(?<![\d.-])(-?)(\d{1,3}(?:-\d{1,2}){1,2}(?:\.\d+)?)(?![\d-])/g
const withSeconds = /(?<![\d.-])-?\d{1,3}-\d{1,2}-\d/

/** Replaces the hyphens between degrees, minutes and seconds by colons: they are no signs. */
function withoutHyphens(text: string): string {
  return /[NSEW]/.test(text) || withSeconds.test(text)
    ? text.replace(hyphenated, (_, sign: string, angle: string) => sign + angle.replaceAll('-', ':'))
    : text
}

const packedLatitude =
  /(?<![\d.])(\d{2})(\d{2})(\d{2}(?:\.\d+)?)(?= ?[NS])|(?<=[NS] ?)(\d{2})(\d{2})(\d{2}(?:\.\d+)?)(?![\d.])/g
const packedLongitude =
  /(?<![\d.])(\d{3})(\d{2})(\d{2}(?:\.\d+)?)(?= ?[EW])|(?<=[EW] ?)(\d{3})(\d{2})(\d{2}(?:\.\d+)?)(?![\d.])/g

/** Divides packed degrees, minutes and seconds: `393921N` and `1045925W`. A longitude has three digits of degrees. */
function unpacked(text: string): string {
  const divide = (_: string, ...parts: (string | undefined)[]) => parts.slice(0, 6).filter(Boolean).join(':')
  return text.replace(packedLatitude, divide).replace(packedLongitude, divide)
}

type Angle = { degrees: number; axis: 'lat' | 'lng' | null }

/**
 * Parses two angles, each decimal or in degrees, minutes and seconds, with an optional hemisphere letter. Minutes and
 * seconds must be below 60 and have no sign.
 */
function parseAngles(text: string): [Angle, Angle] | null {
  if (/[A-DF-MO-RT-VX-Z]/.test(text)) return null
  const pieces = text.match(/[+-]?\d+(?:\.\d*)?|[+-]?\.\d+|[NSEW]|[°'"′″’”,;:/]|\S/g) ?? []
  const angles: Angle[] = []
  let current: {
    parts: number[]
    isNegative: boolean
    axis: Angle['axis']
    negates: boolean
    isComplete: boolean
  } | null = null
  let leadingLetter: string | null = null
  const finishAngle = () => {
    if (current) angles.push(toAngle(current))
    current = null
  }
  const isDivided = /[NSEW]/.test(text) || /^[^,;]*[,;][^,;]*$/.test(text)
  const hasUnitMarks = /['"′″’”:]/.test(text) || (isDivided && (text.match(/\d+(?:\.\d*)?/g)?.length ?? 0) > 2)
  for (const piece of pieces) {
    if (/\d/.test(piece)) {
      if (current && (/^[+-]/.test(piece) || !hasUnitMarks || current.isComplete || current.parts.length === 3))
        finishAngle()
      if (current) current.parts.push(Number(piece))
      else
        current = {
          parts: [Math.abs(Number(piece))],
          isNegative: piece.startsWith('-'),
          axis: axisOf(leadingLetter),
          negates: isSouthOrWest(leadingLetter),
          isComplete: false,
        }
      leadingLetter = null
    } else if (/[NSEW]/.test(piece)) {
      if (current && current.axis === null) {
        current.axis = axisOf(piece)
        current.negates = isSouthOrWest(piece)
        current.isComplete = true
      } else if (leadingLetter === null) {
        finishAngle()
        leadingLetter = piece
      } else return null
    } else if (/[,;/]/.test(piece)) finishAngle()
    else if (!/[°'"′″’”:]/.test(piece)) return null
  }
  finishAngle()
  const [first, second] = angles
  if (
    !first ||
    !second ||
    angles.length !== 2 ||
    leadingLetter !== null ||
    !Number.isFinite(first.degrees + second.degrees)
  )
    return null
  return Math.abs(first.degrees) <= 360 && Math.abs(second.degrees) <= 360 ? [first, second] : null
}

function toAngle({
  parts,
  isNegative,
  axis,
  negates,
}: {
  parts: number[]
  isNegative: boolean
  axis: Angle['axis']
  negates: boolean
}): Angle {
  const [degrees = 0, minutes = 0, seconds = 0] = parts
  const magnitude = minutes < 60 && seconds < 60 ? Number((degrees + minutes / 60 + seconds / 3600).toFixed(7)) : NaN
  return { degrees: isNegative || negates ? -magnitude : magnitude, axis }
}

function axisOf(letter: string | null): Angle['axis'] {
  return letter === null ? null : /[NS]/.test(letter) ? 'lat' : 'lng'
}

function isSouthOrWest(letter: string | null): boolean {
  return letter === 'S' || letter === 'W'
}
