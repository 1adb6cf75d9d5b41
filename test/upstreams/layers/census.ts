import { facts, geographies, geographyLayers } from '../documents/census-geographies.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { box, line, multipartShape, surroundings, type SimulatedShape } from './shapes.ts'

const current = 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Current/MapServer'
const census2020 = 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/tigerWMS_Census2020/MapServer'
const roads = 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Transportation/MapServer'
const hydro = 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Hydro/MapServer'
const areaColumns = 'OBJECTID OID GEOID NAME BASENAME STATE AREALAND:double INTPTLAT'
const roadColumns = 'OBJECTID OID NAME MTFCC'
const waterColumns = 'OBJECTID OID HYDROID NAME BASENAME MTFCC AREAWATER:double'

/** The real state and county of each place, and a tract of it. */
const homes: { place: PlaceName; state: string; usps: string; county: string; countyName: string; tract: string }[] = [
  { place: 'boulder', state: 'Colorado', usps: 'CO', county: '08013', countyName: 'Boulder', tract: '08013012203' },
  {
    place: 'miami_beach',
    state: 'Florida',
    usps: 'FL',
    county: '12086',
    countyName: 'Miami-Dade',
    tract: '12086004406',
  },
  {
    place: 'new_orleans',
    state: 'Louisiana',
    usps: 'LA',
    county: '22071',
    countyName: 'Orleans',
    tract: '22071013400',
  },
  { place: 'kansas', state: 'Kansas', usps: 'KS', county: '20027', countyName: 'Clay', tract: '20027458200' },
  { place: 'manhattan', state: 'New York', usps: 'NY', county: '36061', countyName: 'New York', tract: '36061007600' },
  { place: 'paradise', state: 'California', usps: 'CA', county: '06007', countyName: 'Butte', tract: '06007001702' },
  { place: 'anchorage', state: 'Alaska', usps: 'AK', county: '02020', countyName: 'Anchorage', tract: '02020001100' },
  {
    place: 'san_juan',
    state: 'Puerto Rico',
    usps: 'PR',
    county: '72127',
    countyName: 'San Juan',
    tract: '72127000500',
  },
]

/** The layers of the geocoder that have an outline of their own here. */
const ownLayers = new Set(['States', 'Counties', 'Census Tracts', 'Census Block Groups'])

/**
 * States, counties, tracts, block groups and roads of TIGERweb: synthetic shapes under real codes, and roads in the
 * words of the real layers.
 */
