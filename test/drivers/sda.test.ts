import { describe, expect, test } from 'bun:test'
import { codeOf, fieldOver, publisher } from './publisher.ts'

const table = { Table: [['mukey', 'muname', 'drclassdcd', 'brockdepmin'], ['2924879', 'Pentz sandy loam, 2 to 15 percent slopes', 'Well drained', '38']] }
const horizons = { Table: [['compname', 'hzdept_r', 'hzdepb_r', 'claytotal_r', 'texdesc'], ['Pentz', '0', '10', '12', 'sandy loam'], ['Pentz', '10', '40', '18', null]] }
const page = (body: string) => new Response(body, { headers: { 'content-type': 'text/html' } })

test.each<[string, string, string, unknown, unknown, string?]>([
  ['a name', 'soil_map_unit_name', 'usda_ssurgo_mapunit', table, 'Pentz sandy loam, 2 to 15 percent slopes'],
  ['a depth of text', 'bedrock_depth_cm', 'usda_ssurgo_mapunit', table, 38],
  ['no survey at all', 'bedrock_depth_cm', 'usda_ssurgo_mapunit', {}, null],
  ['a mean over depth', 'soil_clay_pct', 'usda_ssurgo_component', horizons, 16, '2924879'],
  ['the texture at the surface', 'soil_surface_texture', 'usda_ssurgo_component', horizons, 'sandy loam', '2924879'],
])('%s: %s', async (_what, field, dataset, says, value, ...[key]) => {
  using world = publisher(() => says)
  expect(await fieldOver(field, dataset, world.open(dataset, 'sda'), key ?? null)).toEqual(value as never)
})

describe('the question', () => {
  test('is SQL in JSON, with the point or the key in it', async () => {
    using world = publisher(() => ({}))
    await world.open('usda_ssurgo_mapunit', 'sda')!({})
    await world.open('usda_ssurgo_component', 'sda')!({ key: '2924879' })
    const bodies = world.asked.map(({ body }) => JSON.parse(body) as { query: string; format: string })
    expect(world.asked[0]).toMatchObject({ method: 'POST', type: 'application/json', path: 'Tabular/post.rest' })
    expect(bodies[0]!.query).toContain("'POINT(-105.2705456 40.0150123)'")
    expect(bodies[1]!.query).toContain("c2.mukey = '2924879'")
    expect(bodies[1]!.format).toBe('JSON+COLUMNNAME')
  })
  test('takes no key but digits', async () => {
    using world = publisher(() => ({}))
    const source = world.open('usda_ssurgo_component', 'sda')!
    expect(await codeOf(source({ key: "1' OR 1=1" }))).toBe('bad_value')
    expect(await codeOf(source({}))).toBe('unsupported_request')
    expect(world.asked).toEqual([])
  })
})

test.each([
  ['a refusal of the SQL', page('<?xml version="1.0"?><ServiceExceptionReport><ServiceException>Invalid query: no column x</ServiceException></ServiceExceptionReport>'), 'upstream_rejected'],
  ['the nightly maintenance', page('<html><body>Site is under daily maintenance</body></html>'), 'upstream_5xx'],
  ['another page', page('<html>hello</html>'), 'bad_response'],
  ['a table that breaks off', new Response('{"Table":[["mukey"'), 'bad_response'],
  ['a table of numbers', { Table: [['mukey'], [7]] }, 'bad_response'],
  ['rows of another width', { Table: [['mukey', 'muname'], ['7']] }, 'bad_response'],
  ['a list', [1], 'bad_response'],
  ['another object', { Error: 'x' }, 'bad_response'],
  ['a 400', new Response('<ServiceException/>', { status: 400 }), 'upstream_rejected'],
  ['a 500', new Response('', { status: 500 }), 'upstream_5xx'],
])('%s is a failure', async (_what, says, code) => {
  using world = publisher(() => says)
  expect(await codeOf(world.open('usda_ssurgo_mapunit', 'sda')!({}))).toBe(code)
})
