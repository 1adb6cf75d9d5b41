export type TownFacts = readonly [city: string, state: string, zip: string, county: string]

/** The types of streets: the standard abbreviation first. */
export const firmSuffixes = [
  ['St', 'Street', 'St.'],
  ['Ave', 'Avenue', 'Av', 'Ave.'],
  ['Rd', 'Road', 'Rd.'],
  ['Blvd', 'Boulevard', 'Blvd.'],
  ['Dr', 'Drive', 'Dr.'],
  ['Ln', 'Lane'],
  ['Ct', 'Court'],
  ['Pl', 'Place'],
] as const
export const suffixes: readonly (readonly string[])[] = [
  ...firmSuffixes,
  ['Ter', 'Terrace', 'Terr'],
  ['Way', 'Wy'],
  ['Cir', 'Circle'],
  ['Pkwy', 'Parkway', 'Pky'],
  ['Hwy', 'Highway'],
  ['Trl', 'Trail'],
  ['Sq', 'Square'],
  ['Loop'],
  ['Xing', 'Crossing'],
  ['Cv', 'Cove'],
]

export const oneLetter = [
  ['N', 'N.', 'North'],
  ['S', 'S.', 'South'],
  ['E', 'E.', 'East'],
  ['W', 'W.', 'West'],
] as const
export const twoLetters = [
  ['NE', 'N.E.', 'Northeast'],
  ['NW', 'N.W.', 'Northwest'],
  ['SE', 'S.E.', 'Southeast'],
  ['SW', 'S.W.', 'Southwest'],
] as const
export const directions = [...oneLetter, ...twoLetters]

export const names = [
  'Main',
  'Oak',
  'Washington',
  'Juniper Ridge',
  'Martin Luther King Jr',
  'Old Mill',
  'La Cienega',
  'Rancho Vista',
  'St Charles',
  "O'Brien",
  'Kings Point',
  'Country Club',
  'Park',
  'Lake Shore',
  'Peachtree',
  'Bay to Bay',
  'Las Palmas',
  'McKinley',
  'Mt Hope',
  'Forest Glen',
  'Cove Canal',
  'Federal',
  'Sunset Hills',
  'José Martí',
  'Harbor View',
  'Three Rivers',
  'Eight Mile',
  'Garden of the Gods',
  'Van Ness',
  'De Vaca',
] as const

/** Names that are words of street types themselves. */
export const suffixNames = [
  ['Park Avenue', 'Park', 'Ave'],
  ['Lake View Dr', 'Lake View', 'Dr'],
  ['Forest Glen Ct', 'Forest Glen', 'Ct'],
  ['Court St', 'Court', 'St'],
  ['Avenue Rd', 'Avenue', 'Rd'],
  ['Mill Pond Ln', 'Mill Pond', 'Ln'],
  ['Union Square Blvd', 'Union Square', 'Blvd'],
  ['Station Pl', 'Station', 'Pl'],
  ['North St', 'North', 'St'],
  ['Circle Dr', 'Circle', 'Dr'],
  ['Old Bridge Rd', 'Old Bridge', 'Rd'],
] as const

export const ordinalWords = [
  ['First', '1st'],
  ['Second', '2nd'],
  ['Fifth', '5th'],
  ['Seventh', '7th'],
  ['Twelfth', '12th'],
  ['Twenty-First', '21st'],
  ['Twenty First', '21st'],
  ['Forty-Second', '42nd'],
] as const

export const countyWords = [
  ['County Road', 'County Road'],
  ['County Rd', 'County Road'],
  ['Co Rd', 'County Road'],
  ['CR', 'County Road'],
  ['CR-', 'County Road'],
  ['CTH', 'County Highway'],
  ['County Highway', 'County Highway'],
  ['County Hwy', 'County Highway'],
  ['County Route', 'County Route'],
] as const