export const censusLayers: SimulatedLayer[] = [
  layer({
    at: `${current}/80`,
    name: 'States',
    kind: 'polygon',
    columns: `${areaColumns} STUSAB`,
    rows: homes.map(({ place, state, usps, county }) => [
      surroundings(place),
      { ...named(county.slice(0, 2), state, state), STUSAB: usps },
    ]),
  }),
  layer({ at: `${current}/79`, name: 'States Labels', kind: 'polygon', columns: areaColumns, rows: [] }),
  layer({ at: `${current}/81`, name: 'Counties Labels', kind: 'polygon', columns: areaColumns, rows: [] }),
  layer({
    at: `${current}/82`,
    name: 'Counties',
    kind: 'polygon',
    columns: `${areaColumns} COUNTY`,
    rows: homes.map(({ place, county, countyName }) => [
      surroundings(place),
      { ...named(county, `${countyName} County`, countyName), COUNTY: county.slice(2) },
    ]),
  }),
  layer({
    at: `${current}/8`,
    name: 'Census Tracts',
    kind: 'polygon',
    columns: `${areaColumns} COUNTY TRACT`,
    rows: homes.map(({ place, tract }) => [
      surroundings(place),
      {
        ...named(tract, `Census Tract ${Number(tract.slice(5)) / 100}`, `${Number(tract.slice(5)) / 100}`),
        AREALAND: facts[place].land,
        COUNTY: tract.slice(2, 5),
        TRACT: tract.slice(5),
      },
    ]),
  }),
  layer({
    at: `${current}/10`,
    name: 'Census Block Groups',
    kind: 'polygon',
    columns: `${areaColumns} COUNTY TRACT BLKGRP`,
    rows: homes.map(({ place, tract }) => {
      const group = facts[place].block.slice(0, 1)
      const names = named(`${tract}${group}`, `Block Group ${group}`, group)
      return [surroundings(place), { ...names, COUNTY: tract.slice(2, 5), TRACT: tract.slice(5), BLKGRP: group }]
    }),
  }),
  layer({
    at: `${census2020}/10`,
    name: 'Census Blocks',
    kind: 'polygon',
    columns: 'OBJECTID GEOID HU100:integer POP100:integer AREALAND:double AREAWATER:double',
    rows: homes.flatMap(({ place, tract }, i) => [
      [box(place, -600, -600, 600, 600), block(`${tract}1000`, 12 * i * i, 1_440_000)],
      [box(place, 600, -600, 5_000, 600), block(`${tract}1001`, 30 * i, 5_280_000)],
      [box(place, -9_000, 1_500, 9_000, 6_000), block(`${tract}1002`, 900, 81_000_000)], // beyond 1 km
    ]),
  }),
  ...geographyLayers.filter((name) => !ownLayers.has(name)).map(layerOfGeocoder),
  layer({ at: `${hydro}/0`, name: 'Linear Hydrography', kind: 'line', columns: waterColumns, rows: [] }),
  layer({
    at: `${hydro}/1`,
    name: 'Areal Hydrography',
    kind: 'polygon',
    columns: waterColumns,
    rows: [
      water(box('miami_beach', -4_000, -5_000, -600, 5_000), '1601', 'Biscayne Bay', 'H2051'),
      water(box('miami_beach', 450, -6_000, 5_500, 6_000), '1602', 'Atlantic Ocean', 'H2053'),
      water(box('miami_beach', 30, -200, 60, 200), '1603', 'Pancoast Lake', 'H2030'),
      water(box('boulder', 3_000, 0, 3_400, 400), '1604', 'Made-up Bay', 'H2051'), // an arm of a reservoir
      water(box('manhattan', -3_100, -8_000, -1_900, 8_000), '1605', 'Hudson River', 'H3010'),
    ],
  }),
  layer({
    at: `${roads}/2`,
    name: 'Primary Roads',
    kind: 'line',
    columns: roadColumns,
    rows: [
      road(line('boulder', [1_800, -9_000], [1_800, 9_000]), '1101', 'US Hwy 36', 'S1100'),
      road(line('miami_beach', [-4_000, -2_200], [-300, -2_200]), '1102', 'I- 395', 'S1100'),
      road(
        multipartShape(line('new_orleans', [-900, -2_000], [-900, 0]), line('new_orleans', [-900, 500], [-900, 2_000])),
        '1103',
        'I- 10',
        'S1100',
      ),
      road(line('manhattan', [-2_000, -3_000], [-2_000, 3_000]), '1104', 'State Rte 9A', 'S1100'),
      road(line('san_juan', [-3_000, -1_500], [3_000, -1_500]), '1105', 'Expreso Rafael Martínez Nadal', 'S1100'),
    ],
  }),
  layer({
    at: `${roads}/6`,
    name: 'Secondary Roads',
    kind: 'line',
    columns: roadColumns,
    rows: [
      road(line('boulder', [-200, -5_000], [-200, 5_000]), '1201', 'State Hwy 93', 'S1200'),
      road(line('miami_beach', [120, -4_000], [120, 4_000]), '1202', 'State Rd A1A', 'S1200'),
      // One road in two states, in two pieces that end at the border.
      road(
        {
          kind: 'line',
          paths: [
            [
              [-105.32, 40.9],
              [-105.32, 41],
            ],
          ],
        },
        '1206',
        'US Hwy 287',
        'S1200',
      ),
      road(
        {
          kind: 'line',
          paths: [
            [
              [-105.32, 41],
              [-105.32, 41.1],
            ],
          ],
        },
        '1207',
        'US Hwy 287',
        'S1200',
      ),
      road(line('kansas', [-9_000, 3_000], [9_000, 3_000]), '1203', 'US Hwy 24', 'S1200'),
      road(line('paradise', [400, -5_000], [400, 5_000]), '1204', 'Skyway', 'S1200'),
      road(line('manhattan', [-600, -300], [600, -300]), '1205', null, 'S1200'),
    ],
  }),
  layer({
    at: `${roads}/8`,
    name: 'Local Roads',
    kind: 'line',
    columns: roadColumns,
    rows: [
      road(line('boulder', [-400, 80], [400, 80]), '1401', 'Pearl St', 'S1400'),
      road(line('boulder', [-400, 200], [400, 200]), '1402', 'Spruce St', 'S1400'),
      road(line('boulder', [400, 80], [400, 200]), '1402', 'Spruce St', 'S1400'), // one road in two pieces with one OID
      road(line('boulder', [50, -450], [50, -900]), '1403', null, 'S1740'),
      road(line('miami_beach', [-300, 30], [300, 30]), '1404', 'Lincoln Rd', 'S1400'),
      road(line('kansas', [600, -2_000], [600, 2_000]), '1405', 'Quail Rd', 'S1400'),
      ...Array.from({ length: 30 }, (_, index) =>
        road(
          line('manhattan', [-700, -420 + index * 30], [700, -420 + index * 30]),
          `15${index}`,
          `W ${10 + index}th St`,
          'S1400',
        ),
      ),
    ],
  }),
]

/** A layer of the geocoder, with the records that it has around each place. */
function layerOfGeocoder(name: string, index: number): SimulatedLayer {
  const records = (Object.keys(testPlaces) as PlaceName[]).flatMap((place) =>
    geographies(place)[name]!.flatMap((record): [SimulatedShape, Record<string, SimulatedCell>][] =>
      'GEOID' in record ? [[surroundings(place), record as Record<string, SimulatedCell>]] : [],
    ),
  )
  const columns = new Set(records.flatMap(([, record]) => Object.keys(record)))
  return layer({
    at: `${current}/${100 + index}`,
    name,
    kind: 'polygon',
    columns: ['OBJECTID', ...columns].join(' '),
    rows: records,
  })
}

function named(geoid: string, name: string, base: string): Record<string, SimulatedCell> {
  return {
    OID: `2759${geoid}`,
    GEOID: geoid,
    NAME: name,
    BASENAME: base,
    STATE: geoid.slice(0, 2),
    AREALAND: 1_880_000_000,
    INTPTLAT: '+40.0949699',
  }
}

function water(
  shape: SimulatedShape,
  oid: string,
  name: string,
  mtfcc: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [shape, { OID: `1105${oid}`, HYDROID: `1105${oid}`, NAME: name, BASENAME: name, MTFCC: mtfcc }]
}

function road(
  shape: SimulatedShape,
  oid: string,
  name: string | null,
  mtfcc: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [shape, { OID: `1104${oid}`, NAME: name, MTFCC: mtfcc }]
}

function block(GEOID: string, HU100: number, AREALAND: number): Record<string, SimulatedCell> {
  return { GEOID, HU100, POP100: 2 * HU100, AREALAND, AREAWATER: 0 }
}
