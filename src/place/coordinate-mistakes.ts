import { roundDegrees } from '../geo/text/geojson.ts'
import { insideUs } from '../geo/us.ts'
import type { Point } from '../model/place.ts'

/** Half of the circumference of the earth in the Web Mercator projection. */
const webMercatorMax_m = 20_037_508.343
/** Eastings and northings of the UTM zones of the United States, in meters. */
const utm = { easting: [100_000, 900_000], northing: [1_000_000, 8_500_000] } as const

/** What is probably wrong with a coordinate outside the United States, and the coordinate that was probably meant. */
export type CoordinateMistake = { message: string; suggestion: string | null }

/**
 * Recognizes a coordinate in another order, with another sign or in another projection; null if it is none of these.
 */
export function coordinateMistakeOf({ lat, lng }: Point): CoordinateMistake | null {
  if (isUtm(lng, lat) || isUtm(lat, lng))
    return {
      message: 'The values look like UTM coordinates in meters. Convert them to degrees of latitude and longitude.',
      suggestion: null,
    }
  for (const { point, mistake } of readingsOf({ lat, lng })) {
    if (!insideUs(point)) continue
    const suggestion = `${roundDegrees(point.lat)}, ${roundDegrees(point.lng)}`
    return { message: `${mistake} Did you mean ${suggestion}?`, suggestion }
  }
  return null
}

/** Says that a coordinate is outside the United States, and what is probably wrong with it. */
export function outsideUsMessage(at: Point): string {
  const mistake = coordinateMistakeOf(at)
  return `${at.lat}, ${at.lng} is outside the United States and its territories.${mistake ? ` ${mistake.message}` : ''}`
}

function readingsOf({ lat, lng }: Point): { point: Point; mistake: string }[] {
  const swapped = 'The values look swapped; latitude comes first.'
  return [
    { point: { lat: lng, lng: lat }, mistake: swapped },
    { point: { lat, lng: -lng }, mistake: 'The minus sign of the longitude seems to be missing.' },
    { point: { lat: -lat, lng }, mistake: 'The latitude has a minus sign, which places it south of the equator.' },
    { point: { lat: lng, lng: -lat }, mistake: `${swapped} The minus sign of the longitude seems to be missing.` },
    ...[
      { x: lng, y: lat },
      { x: lat, y: lng },
    ].flatMap(({ x, y }) =>
      isWebMercator(x, y)
        ? [{ point: fromWebMercator(x, y), mistake: 'The values look like Web Mercator coordinates (EPSG:3857).' }]
        : [],
    ),
  ]
}

function isUtm(x: number, y: number): boolean {
  return isBetween(x, utm.easting) && isBetween(y, utm.northing)
}

function isBetween(value: number, [min, max]: readonly [number, number]): boolean {
  return value >= min && value <= max
}

function isWebMercator(x: number, y: number): boolean {
  const [a, b] = [Math.abs(x), Math.abs(y)]
  return Math.max(a, b) > 360 && a <= webMercatorMax_m && b <= webMercatorMax_m
}

function fromWebMercator(x: number, y: number): Point {
  return {
    lat: (Math.atan(Math.sinh((y / webMercatorMax_m) * Math.PI)) * 180) / Math.PI,
    lng: (x / webMercatorMax_m) * 180,
  }
}
