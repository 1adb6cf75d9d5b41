import type { default as Proj4 } from 'proj4'
import type { Point } from '../model/place.ts'
import { epsgDefinitions } from './epsg-definitions.ts'
import { isReadAsByProj, withDefaultLatitude } from './text/wkt-methods.ts'

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
  const definition = definitionOf(crs)
  if (definition === null || !isReadAsByProj(definition)) throw unknownCrs(crs)
  const text = withDefaultLatitude(definition)
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

/** Systems of Esri and of web maps. Those of EPSG are in a package. */
const definitions: Record<number, string> = {
  102003: albers(37.5, -96, 29.5, 45.5),
  102007: albers(13, -157, 8, 18),
  102008: albers(40, -96, 20, 60),
  102039: albers(23, -96, 29.5, 45.5),
}
const webMercatorCodes = [900913, 102100]

function definitionOf(crs: string): string | null {
  const code = /^(?:EPSG|ESRI):(\d{1,6})$/i.exec(crs.trim())?.[1]
  if (code === undefined) return /^\s*(\+proj=|(PROJ|GEOG)[A-Z]*\[)/i.test(crs) ? crs.trim() : null
  const epsg = Number(code)
  if (geographicCodes.has(epsg)) return '+proj=longlat +ellps=GRS80'
  if (definitions[epsg] !== undefined) return definitions[epsg]
  const listed = listedDefinitionOf(webMercatorCodes.includes(epsg) ? 3857 : epsg)
  return listed === null || shiftedDatum.test(listed) ? null : listed
}

/** The list is searched as text, which takes less of the executable than code. */
function listedDefinitionOf(epsg: number): string | null {
  const list = epsgDefinitions()
  const begin = `["EPSG:${epsg}","`
  const at = list.indexOf(begin)
  return at < 0 ? null : list.slice(at + begin.length, list.indexOf('"', at + begin.length))
}

/** A datum that differs from WGS 84, or a sphere, which programs convert to in different ways. */
const shiftedDatum = /\+towgs84=\S*[1-9]|\+a=(?!6378137 )/
/** The radius of WGS 84 and of GRS 80, the ellipsoid of NAD83. A datum with another ellipsoid is up to 400 m away. */
const equatorialRadius_m = 6_378_137

type Proj = {
  projName?: string
  /** The equatorial radius in meters, and the square of the eccentricity: 0 for a sphere. */
  a: number
  es: number
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
  let proj: Proj
  try {
    proj = new proj4.Proj(text)
  } catch (cause) {
    // proj4 throws strings as well as errors.
    throw unknownCrs(crs, cause)
  }
  if (proj.es > 0 && proj.a !== equatorialRadius_m) throw unknownCrs(crs)
  return proj
}

function unknownCrs(crs: string, cause?: unknown): Error {
  return new Error(`Unknown coordinate system ${JSON.stringify(crs.slice(0, 200))}.`, { cause })
}
