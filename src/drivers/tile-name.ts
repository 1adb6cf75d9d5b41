import type { Point } from '../model/place.ts'

/** Tiles of so many degrees, named after their north-west corner. */
export type TileRule = { degrees: number; name: string }

const placeholderPattern = /\{(lat|lon)(?::(\d))?\}|\{(ns|ew|NS|EW)\}/g

/**
 * The name of the tile that holds the point: `{lat} {lon}` without sign, `{lat:2}` padded, `{ns} {ew} {NS} {EW}` the letters.
 * The northern and the western edge belong to a tile; the equator is north, Greenwich is east.
 */
export function tileNameOf({ degrees, name }: TileRule, { lat, lng }: Point): string {
  const north = Math.ceil(lat / degrees) * degrees
  const west = Math.floor(lng / degrees) * degrees
  return name.replace(placeholderPattern, (_match, axis?: string, digits?: string, letter?: string) => {
    if (axis !== undefined) return String(Math.abs(axis === 'lat' ? north : west)).padStart(Number(digits ?? 0), '0')
    const ns = north < 0 ? 's' : 'n'
    const ew = west < 0 ? 'w' : 'e'
    const hemisphere = letter!.toLowerCase() === 'ns' ? ns : ew
    return letter === letter!.toUpperCase() ? hemisphere.toUpperCase() : hemisphere
  })
}
