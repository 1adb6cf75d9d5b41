import { Type } from '@sinclair/typebox'
import { ApiError } from '../model/error.ts'
import type { GeocodeCandidate } from '../place/geocode-outcome.ts'

/** The output member that says which named place was answered instead of an address. */
export const ResolvedPlace = Type.Optional(
  Type.Object(
    { name: Type.String(), lat: Type.Number(), lng: Type.Number(), precision: Type.String() },
    { description: 'The named place that was answered: its center point, not an address.' },
  ),
)

type ResolvedPlaceValue = { name: string; lat: number; lng: number; precision: string }
type LocationArgs = { lat?: number; lng?: number; address?: string }

/**
 * Runs the work for a location. If its address is only the name of a town, a ZIP code or an airport, and only one place
 * has the name, runs it for the center of that place and says so in `resolved_place`. The API refuses such texts; an
 * agent has usually no better place to ask for.
 */
export async function atNamedPlace<Args extends LocationArgs, Answer extends object>(
  args: Args,
  work: (args: Args) => Promise<Answer>,
): Promise<Answer & { resolved_place?: ResolvedPlaceValue }> {
  try {
    return await work(args)
  } catch (error) {
    // A text without a house number has a level. The candidates of other texts are addresses.
    const isPlaceName = error instanceof ApiError && error.context.matched_level !== undefined
    const resolved_place = isPlaceName ? onlyPlaceOf(error.context.candidates) : null
    if (resolved_place === null) throw error
    const { address: _, ...others } = args
    const { lat, lng } = resolved_place
    return { ...(await work({ ...others, lat, lng } as Args)), resolved_place }
  }
}

/** The place of the only candidate; null if there is none, or several. */
export function onlyPlaceOf(candidates: unknown): ResolvedPlaceValue | null {
  if (!Array.isArray(candidates) || candidates.length !== 1) return null
  const [{ resolved_address, lat, lng, accuracy_type }] = candidates as [GeocodeCandidate]
  return { name: resolved_address, lat, lng, precision: accuracy_type }
}
