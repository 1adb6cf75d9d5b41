import { afterAll, describe, expect, test } from 'bun:test'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { untestedBlocks } from './untested-blocks.ts'
import { blocks } from './documents.ts'
import { openReader, type Reader } from './reader.ts'
import { shapefileZip } from './shapefile-zip.ts'

type Result = Pick<Reader, 'read'> & { output: string }
type Trial = { serving?: boolean; check(result: Result): void }

const ecoregions = shapefileZip('us_eco_l3', [
  {
    kind: 'polygon',
    points: [
      [-106, 39],
      [-106, 40],
      [-105, 40],
      [-105, 39],
      [-106, 39],
    ],
    row: { US_L3CODE: '21', US_L3NAME: 'Southern Rockies' },
  },
])
/** A trial starts several processes, and other tests may use the machine. */
const trialMax_ms = 120_000
/** The simulated sources, and the one downloaded file. */
const upstreams = openUpstreams()
const publishers = Bun.serve({
  port: 0,
  fetch: (request) =>
    request.url.endsWith('/us_eco_l3.zip')
      ? new Response(ecoregions)
      : fetch(new Request(request.url.replace(/^http:\/\/[^/]+/, upstreams.url), request)),
})
/** One reader follows the README, on a fresh machine without a network, and another the guide. */
const mirror = `http://localhost:${publishers.port}`
const readers = { README: openReader(null), guide: openReader(mirror) }
afterAll(async () => {
  await Promise.all(Object.values(readers).map((reader) => reader.close()))
  await publishers.stop(true)
  upstreams.close()
})

const prints =
  (...patterns: RegExp[]) =>
  ({ output }: Result) => {
    for (const pattern of patterns) expect(output).toMatch(pattern)
  }
