import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { AreaGeometry } from '../../areas/area-schema.ts'
import { parseLength_m } from '../../model/text.ts'
import { locationOfFlags, type LocationFlags } from './location-flags.ts'
import { openPlacesFile, placesFileError } from '../run/places-file.ts'
import { readOnlyShape } from '../run/places-table.ts'
import { UsageError } from '../usage-error.ts'

/** The flags that name the area of `fieldstone area`. */
export type AreaFlags = LocationFlags & {
  radius?: string | boolean
  width?: string | boolean
  county?: string | boolean
  parcel?: string | boolean
}

/**
 * Returns the members of POST /v1/areas that name the area. @throws {UsageError} if the flags name none, or several.
 */
export async function areaShapeOfFlags(file: string, flags: AreaFlags): Promise<Record<string, unknown>> {
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

async function shapeOfFile(file: string, width: string | boolean | undefined): Promise<Record<string, unknown>> {
  const geometry = await readGeometryOfFile(file)
  if (width === undefined) return { geometry }
  if (geometry.type.endsWith('Polygon'))
    throw new UsageError(`--width needs the file of a line. ${file} has a polygon.`)
  return { corridor: { line: geometry, width_m: lengthOfFlag('width', width) } }
}

/** Returns a line of an error with the flags and the file of a command in place of the members of POST /v1/areas. */
export function withAreaFlags(line: string, file: string): string {
  const texts = [
    ['body.county_fips', '--county'],
    ['body.around.radius_m', '--radius'],
    ['body.around', '--at'],
    ['body.parcel_of', '--parcel'],
    ['body.corridor.width_m', '--width'],
    ['body.corridor.line.', `${file}, `],
    ['body.corridor', `${file}, --width`],
    ['body.geometry.', `${file}, `],
  ] as const
  return texts.reduce((changed, [member, text]) => changed.replaceAll(member, text), line)
}

function noAreaError(): UsageError {
  return new UsageError(
    'Name one area: a file, --at <lat,lng> --radius <length>, --county <fips>, or --parcel with --at or --address. See `fieldstone help area`.',
  )
}

function lengthOfFlag(name: string, text: string | boolean): number {
  const length_m = parseLength_m(String(text))
  if (length_m !== null) return length_m
  throw new UsageError(
    `--${name} ${JSON.stringify(text)} is not a length. Use a number with its unit, such as 500m, 5km or 3mi.`,
  )
}

/** Reads the geometry of a file with one shape. @throws {UsageError} */
export async function readGeometryOfFile(path: string): Promise<AreaGeometry> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-area-'))
  try {
    const file = await openPlacesFile(path, basename(path), { layer: null, encoding: undefined }, folder)
    if ('table' in file) throw new UsageError(`${file.name} is a table. To answer its rows, use \`fieldstone run\`.`)
    return await readOnlyShape(file.open, file.name)
  } catch (error) {
    throw placesFileError(error, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
