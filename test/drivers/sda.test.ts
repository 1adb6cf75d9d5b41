import { describe, expect, test } from 'bun:test'
import { driverErrorCode, evaluateField, startPublisher } from './publisher.ts'

const table = {
  Table: [
    ['mukey', 'muname', 'drclassdcd', 'hydgrpdcd', 'brockdepmin'],
    ['2924879', 'Pentz sandy loam, 2 to 15 percent slopes', 'Well drained', 'D', '38'],
  ],
}
const horizons = {
  Table1: [
    ['cokey', 'compname', 'hzdept_r', 'hzdepb_r', 'claytotal_r', 'texdesc'],
    ['1', 'Pentz', '0', '10', '12', 'sandy loam'],
    ['1', 'Pentz', '10', '40', '18', null],
  ],
}
const page = (body: string) => new Response(body, { headers: { 'content-type': 'text/html' } })

test.each<[string, string, string, unknown, unknown]>([
  ['a name', 'soil_map_unit_name', 'usda_ssurgo_mapunit', table, 'Pentz sandy loam, 2 to 15 percent slopes'],
  ['a depth as text', 'bedrock_depth_cm', 'usda_ssurgo_mapunit', table, 38],
  ['no survey', 'bedrock_depth_cm', 'usda_ssurgo_mapunit', {}, null],
  ['a mean over depth', 'soil_clay_pct', 'usda_ssurgo_component', { ...table, ...horizons }, 16],
  [
    'the texture at the surface',
    'soil_surface_texture',
    'usda_ssurgo_component',
    { Table: horizons.Table1 },
    'sandy loam',
  ],
  ['a map unit without components', 'soil_series_name', 'usda_ssurgo_component', table, null],
  ['no map unit', 'soil_map_unit_name', 'usda_ssurgo_mapunit', horizons, null],
])('%s: %s', async (_what, field, dataset, says, value) => {
  using world = startPublisher(() => says)
  expect(await evaluateField(field, dataset, world.open(dataset, 'sda'))).toEqual(value as never)
})

describe('the request', () => {
  test('has two SQL statements with the point, for both datasets at once', async () => {
    using world = startPublisher(() => ({ ...table, ...horizons }))
    const [units, soils] = await Promise.all(
      ['usda_ssurgo_mapunit', 'usda_ssurgo_component'].map((id) => world.open(id, 'sda')!({})),
    )
    expect([units, soils]).toEqual([table.Table, horizons.Table1])
    expect(world.requests).toHaveLength(1)
    expect(world.requests[0]).toMatchObject({ method: 'POST', type: 'application/json', path: 'Tabular/post.rest' })
    const { query, format } = JSON.parse(world.requests[0]!.body) as { query: string; format: string }
    expect(format).toBe('JSON+COLUMNNAME')
    const statements = query.split('; ')
    expect(
      statements.map((it) => it.includes("'POINT(-105.2705456 40.0150123)'") && it.includes('ORDER BY m.mukey')),
    ).toEqual([true, true])
  })
})

test.each([
  [
    'rejected SQL',
    page(
      '<?xml version="1.0"?><ServiceExceptionReport><ServiceException>Invalid query: no column x</ServiceException></ServiceExceptionReport>',
    ),
    'upstream_rejected',
  ],
  ['nightly maintenance', page('<html><body>Site is under daily maintenance</body></html>'), 'upstream_5xx'],
  ['another page', page('<html>hello</html>'), 'bad_response'],
  ['a truncated table', new Response('{"Table":[["mukey"'), 'bad_response'],
  ['a table of numbers', { Table: [['muname'], [7]] }, 'bad_response'],
  ['a table of an unknown statement', { ...table, Table1: [['7'], ['8']] }, 'bad_response'],
  ['rows of different widths', { Table: [['mukey', 'muname'], ['7']] }, 'bad_response'],
  ['a list', [1], 'bad_response'],
  ['another object', { Error: 'x' }, 'bad_response'],
  ['a 400', new Response('<ServiceException/>', { status: 400 }), 'upstream_rejected'],
  ['a 500', new Response('', { status: 500 }), 'upstream_5xx'],
])('%s fails', async (_what, says, code) => {
  using world = startPublisher(() => says)
  expect(await driverErrorCode(world.open('usda_ssurgo_mapunit', 'sda')!({}))).toBe(code)
})
