import { attributeOf } from '../../geo/attribute.ts'
import type { Point } from '../../model/place.ts'
import type { Properties, Value } from '../../model/source.ts'
import type { PackDataset } from '../../packs/pack.ts'

/** The TIGER/Line records at a point, in the form of the Census geocoder (`result.geographies`, by its layer names). */
export function geographiesAt(
  { layers }: PackDataset,
  at: Point,
): { result: { geographies: Record<string, Properties[]> } } {
  const found: Record<string, Properties[]> = {}
  for (const [layer, { query }] of layers) {
    for (const { properties } of query({ at, radius_m: 0 })) {
      const name = geocoderLayers[layer]?.(properties)
      if (name !== undefined) (found[name] ??= []).push(toGeocoderRecord(properties))
    }
  }
  for (const layer of layers.keys()) for (const name of emptyLayersOf(layer, found)) found[name] ??= []
  return { result: { geographies: found } }
}

/** The geocoder's layer name for a record of each TIGER/Line file. */
const geocoderLayers: Record<string, (properties: Properties) => string> = {
  STATE: () => 'States',
  COUNTY: () => 'Counties',
  TRACT: () => 'Census Tracts',
  BG: () => 'Census Block Groups',
  TABBLOCK20: () => '2020 Census Blocks',
  // The class of a census designated place starts with U.
  PLACE: (properties) =>
    String(readAttribute(properties, 'CLASSFP') ?? '').startsWith('U')
      ? 'Census Designated Places'
      : 'Incorporated Places',
  CDP: () => 'Census Designated Places',
  COUSUB: () => 'County Subdivisions',
  UNSD: () => 'Unified School Districts',
  SCSD: () => 'Secondary School Districts',
  ELSD: () => 'Elementary School Districts',
  CD: (properties) => `${ordinalOf(congressOf(properties))} ${districts}`,
  SLDU: () => 'State Legislative Districts - Upper',
  SLDL: () => 'State Legislative Districts - Lower',
  CBSA: (properties) =>
    (readAttribute(properties, 'LSAD') ?? readAttribute(properties, 'LSADC')) === 'M2'
      ? 'Micropolitan Statistical Areas'
      : 'Metropolitan Statistical Areas',
  ZCTA520: () => '2020 Census ZIP Code Tabulation Areas',
  UAC20: () => '2020 Urban Areas - Corrected',
  // Only the name is read, so any of the geocoder's layers of tribal areas will do.
  AIANNH: () => 'Federal American Indian Reservations',
}

/**
 * The names of the geocoder for a TIGER/Line file. Like the geocoder, the document also has layers without a record.
 */
function emptyLayersOf(layer: string, found: Record<string, Properties[]>): string[] {
  if (layer === 'CD') return Object.keys(found).some((name) => name.endsWith(districts)) ? [] : [`0th ${districts}`]
  return emptyLayers[layer] ?? []
}

const districts = 'Congressional Districts'

const emptyLayers: Record<string, string[]> = {
  STATE: ['States'],
  COUNTY: ['Counties'],
  TRACT: ['Census Tracts'],
  BG: ['Census Block Groups'],
  TABBLOCK20: ['2020 Census Blocks'],
  PLACE: ['Incorporated Places', 'Census Designated Places'],
  COUSUB: ['County Subdivisions'],
  UNSD: ['Unified School Districts', 'Secondary School Districts', 'Elementary School Districts'],
  SCSD: ['Secondary School Districts'],
  ELSD: ['Elementary School Districts'],
  SLDU: ['State Legislative Districts - Upper'],
  SLDL: ['State Legislative Districts - Lower'],
  CDP: ['Census Designated Places'],
  CBSA: ['Metropolitan Statistical Areas', 'Micropolitan Statistical Areas'],
  ZCTA520: ['2020 Census ZIP Code Tabulation Areas'],
  UAC20: ['2020 Urban Areas - Corrected'],
  AIANNH: [
    'Federal American Indian Reservations',
    'Off-Reservation Trust Lands',
    'State American Indian Reservations',
    'Hawaiian Home Lands',
    'Alaska Native Village Statistical Areas',
    'Oklahoma Tribal Statistical Areas',
    'American Indian Joint-Use Areas',
  ],
}

/**
 * Renames TIGER/Line attributes to the geocoder's NAME, STUSAB, AREALAND, CBSA and ZCTA5. Those of 2020 end in 20.
 * Layers that were copied from TIGERweb have the names of the geocoder.
 */
function toGeocoderRecord(properties: Properties): Properties {
  const read = (...names: string[]) =>
    names.map((name) => readAttribute(properties, name)).find((value) => value !== undefined)
  const record: Record<string, Value | undefined> = {
    GEOID: read('GEOID'),
    NAME: read('NAMELSAD', 'NAME'),
    BASENAME: read('BASENAME', 'NAME'),
    STUSAB: read('STUSAB', 'STUSPS'),
    AREALAND: read('AREALAND', 'ALAND'),
    CBSA: read('CBSA', 'CBSAFP'),
    ZCTA5: read('ZCTA5', 'ZCTA5CE'),
  }
  return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined))
}

function readAttribute(properties: Properties, name: string): Value | undefined {
  return attributeOf(properties, name) ?? attributeOf(properties, `${name}20`)
}

/** The number of the Congress, from a column name such as CD119FP or CD119. */
function congressOf(properties: Properties): number {
  for (const name of Object.keys(properties)) {
    const congress = /^CD(\d+)(?:FP)?$/i.exec(name)?.[1]
    if (congress !== undefined) return Number(congress)
  }
  return 0
}

function ordinalOf(number: number): string {
  const ending = number % 100 >= 11 && number % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}
