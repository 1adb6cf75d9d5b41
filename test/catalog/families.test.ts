import { expect, test } from 'bun:test'
import { airStandard, designValue } from '../../catalog/families-subjects.ts'
import {
  computed,
  documented,
  documentPath,
  float,
  integer,
  nearest,
  polygonAtPoint,
  rasterSample,
  tableRow,
} from '../../catalog/families.ts'
import type { Field } from '../../src/catalog/records.ts'

const family = { dataset: 'areas', layer: 'made_up', ttl_seconds: 60, evidence: documented }
const usual = { layer: 'made_up', ttl_seconds: 60, evidence: documented, lifecycle: 'beta', derivation: null }
const wells = { ...family, thing: 'well', radii_m: [500, 10_000], where: 'OPEN = 1' }

const cases: [string, Field[], Partial<Field>][] = [
  [
    'the distance to the nearest thing',
    nearest(wells, { nearest_well_distance_m: { distance: true, hints: 'Straight line.' } }),
    {
      ...usual,
      name: 'nearest_well_distance_m',
      description: 'Distance to the nearest well.',
      interpretation_hints: 'Straight line.',
      type: 'float',
      unit: 'm',
      decimals: 1,
      valid_range: [0, 10_000],
      null_meaning: 'No well within 10 km.',
      read: { dataset: 'areas', op: 'nearest_distance', where: 'OPEN = 1', search_radii_m: [500, 10_000] },
    } as Partial<Field>,
  ],
  [
    'an attribute of the nearest thing, in a source that covers two regions',
    nearest(
      { ...wells, covers: ['conus', 'hi'] },
      {
        nearest_well_depth_m: {
          attribute: 'DEPTH',
          of: 'Depth of',
          hints: 'As drilled.',
          ...float('m', 1, [0, 9_000]),
        },
      },
    ),
    {
      description: 'Depth of the nearest well.',
      null_meaning:
        'No well within 10 km, or its record does not say. Also null outside the coverage of the source (48 states and DC, Hawaii).',
      read: {
        dataset: 'areas',
        op: 'nearest_attribute',
        attribute: 'DEPTH',
        where: 'OPEN = 1',
        search_radii_m: [500, 10_000],
      },
    },
  ],
  [
    'the number of things, which is null only outside the coverage',
    nearest(
      { ...wells, covers: ['conus'] },
      { wells_within_1km_count: { within_m: 1_000, description: 'Number of wells within 1 km.', hints: 'All.' } },
    ),
    {
      type: 'integer',
      unit: 'count',
      null_meaning: 'Outside the coverage of the source (48 states and DC).',
      read: { dataset: 'areas', op: 'count', radius_m: 1_000, where: 'OPEN = 1' },
    },
  ],
  [
    'the design value of a pollutant',
    designValue({ ...family, radii_m: [50_000] }, 'ppb', {
      prefix: 'no2_1hr',
      pollutant: '1-hour NO2',
      value: 'DV',
      site: 'SITE',
      hints: 'Three years.',
    }),
    {
      name: 'no2_1hr_design_value_ppb',
      description: '1-hour NO2 design value of the nearest monitor with a valid 1-hour NO2 design value.',
      unit: 'ppb',
    },
  ],
  [
    'whether a polygon contains the point',
    polygonAtPoint(
      { ...family, thing: 'karst area' },
      { in_karst_area: { within: true, description: 'In a karst area.', hints: 'Mapped.' } },
    ),
    { type: 'boolean', null_meaning: null, read: { dataset: 'areas', op: 'within' } },
  ],
  [
    'an attribute of the polygon at the point',
    polygonAtPoint(
      { ...family, thing: 'karst area', pick: ['RANK asc'] },
      { karst_type: { attribute: 'TYPE', description: 'Kind of karst.', hints: 'Mapped.', lifecycle: 'stable' } },
    ),
    {
      lifecycle: 'stable',
      null_meaning: 'The point is in no karst area, or its record does not say.',
      read: { dataset: 'areas', op: 'attribute', attribute: 'TYPE', pick: ['RANK asc'] },
    },
  ],
  [
    'a sample of a raster',
    rasterSample(
      { ...family, none: 'No data.', read: { nodata: [255] } },
      { snow_days: { description: 'Days with snow.', hints: 'A mean.', ...integer('days/year', [0, 366]) } },
    ),
    { null_meaning: 'No data.', read: { dataset: 'areas', op: 'sample', resampling: 'nearest', nodata: [255] } },
  ],
  [
    'a row of a table',
    tableRow(
      { ...family, key: 'county_fips', none: 'The county is not in the table.' },
      { county_jobs: { description: 'Jobs.', hints: 'A mean.', ...integer('jobs', [0, 9]), read: { column: 'JOBS' } } },
    ),
    { read: { dataset: 'areas', op: 'row', key: 'county_fips', column: 'JOBS' } },
  ],
  [
    'a path of a document',
    documentPath(
      { ...family, root: '$.outputs', none: 'No cell.' },
      { annual_ghi: { description: 'Sun.', hints: 'A mean.', ...float('kWh/m2/day', 2, [0, 12]), path: '.ghi' } },
    ),
    { null_meaning: 'No cell.', read: { dataset: 'areas', op: 'path', json_path: '$.outputs.ghi' } },
  ],
  [
    'a formula of other fields',
    computed(
      { layer: 'made_up', ttl_seconds: 60 },
      {
        is_steep: {
          type: 'boolean',
          description: 'Whether the slope is steep.',
          hints: 'Above 8 degrees.',
          derivation: 'slope_degrees > 8.',
          null_meaning: null,
          from: { slope: 'slope_degrees' },
          expression: 'slope > 8',
        },
      },
    ),
    {
      evidence: 'pure computation',
      read: {
        dataset: 'computed_from_fields',
        op: 'computed',
        from: { slope: 'slope_degrees' },
        expression: 'slope > 8',
      },
    },
  ],
]

