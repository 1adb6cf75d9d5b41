import { isGeographicEpsg } from '../geo/projection.ts'
import type { TiffDirectory } from './tiff-directory.ts'

/** The TIFF tags that locate a raster. */
export const geoTags = {
  pixelScale: 33550,
  tiePoints: 33922,
  transformation: 34264,
  keyDirectory: 34735,
  doubleParams: 34736,
  asciiParams: 34737,
}

/** GeoTIFF keys by ID. */
export type GeoKeys = Map<number, number | string>

/** More than the standard defines. */
const keysMax = 256

/** Reads the GeoTIFF keys of a directory. */
export function geoKeysOf({ numbers, text }: TiffDirectory): GeoKeys {
  const keyDirectory = numbers(geoTags.keyDirectory) ?? []
  const doubleParams = numbers(geoTags.doubleParams) ?? []
  const asciiParams = text(geoTags.asciiParams) ?? ''
  const keys: GeoKeys = new Map()
  for (let i = 4; i + 3 < Math.min(keyDirectory.length, 4 * keysMax); i += 4) {
    const [key, tag, count, value] = keyDirectory.slice(i, i + 4) as [number, number, number, number]
    if (tag === 0) keys.set(key, value)
    else if (tag === geoTags.asciiParams) keys.set(key, trimTerminator(asciiParams.slice(value, value + count)))
    else if (tag === geoTags.doubleParams && doubleParams[value] !== undefined) keys.set(key, doubleParams[value])
  }
  return keys
}

/** Text values end with `|`, and the last one with NUL. */
function trimTerminator(text: string): string {
  let end = text.length
  while (end > 0 && '|\0'.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/**
 * The coordinate system that the keys name or define: `EPSG:<code>`, WKT or a PROJ definition. null if none is
 * recognized.
 */
export function crsOf(keys: GeoKeys): string | null {
  const projectedCode = keys.get(geoKey.projected)
  if (typeof projectedCode === 'number' && projectedCode !== userDefined) return `EPSG:${projectedCode}`
  const model = keys.get(geoKey.model)
  const geographicCode = keys.get(geoKey.geographic)
  if (model !== modelProjected && typeof geographicCode === 'number') {
    // A user-defined geographic system is nearly always NAD83 or WGS 84.
    return geographicCode === userDefined ? '+proj=longlat +ellps=GRS80' : `EPSG:${geographicCode}`
  }
  if (model !== modelProjected) return null
  return esriWktOf(keys) ?? projDefinitionOf(keys)
}

/** Whether the keys describe a projected system. */
export function describesProjection(keys: GeoKeys): boolean {
  return keys.get(geoKey.model) === modelProjected
}

const userDefined = 32767
const modelProjected = 1
const geoKey = {
  model: 1024,
  citation: 1026,
  geographic: 2048,
  ellipsoid: 2056,
  semiMajor: 2057,
  semiMinor: 2058,
  flattening: 2059,
  projected: 3072,
  projectedCitation: 3073,
  method: 3075,
  unit: 3076,
  unitSize: 3077,
}

function esriWktOf(keys: GeoKeys): string | null {
  for (const citationKey of [geoKey.citation, geoKey.projectedCitation]) {
    const text = /^ESRI PE String = (.+)$/s.exec(String(keys.get(citationKey) ?? ''))?.[1]
    if (text !== undefined) return text
  }
  return null
}

const methods: Record<number, string> = {
  1: 'tmerc',
  7: 'merc',
  8: 'lcc',
  9: 'lcc',
  10: 'laea',
  11: 'aea',
  15: 'stere',
}

function projDefinitionOf(keys: GeoKeys): string | null {
  const method = methods[Number(keys.get(geoKey.method))]
  if (method === undefined) return null
  const firstNumber = (...names: number[]) =>
    names.map((name) => keys.get(name)).find((value) => typeof value === 'number')
  const lat = firstNumber(3085, 3081, 3089) ?? 0
  const parallel = firstNumber(3078)
  const parts = [
    `+proj=${method}`,
    method === 'stere' ? `+lat_0=${lat < 0 ? -90 : 90} +lat_ts=${lat}` : `+lat_0=${lat}`,
    `+lon_0=${firstNumber(3084, 3080, 3088, 3095) ?? 0}`,
    `+lat_1=${parallel ?? lat} +lat_2=${firstNumber(3079) ?? parallel ?? lat}`,
    `+k_0=${firstNumber(3092) ?? 1}`,
    `+x_0=${(firstNumber(3086, 3082, 3090) ?? 0) * metersPerUnit(keys)} +y_0=${(firstNumber(3087, 3083, 3091) ?? 0) * metersPerUnit(keys)}`,
    ellipsoidOf(keys),
    `+to_meter=${metersPerUnit(keys)}`,
  ]
  return parts.join(' ')
}

function metersPerUnit(keys: GeoKeys): number {
  const unit = keys.get(geoKey.unit)
  if (unit === 9002) return 0.3048
  if (unit === 9003) return 1200 / 3937
  const size = keys.get(geoKey.unitSize)
  return unit === userDefined && typeof size === 'number' && size > 0 ? size : 1
}

const ellipsoids: Record<number, string> = { 7019: '+ellps=GRS80', 7030: '+ellps=WGS84', 7008: '+ellps=clrk66' }

function ellipsoidOf(keys: GeoKeys): string {
  const known = ellipsoids[Number(keys.get(geoKey.ellipsoid))]
  if (known !== undefined) return known
  const [a, b, rf] = [keys.get(geoKey.semiMajor), keys.get(geoKey.semiMinor), keys.get(geoKey.flattening)]
  if (typeof a !== 'number' || isGeographicEpsg(Number(keys.get(geoKey.geographic)))) return '+ellps=GRS80'
  if (typeof rf === 'number' && rf > 0) return `+a=${a} +rf=${rf}`
  return `+a=${a} +b=${typeof b === 'number' ? b : a}`
}
