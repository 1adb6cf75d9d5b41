import { parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import { UsageError } from '../usage-error.ts'

/** The flags that name a location. */
export type LocationFlags = { at?: string | boolean; address?: string | boolean }

/** Returns the location members of a request from --at or --address. @throws {UsageError} */
export function locationOfFlags({ at, address }: LocationFlags): Record<string, unknown> {
  if (typeof address === 'string' && typeof at === 'string')
    throw locationUsageError('--at and --address cannot be combined')
  if (typeof address === 'string' && address.trim() !== '') return { address }
  if (typeof at !== 'string') throw locationUsageError('No location given')
  return coordinateOfFlag(at)
}

/** Parses --at: decimal degrees, or any other form that the search box of the page reads. */
function coordinateOfFlag(at: string): { lat: number; lng: number } {
  const match = /^\s*([-+.\de]+)\s*[,\s]\s*([-+.\de]+)\s*$/i.exec(at)
  const [lat, lng] = [Number(match?.[1] ?? NaN), Number(match?.[2] ?? NaN)]
  const parsed = Number.isNaN(lat) || Number.isNaN(lng) ? parseCoordinates(at) : null
  if (parsed?.kind === 'coordinates') return { lat: parsed.lat, lng: parsed.lng }
  if (parsed?.kind === 'swapped')
    throw new UsageError(
      `--at ${JSON.stringify(at)} has the longitude first. Did you mean --at ${parsed.suggestion.replace(' ', '')}?`,
    )
  if (Number.isNaN(lat) || Number.isNaN(lng))
    throw locationUsageError(`--at ${JSON.stringify(at)} is not a coordinate or a known place`)
  return { lat, lng }
}

function locationUsageError(problem: string): UsageError {
  return new UsageError(`${problem}. Use \`--at 39.7392,-104.9903\` (latitude first) or \`--address "<address>"\`.`)
}