test.each(cases)('a family has the field of %s', (_what, [field], expected) => expect(field).toMatchObject(expected))

test('a family with other conditions tries them in turn when nothing meets the first', () => {
  const [field] = nearest(
    { ...wells, else_where: ['OPEN = 2'] },
    { nearest_well_distance_m: { distance: true, hints: 'Straight line.' } },
  )
  const read = { dataset: 'areas', op: 'nearest_distance', where: 'OPEN = 1', search_radii_m: [500, 10_000] }
  const found: unknown = field!.read
  expect(found).toEqual({ ...read, fallback: [{ ...read, when: ['absent'], where: 'OPEN = 2' }] })
})

test('an air standard has a status, in which nonattainment wins, and a classification', () => {
  const lead = { pollutant: 'lead', like: 'Lead%', hints: 'Two standards.' }
  const [status, classification] = airStandard(family, { lead })
  expect(status).toMatchObject({
    name: 'air_quality_lead_status',
    enum: ['Nonattainment', 'Maintenance'],
    read: { pick: ['current_status rank Nonattainment,Maintenance'] },
  })
  expect(classification).toMatchObject({
    name: 'air_quality_lead_classification',
    read: { where: "pollutant_name LIKE 'Lead%' AND current_status = 'Nonattainment'" },
  })
})

test('a design value comes with the site and the distance of its monitor', () => {
  const row = { prefix: 'pm25_annual', pollutant: 'annual PM2.5', value: 'DV', site: 'SITE', hints: 'Three years.' }
  const fields = designValue({ ...family, radii_m: [50_000] }, 'ugm3', row)
  expect(fields.map(({ name, unit }) => [name, unit])).toEqual([
    ['pm25_annual_design_value_ugm3', 'ug/m3'],
    ['pm25_annual_monitor_aqs_site_id', null],
    ['pm25_annual_monitor_distance_m', 'm'],
  ])
})
