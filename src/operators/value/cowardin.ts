import { UpstreamError } from '../../model/error.ts'
import type { Value } from '../../model/source.ts'
import { labelOf } from './codes.ts'
import { nameSchemaOf } from '../operator.ts'

/** Decoders by name. */
const decoders = {
  /** The class labels, joined with a slash: PFO1/EM1C is Forested/Emergent. */
  nwi_class: ({ first, second }: Parts, classes: Table) => {
    const labels = [first, second].filter((code) => code !== undefined).map((code) => labelOf(code, classes))
    return labels.length === 0 ? null : [...new Set(labels)].join('/')
  },
  /** System, class, subclass and water regime in words: PEM1A is Palustrine Emergent Persistent Temporarily Flooded. */
  nwi_words: ({ system, first, subclass, regime }: Parts) => {
    const words = [
      systems[system!],
      first && wetlandClasses[first],
      first && subclass && subclasses[first]?.[Number(subclass) - 1],
      regime && waterRegimes[regime],
    ]
    return words.filter((word) => word !== undefined && word !== '').join(' ')
  },
  nwi_water_regime: ({ regime }: Parts) => labelOf(regime ?? null, waterRegimes),
}
type Table = Parameters<typeof labelOf>[1]
type Parts = { system?: string; first?: string; subclass?: string; second?: string; regime?: string }

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

/**
 * System and subsystem, class and subclass, second class or subclass after a slash, water regime, and modifiers: special,
 * of the chemistry of the water, and of the soil.
 */
const codePattern =
  /^(?<system>[MERLP])[1-5]?(?:(?<first>[A-Z]{2})(?<subclass>\d)?(?:\/(?<second>[A-Z]{2})?\d?)?)?(?<regime>[A-Z])?[abdfghimnrstx\d]{0,5}$/

const systems: Record<string, string> = {
  M: 'Marine',
  E: 'Estuarine',
  R: 'Riverine',
  L: 'Lacustrine',
  P: 'Palustrine',
}
const wetlandClasses: Record<string, string> = {
  RB: 'Rock Bottom',
  UB: 'Unconsolidated Bottom',
  AB: 'Aquatic Bed',
  RF: 'Reef',
  RS: 'Rocky Shore',
  US: 'Unconsolidated Shore',
  SB: 'Streambed',
  ML: 'Moss-Lichen',
  EM: 'Emergent',
  SS: 'Scrub-Shrub',
  FO: 'Forested',
  OW: 'Open Water',
}
const woody = [
  'Broad-Leaved Deciduous',
  'Needle-Leaved Deciduous',
  'Broad-Leaved Evergreen',
  'Needle-Leaved Evergreen',
  'Dead',
  'Deciduous',
  'Evergreen',
]
/** The subclasses of each class, from number 1, in the wetland classification standard. */
const subclasses: Record<string, string[]> = {
  RB: ['Bedrock', 'Rubble'],
  UB: ['Cobble-Gravel', 'Sand', 'Mud', 'Organic'],
  AB: ['Algal', 'Aquatic Moss', 'Rooted Vascular', 'Floating Vascular'],
  RF: ['Coral', 'Mollusk', 'Worm'],
  RS: ['Bedrock', 'Rubble'],
  US: ['Cobble-Gravel', 'Sand', 'Mud', 'Organic', 'Vegetated'],
  SB: ['Bedrock', 'Rubble', 'Cobble-Gravel', 'Sand', 'Mud', 'Organic', 'Vegetated'],
  ML: ['Moss', 'Lichen'],
  EM: ['Persistent', 'Nonpersistent', '', '', 'Phragmites australis'],
  SS: woody,
  FO: woody,
}

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
