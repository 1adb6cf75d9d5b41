import { readFileSync } from 'node:fs'
import { parseLength_m } from '../model/length.ts'
import { isRecord } from '../model/record.ts'
import { locationOfFlags, type LocationFlags } from './location-flags.ts'
import { UsageError } from './usage-error.ts'

/** The flags that name the area of `fieldstone area`. */
export type AreaFlags = LocationFlags & {
  radius?: string | boolean
  width?: string | boolean
  county?: string | boolean
  parcel?: string | boolean
}

/** Returns the members of POST /v1/areas that name the area. @throws {UsageError} if the flags name none, or several. */
export function areaShapeOfFlags(file: string, flags: AreaFlags): Record<string, unknown> {
  const { radius, width, county, parcel } = flags
  const hasLocation = flags.at !== undefined || flags.address !== undefined
  if ([file !== '', county !== undefined, hasLocation].filter(Boolean).length !== 1) throw noAreaError()
  if (width !== undefined && file === '') throw new UsageError('--width needs the file of a line.')
  if ((radius !== undefined || parcel !== undefined) && !hasLocation)
    throw new UsageError(`--${radius === undefined ? 'parcel' : 'radius'} needs --at or --address.`)
  if (county !== undefined) return { county_fips: String(county) }
  if (file !== '') return shapeOfFile(file, width)
  if (parcel) return { parcel_of: locationOfFlags(flags) }
  if (radius === undefined) throw noAreaError()
  if (flags.address !== undefined) throw new UsageError('--radius needs --at. With --address, use --parcel.')
  return { around: { ...locationOfFlags(flags), radius_m: lengthOfFlag('radius', radius) } }
}

function shapeOfFile(file: string, width: string | boolean | undefined): Record<string, unknown> {
  const geometry = readGeometry(file)
  if (width === undefined) return { geometry }
  return { corridor: { line: geometry, width_m: lengthOfFlag('width', width) } }
}

function noAreaError(): UsageError {
  return new UsageError(
    'Name one area: a GeoJSON file, --at <lat,lng> --radius <length>, --county <fips>, or --parcel with --at or --address. See `fieldstone help area`.',
  )
}

function lengthOfFlag(name: string, text: string | boolean): number {
  const length_m = parseLength_m(String(text))
  if (length_m !== null) return length_m
  throw new UsageError(
    `--${name} ${JSON.stringify(text)} is not a length. Use a number with its unit, such as 500m, 5km or 3mi.`,
  )
}

/** Reads the geometry of a GeoJSON file: a geometry, a feature, or a collection of one feature. @throws {UsageError} */
function readGeometry(file: string): unknown {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`Cannot read ${file} as GeoJSON: ${(error as Error).message}.`)
  }
  const features: unknown[] = isRecord(content) && Array.isArray(content.features) ? content.features : [content]
  const [feature] = features
  if (features.length !== 1 || !isRecord(feature))
    throw new UsageError(`${file} has ${features.length} features. Use a file with one feature.`)
  return feature.type === 'Feature' ? feature.geometry : feature
}
