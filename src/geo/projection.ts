import type { default as Proj4 } from 'proj4'
import type { Point } from '../model/place.ts'
import { isReadAsByProj } from './text/wkt-methods.ts'

/**
 * Converts between degrees and the units of a coordinate system. Points outside the system become non-finite numbers.
 * NAD83 and ETRS89 are treated as WGS 84. The error is below two meters.
 */
export type Projection = {
  isGeographic: boolean
  forward(at: Point): { x: number; y: number }
  inverse(x: number, y: number): Point
}

/**
 * Returns the projection of a code (`EPSG:5070`, `ESRI:102003`), a PROJ definition or WKT. Throws an Error if it is
 * unknown, or if it would be read otherwise than by PROJ.
 */
export function projectionOf(crs: string): Projection {
  const text = definitionOf(crs)
  if (text === null || !isReadAsByProj(text)) throw unknownCrs(crs)
  const proj = createProj(text, crs)
  if (proj.projName === 'longlat') {
    return {
      isGeographic: true,
      forward: ({ lat, lng }) => ({ x: lng, y: lat }),
      inverse: (x, y) => ({ lat: y, lng: x }),
    }
  }
  const unit_m = proj.to_meter ?? 1
  return {
    isGeographic: false,
    forward({ lat, lng }) {
      const { x, y } = proj.forward({ x: lng * rad, y: lat * rad }) ?? notFinite
      return { x: x / unit_m, y: y / unit_m }
    },
    inverse(x, y) {
      const { x: lng, y: lat } = proj.inverse({ x: x * unit_m, y: y * unit_m }) ?? notFinite
      return { lat: lat / rad, lng: lng / rad }
    },
  }
}

/** Whether an EPSG code names a supported system of latitude and longitude. */
export function isGeographicEpsg(epsg: number): boolean {
  return geographicCodes.has(epsg)
}

const rad = Math.PI / 180
const notFinite = { x: NaN, y: NaN }
/** WGS 84, ETRS89, and NAD83 with its realizations (CORS96, HARN, NSRS2007, 2011). */
const geographicCodes = new Set([4326, 4258, 4269, 4152, 4759, 6318, 6783])

// proj4 has no default for x_0 and y_0. Without them, an Albers projection returns NaN.
const albers = (lat: number, lng: number, south: number, north: number) =>
  `+proj=aea +lat_0=${lat} +lon_0=${lng} +lat_1=${south} +lat_2=${north} +x_0=0 +y_0=0 +ellps=GRS80 +units=m`
const utm = (zone: number, south: '' | '+south') => `+proj=utm +zone=${zone} ${south} +ellps=GRS80 +units=m`

const definitions: Record<number, string> = {
  3857: '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m',
  3338: albers(50, -154, 55, 65),
  5070: albers(23, -96, 29.5, 45.5),
  6350: albers(23, -96, 29.5, 45.5),
  102003: albers(37.5, -96, 29.5, 45.5),
  102007: albers(13, -157, 8, 18),
  102008: albers(40, -96, 20, 60),
  102039: albers(23, -96, 29.5, 45.5),
}
definitions[900913] = definitions[3857]!
definitions[102100] = definitions[3857]!

function definitionOf(crs: string): string | null {
  const code = /^(?:EPSG|ESRI):(\d{1,6})$/i.exec(crs.trim())?.[1]
  if (code === undefined) return /^\s*(\+proj=|(PROJ|GEOG)[A-Z]*\[)/i.test(crs) ? crs.trim() : null
  const epsg = Number(code)
  if (geographicCodes.has(epsg)) return '+proj=longlat +ellps=GRS80'
  return definitions[epsg] ?? utmDefinitionOf(epsg)
}

function utmDefinitionOf(epsg: number): string | null {
  const zone = epsg % 100
  if (epsg > 32600 && epsg <= 32660) return utm(zone, '')
  if (epsg > 32700 && epsg <= 32760) return utm(zone, '+south')
  if (epsg > 26900 && epsg <= 26923) return utm(zone, '')
  if (epsg >= 6330 && epsg <= 6348) return utm(epsg - 6329, '')
  return null
}

type Proj = {
  projName?: string
  to_meter?: number
  forward: (at: Xy) => Xy | null | undefined
  inverse: (at: Xy) => Xy | null | undefined
}
type Xy = { x: number; y: number }

/** Declared here too: the types of the page, which reach this file, are without those of Bun. */
declare const require: (module: 'proj4/lib/index.js') => { default: typeof Proj4 }

function createProj(text: string, crs: string): Proj {
  // Loaded with the first projection: few requests need one, and loading takes milliseconds.
  const { default: proj4 } = require('proj4/lib/index.js')
  try {
    return new proj4.Proj(text)
  } catch (cause) {
    // proj4 throws strings as well as errors.
    throw unknownCrs(crs, cause)
  }
}

function unknownCrs(crs: string, cause?: unknown): Error {
  return new Error(`Unknown coordinate system ${JSON.stringify(crs.slice(0, 200))}.`, { cause })
}