const firstAnswer = prints(
  /"county":\{"value":"Denver County","status":"ok"/,
  /"timezone":\{"value":"America\/Denver"/,
  /"nearest_airport_name":\{"value":"[A-Z]/,
)
const writesCsv = ({ read }: Result) =>
  expect(read('sites.flood.csv').trim().split('\r\n')).toMatchObject(
    [
      /^name,lat,lng,index,ok,fieldstone_lat,fieldstone_lng,source,error,elevation,.*,failed_fields$/,
      /^City park,39\.7392,-104\.9903,0,true,/,
      /^Beach,25\.79,-80\.13,1,true,/,
    ].map((line) => expect.stringMatching(line)) as never,
  )

/** What the blocks under each heading must do, by document and heading. */
const trials: Record<string, Trial> = {
  'README: A first answer': { serving: true, check: firstAnswer },
  'README: Five tasks': {
    check(result) {
      prints(/"county": \{\s+"value": "Denver County"/, /The county is Miami-Dade County/, /fieldstone\.tar: /)(result)
      expect(result.read('sites.context.csv').trim().split('\r\n')).toHaveLength(3)
      expect(result.read('site.html')).toContain('Denver County')
    },
  },
  'start: Your first answer': { serving: true, check: firstAnswer },
  'start: Answers without a server': {
    check: prints(
      /"nearest_airport_distance_m"/,
      /"disposition": "resolved"/,
      /The county is Miami-Dade County/,
      /Confidence: high/,
    ),
  },
  'start: A report to print': { check: prints(/Wrote site\.html/, /Wrote two\.html/) },
  'start: The dashboard': { check: prints(/^http:\/\/127\.0\.0\.1:\d+\/invitation\/\S+$/m) },
  'fields-and-presets: Keys': { check: prints(/2 ok, 0 absent everywhere, 0 failed, 0 off/) },
  'addresses: Geocoding': {
    check: prints(
      /2 addresses and 0 ranges/,
      /0 addresses and 2 ranges/,
      /"accuracy_type": "rooftop"/,
      /"normalized_address": "1777 Broadway, Boulder, CO 80302"/,
    ),
  },
  'runs: A CSV file on this machine': { check: writesCsv },
  'runs: Millions of rows': {
    check({ read }) {
      const lines = read('whole.csv').split('\r\n')
      expect(lines[0]).toMatch(/^name,lat,lng,index,ok,.*,county,timezone,failed_fields$/)
      expect(lines.slice(1, -1).map((line) => line.split(',')[3])).toEqual(['0', '1'])
    },
  },
  'runs: A CSV file on a server': {
    serving: true,
    check: prints(/"run_id":"run_\w{26}","status":"(queued|running|done)"/),
  },
  'clusters: Rows through a pipe': {
    check: prints(/^Denver,39\.74,-104\.99,0,true,39\.74,-104\.99,coordinate,,Denver County,America\/Denver,/m),
  },
  'files: Files': { check: prints(/2 of 2 locations|sites\.\w+\.csv/) },
  'ask: Questions in plain English': { check: prints(/The county is Miami-Dade County/, /Confidence: high/) },
  'packs-and-offline: Run without a network': { check: prints(/answers at/, /"status":"(pass|warn)"/) },
  'packs-and-offline: Download a pack': { check: prints(/epa_ecoregions_l3\.gpkg: .*1 feature/) },
  'packs-and-offline: Make the packs of an area': {
    check: prints(
      /^Plan for Boulder County, CO:$/m,
      /usfws_nwi\/08013\.gpkg: usfws_nwi, 1 feature from 1 file of the publisher/,
      /Compared \d+ answers at 70 points with the services: 0 differences\./,
    ),
  },
  'packs-and-offline: Keep packs current': {
    check: prints(/usfws_nwi\/08013\.gpkg: usfws_nwi is current, from \d{4}-\d\d-\d\d\./),
  },
  'packs-and-offline: Build a pack from your own file': {
    check: prints(/usfws_nwi\.gpkg: .*1 feature/, /nwi_wetland_type/, /usfws_nwi\.gpkg: ok/),
  },
  'packs-and-offline: Packs in parts': {
    check: prints(/usfws_nwi\/08013\.gpkg: .*1 feature/, /08013\.gpkg: ok/, /Removed .*08013\.gpkg\./),
  },
  'packs-and-offline: Carry packs to a machine without a network': {
    check: prints(/^ed25519:[\w-]{43}$/m, /region\.tar: \d+ packs? and 0 layers, .* verified and signed/),
  },
  'your-own-layers: Add a field': { check: prints(/"city_zone": \{\s+"value": "R-1",\s+"status": "ok"/) },
  'connect: Values by OGC API – EDR': {
    serving: true,
    check: prints(/"ranges":\{"county":\{"type":"NdArray","dataType":"string","values":\["Denver County"\]\}/),
  },
  'connect: Remote functions of a data warehouse': {
    serving: true,
    check: prints(/^\{"replies":\["\{\\"ok\\":true,.*\\"county\\":\\"Denver County\\",.*\}",null\]\}/m),
  },
  'connect: Files of a run in DuckDB and geopandas': {
    check({ read }) {
      expect(read('sites.ndjson').trim().split('\n')).toHaveLength(2)
      expect(read('sites.parquet')).toStartWith('PAR1')
    },
  },
  'connect: A table in a spreadsheet': {
    serving: true,
    check: prints(
      /^index,ok,lat,lng,source,error,county,timezone,failed_fields,/m,
      /^0,true,.*,Denver County,America\/Denver,/m,
    ),
  },
  'access: Invite people': { serving: true, check: prints(/\/invitation\/\S+\nfst_pat_\w{36}\n/, /"name":"nightly"/) },
  'access: Read-only links': { serving: true, check: prints(/"url":"http:\/\/\S+\/shared\/[\w-]{32}"/) },
  'access: Pins': {
    serving: true,
    check: prints(/"name":"Denver office","place":\{"lat":39\.7392,"lng":-104\.9903\}/),
  },
  'operate: Put it behind a proxy': { check: prints(/answers at/) },
  'operate: Back up and restore': {
    serving: true,
    check({ output, read }) {
      expect(output).toMatch(/fieldstone\.tar: .* verified\. 2 accounts,/)
      expect(read('restored/state.db')).toStartWith('SQLite format 3')
    },
  },
  'operate: When something is wrong': { serving: true, check: prints(/"status":"pass"/, /All checks passed\./) },
  'observe: Metrics': { serving: true, check: prints(/^fieldstone_catalog_fields \d{3}$/m) },
}

const firstLine = (text: string) => text.split('\n')[0] ?? ''
const scripts = blocks.filter(({ language }) => language === 'sh')
const sections = Map.groupBy(
  scripts.filter(({ text }) => !Object.hasOwn(untestedBlocks, firstLine(text))),
  ({ document, heading }) => `${document}: ${heading}`,
)

test('every command in the README and the guide has a trial, or a reason to have none', () => {
  expect([...sections.keys()]).toEqual(Object.keys(trials))
  const firstLines = scripts.map(({ text }) => firstLine(text))
  expect(Object.keys(untestedBlocks).filter((line) => !firstLines.includes(line))).toEqual([])
  expect(Object.keys(untestedBlocks).length).toBeLessThanOrEqual(3)
  expect([...new Set(blocks.map(({ language }) => language))].toSorted()).toEqual(['', 'json', 'sh', 'ts'])
})

describe('the commands work one after the other in an empty folder:', () => {
  test.each(Object.entries(trials))(
    '%s',
    async (section, { serving = false, check }) => {
      const reader = readers[section.startsWith('README') ? 'README' : 'guide']
      const output = await reader.follow(sections.get(section)!, { serving })
      check({ output, read: reader.read })
    },
    trialMax_ms,
  )
})
