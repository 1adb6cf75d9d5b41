import { expect, test } from 'bun:test'
import { answerTable } from '../../src/cli/question/answer-table.ts'
import { withAreaFlags } from '../../src/cli/question/area-request.ts'

test('a fetch is a table of its fields, with the reason of a missing value', () => {
  const fields = {
    county: { status: 'ok', value: 'Denver County', unit: null, source: 'counties', dataset_vintage: '2023' },
    elevation: { status: 'ok', value: 1600.5, unit: 'm', source: 'usgs', dataset_vintage: null },
    tract_population: {
      status: 'ok',
      value: 4321,
      unit: 'people',
      moe_90: 312,
      source: 'acs',
      dataset_vintage: '2024',
    },
    coast_distance_m: {
      status: 'ok',
      value: 3287,
      unit: 'm',
      uncertainty_m: 2630,
      source: 'osm',
      dataset_vintage: null,
    },
    nearest_wetland_distance_m: { status: 'absent', value: null, absent_reason: 'none_within_radius', source: 'nwi' },
    fema_flood_zone: { status: 'failed', value: null, error: 'timeout: No answer.', source: 'fema' },
  }
  expect(answerTable({ lat: 39.7, lng: -104.9, fields })).toEqual([
    '39.7, -104.9',
    '',
    'field                       value                      source',
    'county                      Denver County              counties, 2023',
    'elevation                   1600.5 m                   usgs',
    'tract_population            4321 people ± 312          acs, 2024',
    'coast_distance_m            3287 m ± 2630              osm',
    'nearest_wetland_distance_m  none (none_within_radius)  nwi',
    'fema_flood_zone             failed                     timeout: No answer.',
  ])
})

test('an address is shown with how its match differs, and a rejected one with the candidates', () => {
  const fields = { county: { status: 'ok', value: 'Manatee County', unit: null, source: 'counties' } }
  const warning = 'direction_changed: The match is on Harbor Blvd E, not Harbor Blvd.'
  const geocode = { normalized_address: '929 Harbor Blvd E', accuracy_type: 'rooftop', warnings: [warning] }
  expect(answerTable({ lat: 27.4, lng: -82.5, geocode, fields }).slice(0, 3)).toEqual([
    '27.4, -82.5 929 Harbor Blvd E (rooftop)',
    warning,
    '',
  ])
  const candidates = [{ resolved_address: '929 Harbor Blvd E, Bradenton, FL 34205' }]
  expect(answerTable({ detail: { message: 'No match.', error: 'address_not_found', candidates } })).toEqual([
    'No match. (address_not_found)',
    '  929 Harbor Blvd E, Bradenton, FL 34205',
  ])
})

test('control characters of a publisher do not reach the terminal', () => {
  const fields = {
    county: { status: 'ok', value: 'Den\u001b[2Jver\u0007\u202e', unit: null, source: 'a\nb', dataset_vintage: null },
  }
  expect(answerTable({ lat: 1, lng: 2, fields }).at(-1)).toBe('county  Den [2Jver    a b')
})

test('a class is shown with what it means', () => {
  const fields = { fema_flood_zone: { status: 'ok', value: 'AE', unit: null, source: 'fema', dataset_vintage: null } }
  expect(answerTable({ lat: 39.7, lng: -104.9, fields }).at(-1)).toBe(
    'fema_flood_zone  AE (in the 100-year floodplain)  fema',
  )
})

test('an area is a table of its shares, numbers and distances', () => {
  const shared = { status: 'ok', unit: null, source: 'a', dataset_vintage: null, covered_share: 1 }
  const share = (value: string, part: number) => ({ value, share: part, area_m2: 1e6 * part })
  const fields = {
    county: {
      ...shared,
      area_kind: 'polygon_classes',
      value: { classes: ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name, i) => share(name, i === 0 ? 0.4 : 0.1)) },
    },
    intersects_wetland: {
      ...shared,
      area_kind: 'polygon_share',
      value: { share_true: 0.25, area_m2: 250_000, any: true, all: false },
      absent_parts: [{ reason: 'not_mapped', share: 0.5, area_m2: 500_000 }],
    },
    timezone: {
      ...shared,
      area_kind: 'polygon_classes',
      value: { classes: ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name) => share(name, 0.02)) },
      absent_parts: [{ reason: 'no_data', share: 0.86, area_m2: 860_000 }],
    },
    within_floodplain_polygon: {
      ...shared,
      covered_share: 0.4,
      area_kind: 'polygon_share',
      value: { share_true: 0, area_m2: 0, any: false, all: false },
      absent_parts: [{ reason: 'not_mapped', share: 0.6, area_m2: 600_000 }],
    },
    nearest_airport_name: { ...shared, area_kind: 'nearest', value: { distance_m: 0, value: 'DENVER INTL' } },
    tract_population: {
      ...shared,
      area_kind: 'units',
      value: { units: [{ key: '1', value: 50, share: 1, area_m2: 1e6, share_of_unit: 0.5 }], apportioned_sum: 25 },
    },
  }
  expect(answerTable({ area_m2: 1e6, fields })).toEqual([
    '100\u00a0ha',
    '',
    'field                      value                                                   source',
    'county                     A 40%; B 10%; C 10%; D 10%; E 10%; F 10%; 1 more        a',
    'intersects_wetland         Yes in 25%; Not mapped yet 50%                          a',
    'timezone                   A 2%; B 2%; C 2%; D 2%; E 2%; F 2%; 1 more; No data 86%  a',
    'within_floodplain_polygon  No in 40%; Not mapped yet 60%                           a',
    'nearest_airport_name       DENVER INTL; distance Inside or crossing                a',
    'tract_population           About 25; 1: 50 (100% of the area)                      a',
  ])
})

test('an error about an area names the flag or the file of the command', () => {
  const lineOf = (loc: (string | number)[], msg: string) =>
    withAreaFlags(answerTable({ detail: [{ loc: ['body', ...loc], msg }] })[0]!, 'site.kml')
  expect([
    lineOf(['county_fips'], 'No county has the FIPS code 99999.'),
    lineOf(['around', 'radius_m'], 'The area is too large.'),
    lineOf(['corridor', 'width_m'], 'The area is too large.'),
    lineOf(['geometry', 'coordinates', 0, 3], 'The edge crosses edge 1 of ring body.geometry.coordinates.1.'),
    lineOf(['corridor', 'line', 'coordinates'], 'The line has no length.'),
  ]).toEqual([
    '--county: No county has the FIPS code 99999.',
    '--radius: The area is too large.',
    '--width: The area is too large.',
    'site.kml, coordinates.0.3: The edge crosses edge 1 of ring site.kml, coordinates.1.',
    'site.kml, coordinates: The line has no length.',
  ])
})

test('another answer is a list of its members, and an error its message and code', () => {
  expect(answerTable({ lat: 1, components: { city: 'Denver' }, parcel: null })).toEqual([
    'lat              1',
    'components.city  Denver',
    'parcel           -',
  ])
  expect(answerTable({ detail: { error: 'not_found', message: 'Unknown path.' } })).toEqual([
    'Unknown path. (not_found)',
  ])
  expect(answerTable({ detail: [{ loc: ['body', 'lat'], msg: 'Field required' }] })).toEqual([
    'body.lat: Field required',
  ])
})
