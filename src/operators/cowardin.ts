import { UpstreamError } from '../model/error.ts'
import type { Value } from '../model/source.ts'
import { labelOf } from './codes.ts'
import { nameSchemaOf } from './operator.ts'

/** Decoders by name. */
const decoders = {
  /** The class labels, joined with a slash: PFO1/EM1C is Forested/Emergent. */
  nwi_class: ({ first, second }: Parts, classes: Table) => {
    const labels = [first, second].filter((code) => code !== undefined).map((code) => labelOf(code, classes))
    return labels.length === 0 ? null : [...new Set(labels)].join('/')
  },
  nwi_water_regime: ({ regime }: Parts) => labelOf(regime ?? null, waterRegimes),
}
type Table = Parameters<typeof labelOf>[1]
type Parts = { first?: string; second?: string; regime?: string }

/** The name of a decoder. */
export const cowardinDecodeSchema = nameSchemaOf(decoders)

/**
 * Decodes a part of a Cowardin code. Returns null if the code does not have it (Pf: farmed). Throws `bad_value` for
 * other text.
 */
export function decodeCowardin(attribute: Value, decoder: keyof typeof decoders, classes: Table = {}): Value {
  if (attribute === null) return null
  const parts = codePattern.exec(String(attribute).trim())?.groups
  if (!parts)
    throw new UpstreamError(
      'bad_value',
      `${JSON.stringify(attribute)} is not a Cowardin code. Expected a code such as PFO1/EM1C.`,
    )
  return decoders[decoder](parts, classes)
}

/** System and subsystem, class and subclass, second class or subclass after a slash, water regime, modifiers. */
const codePattern =
  /^[MERLP][1-5]?(?:(?<first>[A-Z]{2})\d?(?:\/(?<second>[A-Z]{2})?\d?)?)?(?<regime>[A-Z])?(?:[a-z0-9].*)?$/

/**
 * Water regimes of the wetland classification standard (FGDC-STD-004-2013): nontidal, saltwater tidal, freshwater
 * tidal.
 */
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
