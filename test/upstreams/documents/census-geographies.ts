import type { PlaceName } from '../test-places.ts'

// Synthetic: the codes of states, counties and metropolitan areas are real ones, those of smaller areas only have the
// right form.

/** The layers of the geocoder at a place, keyed as the publisher keys them; without a place every layer is empty. */
export function geographies(name: PlaceName | null): Record<string, Record<string, unknown>[]> {
  const found = name ? layersOf(facts[name]) : {}
  return Object.fromEntries(geographyLayers.map((layer) => [layer, found[layer] ?? []]))
}

/** Where a place lies, in codes: state, county and name, tract, block, land of the tract in square metres. */
export const facts = {
  boulder: {
    state: ['08', 'CO', 'Colorado'],
    county: ['013', 'Boulder County'],
    tract: '012203',
    block: '2014',
    land: 1_862_310,
    place: ['07850', 'Boulder city'],
    subdivision: ['90243', 'Boulder CCD'],
    school: ['02490', 'Boulder Valley School District RE-2'],
    congress: '02',
    upper: 'State Senate District 18',
    lower: 'State House District 10',
    metro: ['14500', 'Boulder, CO Metro Area'],
    zcta: '80302',
    urban: ['09298', 'Boulder, CO Urban Area'],
  },
  miami_beach: {
    state: ['12', 'FL', 'Florida'],
    county: ['086', 'Miami-Dade County'],
    tract: '004406',
    block: '1003',
    land: 612_045,
    place: ['45025', 'Miami Beach city'],
    subdivision: ['92158', 'Miami Beach CCD'],
    school: ['00390', 'Dade County School District'],
    congress: '24',
    upper: 'State Senate District 36',
    lower: 'State House District 106',
    metro: ['33100', 'Miami-Fort Lauderdale-West Palm Beach, FL Metro Area'],
    zcta: '33139',
    urban: ['56602', 'Miami--Fort Lauderdale, FL Urban Area'],
  },
  new_orleans: {
    state: ['22', 'LA', 'Louisiana'],
    county: ['071', 'Orleans Parish'],
    tract: '013400',
    block: '1027',
    land: 1_480_772,
    place: ['55000', 'New Orleans city'],
    subdivision: ['94770', 'District A'],
    school: ['01170', 'Orleans Parish School District'],
    congress: '02',
    upper: 'State Senate District 5',
    lower: 'State House District 93',
    metro: ['35380', 'New Orleans-Metairie, LA Metro Area'],
    zcta: '70112',
    urban: ['62677', 'New Orleans, LA Urban Area'],
  },
  kansas: {
    state: ['20', 'KS', 'Kansas'],
    county: ['027', 'Clay County'],
    tract: '458200',
    block: '3112',
    land: 601_233_907,
    place: null,
    subdivision: ['27350', 'Grant township'],
    school: ['04620', 'Clay Center Unified School District 379'],
    congress: '01',
    upper: 'State Senate District 21',
    lower: 'State House District 64',
    metro: null,
    zcta: '67432',
    urban: null,
  },
  manhattan: {
    state: ['36', 'NY', 'New York'],
    county: ['061', 'New York County'],
    tract: '007600',
    block: '1001',
    land: 195_420,
    place: ['51000', 'New York city'],
    subdivision: ['44919', 'Manhattan borough'],
    school: ['20580', 'New York City Department Of Education'],
    congress: '12',
    upper: 'State Senate District 47',
    lower: 'Assembly District 75',
    metro: ['35620', 'New York-Newark-Jersey City, NY-NJ Metro Area'],
    zcta: '10001',
    urban: ['63217', 'New York--Jersey City--Newark, NY--NJ Urban Area'],
  },
  paradise: {
    state: ['06', 'CA', 'California'],
    county: ['007', 'Butte County'],
    tract: '001702',
    block: '4008',
    land: 9_470_118,
    place: ['55520', 'Paradise town'],
    subdivision: ['92440', 'Paradise CCD'],
    school: ['29550', 'Paradise Unified School District'],
    congress: '01',
    upper: 'State Senate District 1',
    lower: 'Assembly District 3',
    metro: ['17020', 'Chico, CA Metro Area'],
    zcta: '95969',
    urban: ['66946', 'Paradise, CA Urban Area'],
    fails: ['Census Block Groups', '2020 Census Blocks', 'Metropolitan Statistical Areas'],
  },
  anchorage: {
    state: ['02', 'AK', 'Alaska'],
    county: ['020', 'Anchorage Municipality'],
    tract: '001100',
    block: '1044',
    land: 1_010_336,
    place: ['03000', 'Anchorage municipality'],
    subdivision: ['68560', 'Anchorage'],
    school: ['00180', 'Anchorage School District'],
    congress: '00',
    upper: 'State Senate District I',
    lower: 'State House District 17',
    metro: ['11260', 'Anchorage, AK Metro Area'],
    zcta: '99501',
    urban: ['02305', 'Anchorage, AK Urban Area'],
    native: ['6690', 'Knik ANVSA'],
  },
  san_juan: {
    state: ['72', 'PR', 'Puerto Rico'],
    county: ['127', 'San Juan Municipio'],
    tract: '000500',
    block: '2009',
    land: 402_118,
    place: ['76770', 'San Juan zona urbana'],
    designated: true,
    subdivision: ['71520', 'San Juan Antiguo barrio'],
    school: ['00030', 'Puerto Rico Department of Education'],
    congress: '98',
    upper: 'State Senate District I',
    lower: 'State House District 1',
    metro: ['41980', 'San Juan-Bayamón-Caguas, PR Metro Area'],
    zcta: '00901',
    urban: ['79606', 'San Juan, PR Urban Area'],
  },
} satisfies Record<PlaceName, Facts>

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
