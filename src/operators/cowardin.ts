import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'
import { labelOf } from './codes.ts'
import { nameSchemaOf } from './operator.ts'

/** How a part of a code comes to words. */
const decoders = {
  /** The classes by the table, joined with a slash: PFO1/EM1C is Forested/Emergent. */
  nwi_class: ({ first, second }: Parts, classes: Table) => {
    const labels = [first, second].filter((it) => it !== undefined).map((it) => labelOf(it, classes))
    return labels.length === 0 ? null : [...new Set(labels)].join('/')
  },
  nwi_water_regime: ({ regime }: Parts) => labelOf(regime ?? null, waterRegimes),
}
type Table = Parameters<typeof labelOf>[1]
type Parts = { first?: string; second?: string; regime?: string }

/** The schema of the names of decoders. */
export const cowardinDecodeSchema = nameSchemaOf(decoders)

/** A part of a Cowardin code in words; null when the code has no such part (Pf: farmed). */
export function decodeCowardin(attribute: Value, decoder: keyof typeof decoders, classes: Table = {}): Value {
  if (attribute === null) return null
  const parts = codePattern.exec(String(attribute).trim())?.groups
  if (!parts)
    throw new UpstreamError('bad_value', `${JSON.stringify(attribute)} is not a Cowardin code, such as PFO1/EM1C.`)
  return decoders[decoder](parts, classes)
}

/** System and subsystem, class and subclass, a second class or subclass after a slash, water regime; modifiers follow. */
const codePattern =
  /^[MERLP][1-5]?(?:(?<first>[A-Z]{2})\d?(?:\/(?<second>[A-Z]{2})?\d?)?)?(?<regime>[A-Z])?(?:[a-z0-9].*)?$/

/** Water regimes of the wetland classification standard (FGDC-STD-004-2013), non-tidal, then tidal salt and fresh. */
const waterRegimes: Record<string, string> = {
  A: 'Temporarily Flooded',
  B: 'Seasonally Saturated',
  C: 'Seasonally Flooded',
  D: 'Continuously Saturated',
  E: 'Seasonally Flooded/Saturated',
  F: 'Semipermanently Flooded',
  G: 'Intermittently Exposed',
  H: 'Permanently Flooded',
  J: 'Intermittently Flooded',
  K: 'Artificially Flooded',
  L: 'Subtidal',
  M: 'Irregularly Exposed',
  N: 'Regularly Flooded',
  P: 'Irregularly Flooded',
  Q: 'Regularly Flooded-Fresh Tidal',
  R: 'Seasonally Flooded-Fresh Tidal',
  S: 'Temporarily Flooded-Fresh Tidal',
  T: 'Semipermanently Flooded-Fresh Tidal',
  V: 'Permanently Flooded-Fresh Tidal',
}