export const highwayWords = [
  ['US', 'US Highway'],
  ['U.S.', 'US Highway'],
  ['US Hwy', 'US Highway'],
  ['US Highway', 'US Highway'],
  ['US Route', 'US Highway'],
  ['US-', 'US Highway'],
  ['SR', 'State Route'],
  ['SR-', 'State Route'],
  ['State Road', 'State Road'],
  ['State Rd', 'State Road'],
  ['State Route', 'State Route'],
  ['State Hwy', 'State Highway'],
  ['State Highway', 'State Highway'],
  ['FL-', 'State Route'],
  ['Highway', 'Highway'],
  ['Hwy', 'Highway'],
  ['Route', 'Route'],
  ['Rte', 'Route'],
] as const

/** Those that do not join their number. */
export const spacedHighways = highwayWords.filter(([word]) => !word.endsWith('-'))

export const buildingNames = [
  'Sunrise Plaza',
  'Harbor Tower',
  'Union Court',
  'Grand Central Square',
  'Empire Building',
  'Lakeside Mall',
  'c/o Jane Roe',
  'Acme Widgets Inc',
  'The Mill at Park Place',
] as const
export const firms = ['Harbor Cafe', 'Acme Widgets Inc', "Roe's Diner", 'First Baptist Church', 'Jane Roe'] as const
export const neighborhoods = ['Urb Las Gladiolas', 'URB. Highland Gardens', 'Urb Santa Rosa', 'Villa del Rey'] as const

export const towns: readonly TownFacts[] = [
  ['Tampa', 'FL', '33602', 'Hillsborough'],
  ['Boulder', 'CO', '80302', 'Boulder'],
  ['Austin', 'TX', '78701', 'Travis'],
  ['Boca Raton', 'FL', '33434', 'Palm Beach'],
  ['Portland', 'OR', '97219', 'Multnomah'],
  ['East Palo Alto', 'CA', '94303', 'San Mateo'],
  ['St Paul', 'MN', '55101', 'Ramsey'],
  ['St. Louis', 'MO', '63118', 'St. Louis'],
  ['Hoboken', 'NJ', '07030', 'Hudson'],
  ['New York', 'NY', '10118', 'New York'],
  ['Waipahu', 'HI', '96797', 'Honolulu'],
  ['West Melbourne', 'FL', '32904', 'Brevard'],
  ['North St Paul', 'MN', '55109', 'Ramsey'],
  ['North Miami', 'FL', '33161', 'Miami-Dade'],
  ['Seattle', 'WA', '98101', 'King'],
  ['Chicago', 'IL', '60606', 'Cook'],
  ['Salt Lake City', 'UT', '84101', 'Salt Lake'],
  ['Menomonee Falls', 'WI', '53051', 'Waukesha'],
  ['Phoenix', 'AZ', '85004', 'Maricopa'],
  ['Nashville', 'TN', '37203', 'Davidson'],
  ['Cambridge', 'MA', '02139', 'Middlesex'],
  ['Fort Lauderdale', 'FL', '33301', 'Broward'],
  ['Ft Lauderdale', 'FL', '33301', 'Broward'],
  ['Mount Vernon', 'NY', '10550', 'Westchester'],
  ['Bradenton', 'FL', '34205', 'Manatee'],
  ['Charleston', 'WV', '25301', 'Kanawha'],
  ['Little Rock', 'AR', '72201', 'Pulaski'],
  ['Manchester', 'NH', '03101', 'Hillsborough'],
  ['Washington', 'DC', '20004', 'District of Columbia'],
]
export const puertoRicanTowns: readonly TownFacts[] = [
  ['San Juan', 'PR', '00926', ''],
  ['Ponce', 'PR', '00731', ''],
  ['Bayamon', 'PR', '00961', ''],
]
/** The names of the states of the towns. */
export const stateNames: Record<string, string> = {
  AR: 'Arkansas',
  AZ: 'Arizona',
  CA: 'California',
  CO: 'Colorado',
  DC: 'District of Columbia',
  FL: 'Florida',
  HI: 'Hawaii',
  IL: 'Illinois',
  MA: 'Massachusetts',
  MN: 'Minnesota',
  MO: 'Missouri',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NY: 'New York',
  OR: 'Oregon',
  PR: 'Puerto Rico',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  WA: 'Washington',
  WI: 'Wisconsin',
  WV: 'West Virginia',
}
