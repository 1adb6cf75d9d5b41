import type { Field } from '../catalog/entry.ts'
import { withoutBrackets } from './brackets.ts'

/** What a field is of, to stand within a sentence: as people say it, else its description without what only a reader of the catalog needs. */
export function subjectOf({ name, description, type }: Pick<Field, 'name' | 'description' | 'type'>): string {
  const said = spoken[name]
  if (said !== undefined) return said
  const text = description.replace(/\.$/, '').replace(/, such as .*$/s, '')
  if (type === 'boolean') return small(text.replace(/^(?:Whether|True when) /, '').replace(/^The /, 'the ')).replaceAll('the point', 'this place')
  const short = shortened(text).replace(/^Name of (?=the )/, '').replace(/ or county equivalent\b/, '').replaceAll('the point', 'this place')
  return short.startsWith('How ') ? short : `the ${small(short).replace(/^the /, '')}`
}

/** The thing whose distance a field tells: "the nearest hospital". */
export function farThingOf(field: Field): string {
  return subjectOf(field).replace(/^the distance to /, '')
}

/** A text that begins a sentence. */
export function capital(text: string): string {
  return text === '' ? '' : text[0]!.toUpperCase() + text.slice(1)
}

/** A text that stands within a sentence. A name keeps its capitals. */
export function small(text: string): string {
  return /^[A-Z](?=[a-z-]|\s)/.test(text) && !/^[A-Z][a-z-]* [A-Z][a-z]/.test(text) && !properName.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text
}

const properName = /^(?:Strahler|Koppen|Scott|Census|Landfire)/

/** Without brackets, asides and "at the point": what is left is what it is. */
function shortened(text: string): string {
  const bare = withoutBrackets(text).replace(/:.*$/s, '')
  const [head = '', ...rest] = bare.split(', ')
  const tail = rest.at(-1) ?? ''
  const isList = /^(?:\S+ ){1,2}(?:or|and) /.test(tail)
  const told = rest.length === 0 || isList ? bare : /^(?:that|whose|which) /.test(tail) ? `${head} ${tail}` : head
  return told.replace(/ (?:(?:at|of) the point|that (?:contains|covers) the point)$/, '')
}

/** How people call what is asked for most. */
const spoken: Record<string, string> = {
  state: 'the state', state_name: 'the state', state_fips: 'the FIPS code of the state', county: 'the county', county_fips: 'the FIPS code of the county', cbsa_code: 'the code of the metropolitan area', cbsa_name: 'the metropolitan area',
  place_name: 'the city or town', zcta5: 'the ZIP code area', school_district_name: 'the school district', congressional_district: 'the congressional district', tract_geoid: 'the census tract', timezone: 'the time zone',
  utc_offset_standard_hours: 'the offset of standard time from UTC', county_land_area_km2: 'the land area of the county', county_water_area_km2: 'the water area of the county', nearest_zip_centroid: 'the ZIP code with the nearest centre',
  fema_flood_zone: 'the FEMA flood zone', wetland_type: 'the type of the wetland', nearest_heliport_name: 'the nearest heliport', nearest_heliport_distance_m: 'the distance to the nearest heliport', nearest_seaplane_base_distance_m: 'the distance to the nearest seaplane base', nearest_stream_permanence: 'the flow of the nearest stream through the year',
  county_net_domestic_migration: 'the net migration into the county from the rest of the country', county_building_permits_total_units: 'the number of homes permitted in the county in the latest full year', county_building_permits_single_family_units: 'the number of single-family homes permitted in the county in the latest full year', county_employment_total: 'the number of jobs in the county',
  heating_degree_days_c: 'the sum of heating degree days in a year', cooling_degree_days_c: 'the sum of cooling degree days in a year', tract_population_density_per_km2: 'the population density of the tract', critical_habitat_species: 'the species whose critical habitat this is', endangered_species_names: 'the list of endangered species',
  air_quality_index_current: 'the current US air quality index', nearest_waterbody_distance_m: 'the distance to the nearest lake, pond or other waterbody', nearest_waterbody_name: 'the nearest named lake or other waterbody', nearest_stream_name: 'the nearest named stream', nearest_stream_distance_m: 'the distance to the nearest stream',
  elevation: 'the ground elevation', active_weather_alerts_count: 'the number of active weather alerts', most_severe_weather_alert: 'the most severe weather alert', crop_rotation_5y: 'the crops of the latest years, oldest first,', slope_degrees: 'the slope', aspect_cardinal: 'the direction that the slope faces', coast_body_name: 'the nearest sea or lake',
  tidal_great_diurnal_range_m: 'the range of the tide', magnetic_declination_degrees: 'the magnetic declination', magnetic_inclination_degrees: 'the magnetic dip', magnetic_field_strength_nt: 'the strength of the magnetic field',
  winter_solstice_day_length_hours: 'the length of the shortest day', summer_solstice_day_length_hours: 'the length of the longest day', geoid_undulation_m: 'the height of the geoid above the ellipsoid',
  mgrs: 'the MGRS coordinate', us_national_grid: 'the US National Grid coordinate', plus_code: 'the Plus code', geohash: 'the geohash', utm_zone: 'the UTM zone', utm_easting_m: 'the UTM easting', utm_northing_m: 'the UTM northing', maidenhead_locator: 'the Maidenhead locator',
  nearest_place_population: 'the population of the nearest town', nearest_place_state: 'the state of the nearest town',
}
