import type { PlaceName } from '../test-places.ts'
import factsFile from './census-places.json' with { type: 'json' }

// Synthetic: the codes of states, counties and metropolitan areas are real ones, those of smaller areas only have the
// right form.

/** The layers of the geocoder at a place, keyed as the publisher keys them; without a place every layer is empty. */
export function geographies(name: PlaceName | null): Record<string, Record<string, unknown>[]> {
  const found = name ? layersOf(facts[name]) : {}
  return Object.fromEntries(geographyLayers.map((layer) => [layer, found[layer] ?? []]))
}

/** Where a place lies, in codes: state, county and name, tract, block, land of the tract in square metres. */
export const facts = factsFile as unknown as Record<PlaceName, Facts>

type Facts = {
  state: [fips: string, code: string, name: string]
  county: [code: string, name: string]
  tract: string
  /** The last four digits of the block, the first of which is its group. */
  block: string
  land: number
  place: [string, string] | null
  designated?: true
  subdivision: [string, string]
  school: [string, string]
  congress: string
  upper: string
  lower: string
  metro: [string, string] | null
  zcta: string
  urban: [string, string] | null
  native?: [string, string]
  /** The layers that fail in a 200 response. */
  fails?: string[]
}

/** The names of the layers of the geocoder, which are those of TIGERweb. */
const geographyLayers = [
  'States',
  'Counties',
  'Census Tracts',
  'Census Block Groups',
  '2020 Census Blocks',
  'Incorporated Places',
  'Census Designated Places',
  'County Subdivisions',
  'Unified School Districts',
  'Secondary School Districts',
  'Elementary School Districts',
  '120th Congressional Districts',
  '2026 State Legislative Districts - Upper',
  '2026 State Legislative Districts - Lower',
  'Metropolitan Statistical Areas',
  'Micropolitan Statistical Areas',
  '2020 Census ZIP Code Tabulation Areas',
  '2020 Urban Areas - Corrected',
  'Federal American Indian Reservations',
  'Off-Reservation Trust Lands',
  'State American Indian Reservations',
  'Hawaiian Home Lands',
  'Alaska Native Village Statistical Areas',
  'Oklahoma Tribal Statistical Areas',
  'American Indian Joint-Use Areas',
]

const failure = [{ status: 'Layer query encountered an error: java.lang.RuntimeException: Failed to return' }]

function layersOf(at: Facts): Record<string, Record<string, unknown>[]> {
  const [state, code] = at.state
  const [county] = at.county
  const tract = state + county + at.tract
  const group = at.block.slice(0, 1)
  const found = {
    States: [
      {
        STATE: state,
        GEOID: state,
        STUSAB: code,
        NAME: at.state[2],
        BASENAME: at.state[2],
        LSADC: '00',
        FUNCSTAT: 'A',
        MTFCC: 'G4000',
      },
    ],
    Counties: [
      {
        STATE: state,
        COUNTY: county,
        GEOID: state + county,
        NAME: at.county[1],
        LSADC: '06',
        FUNCSTAT: 'A',
        MTFCC: 'G4020',
      },
    ],
    'Census Tracts': [
      {
        STATE: state,
        COUNTY: county,
        TRACT: at.tract,
        GEOID: tract,
        NAME: `Census Tract ${Number(at.tract) / 100}`,
        AREALAND: at.land,
        AREAWATER: 0,
        MTFCC: 'G5020',
      },
    ],
    'Census Block Groups': [
      {
        STATE: state,
        COUNTY: county,
        TRACT: at.tract,
        BLKGRP: group,
        GEOID: tract + group,
        NAME: `Block Group ${group}`,
      },
    ],
    '2020 Census Blocks': [
      {
        STATE: state,
        COUNTY: county,
        TRACT: at.tract,
        BLKGRP: group,
        BLOCK: at.block,
        GEOID: tract + at.block,
        NAME: `Block ${at.block}`,
      },
    ],
    [at.designated ? 'Census Designated Places' : 'Incorporated Places']: at.place
      ? [{ STATE: state, PLACE: at.place[0], GEOID: state + at.place[0], NAME: at.place[1] }]
      : [],
    'County Subdivisions': [
      {
        STATE: state,
        COUNTY: county,
        COUSUB: at.subdivision[0],
        GEOID: state + county + at.subdivision[0],
        NAME: at.subdivision[1],
      },
    ],
    'Unified School Districts': [
      { STATE: state, SDUNI: at.school[0], GEOID: state + at.school[0], NAME: at.school[1] },
    ],
    '120th Congressional Districts': [
      {
        STATE: state,
        CD120: at.congress,
        GEOID: state + at.congress,
        NAME: `Congressional District ${Number(at.congress)}`,
      },
    ],
    '2026 State Legislative Districts - Upper': [
      { STATE: state, GEOID: `${state}0${digits(at.upper)}`, NAME: at.upper, LSY: '2024' },
    ],
    '2026 State Legislative Districts - Lower': [
      { STATE: state, GEOID: `${state}0${digits(at.lower)}`, NAME: at.lower, LSY: '2024' },
    ],
    'Metropolitan Statistical Areas': at.metro
      ? [{ CBSA: at.metro[0], GEOID: at.metro[0], NAME: at.metro[1], LSADC: 'M1', MTFCC: 'G3110' }]
      : [],
    '2020 Census ZIP Code Tabulation Areas': [
      { ZCTA5: at.zcta, GEOID: at.zcta, NAME: `ZCTA5 ${at.zcta}`, BASENAME: at.zcta, MTFCC: 'G6350' },
    ],
    '2020 Urban Areas - Corrected': at.urban
      ? [{ UA: at.urban[0], GEOID: at.urban[0], NAME: at.urban[1], MTFCC: 'G3500' }]
      : [],
    'Alaska Native Village Statistical Areas': at.native
      ? [{ AIANNH: at.native[0], GEOID: `${at.native[0]}S`, NAME: at.native[1] }]
      : [],
  }
  return { ...found, ...Object.fromEntries((at.fails ?? []).map((layer) => [layer, failure])) }
}

function digits(district: string): string {
  return district.split(' ').at(-1)!.padStart(2, '0')
}
