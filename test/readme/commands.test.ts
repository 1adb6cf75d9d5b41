import { afterAll, describe, expect, test } from 'bun:test'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { byHand } from './by-hand.ts'
import { blocks } from './readme.ts'
import { tryBlocks, type Tried } from './reader.ts'
import { shapefileZip } from './shapefile-zip.ts'

type Trial = { serving?: boolean; online?: boolean; came(tried: Tried): void }

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
/** Several processes one after the other, on a machine that has other things to do. */
const longest_ms = 120_000
/** The world outside: the stand-in of all sources, and beside it the one file that is downloaded. */
const upstreams = openUpstreams()
const world = Bun.serve({
  port: 0,
  fetch: (request) =>
    request.url.endsWith('/us_eco_l3.zip')
      ? new Response(ecoregions)
      : fetch(new Request(request.url.replace(/^http:\/\/[^/]+/, upstreams.url), request)),
})
afterAll(async () => {
  await world.stop(true)
  upstreams.close()
})

const says =
  (...patterns: RegExp[]) =>
  ({ said }: Tried) => {
    for (const pattern of patterns) expect(said).toMatch(pattern)
  }

/** What each section of the README must come to. */
const trials: Record<string, Trial> = {
  'A first answer': {
    serving: true,
    came: says(
      /"county":\{"value":"Denver County","status":"ok"/,
      /"timezone":\{"value":"America\/Denver"/,
      /"nearest_airport_name":\{"value":"[A-Z]/,
    ),
  },
  'Ask without a server': {
    came: says(
      /"nearest_airport_distance_m"/,
      /"disposition": "resolved"/,
      /The county is Miami-Dade County/,
      /Confidence: high/,
    ),
  },
  'Look instead of reading': { came: says(/^http:\/\/127\.0\.0\.1:\d+\/invitation\/\S+$/m) },
  'Run it with no network': { came: says(/answers at/, /"status":"(pass|warn)"/) },
  'Have the data in files of your own': {
    online: true,
    came: says(
      /epa_ecoregions_l3\.gpkg: .*1 feature/,
      /usfws_nwi\.gpkg: .*1 feature/,
      /wetland_type/,
      /usfws_nwi\.gpkg: ok/,
    ),
  },
  'Add a layer of your own': { came: says(/"city_zone": \{\s+"value": "R-1",\s+"status": "ok"/) },
  'Find addresses': {
    came: says(
      /2 addresses and 0 ranges/,
      /0 addresses and 2 ranges/,
      /"accuracy_type": "rooftop"/,
      /"normalized_address": "1777 Broadway, Boulder, CO 80302"/,
    ),
  },
  'Answer the rows of a CSV': {
    came({ read }) {
      expect(read('sites.flood.csv').trim().split('\r\n')).toMatchObject(
        [
          /^index,ok,lat,lng,source,error,elevation,.*,failed_fields,name$/,
          /^0,true,.*City hall$/,
          /^1,true,.*Beach$/,
        ].map((line) => expect.stringMatching(line)) as never,
      )
    },
  },
  'On a server': { serving: true, came: says(/"run_id":"run_\w{26}","status":"(queued|running|succeeded)"/) },
  'Let others in': { serving: true, came: says(/\/invitation\/\S+\nfst_pat_\w{36}\n/, /"name":"nightly"/) },
  'Use keys, and sources that bill': { online: true, came: says(/2 ok, 0 absent everywhere, 0 failed, 0 off/) },
  'Put it behind a proxy': { came: says(/answers at/) },
  'Watch it': { serving: true, came: says(/^fieldstone_catalog_fields 412$/m) },
  'Back it up, and restore it': {
    serving: true,
    came({ said, read }) {
      expect(said).toMatch(/fieldstone\.tar: .* whole\. 1 account,/)
      expect(read('restored/state.db')).toStartWith('SQLite format 3')
    },
  },
  'When something is wrong': { serving: true, came: says(/"status":"pass"/, /All checks passed\./) },
}

const firstLine = (text: string) => text.split('\n')[0] ?? ''
const run = blocks.filter(({ language, text }) => language === 'sh' && !Object.hasOwn(byHand, firstLine(text)))
const sections = Map.groupBy(run, ({ heading }) => heading)

test('every command of the README is tried, or is on the list of what cannot be', () => {
  expect([...sections.keys()]).toEqual(Object.keys(trials))
  const firstLines = blocks.filter(({ language }) => language === 'sh').map(({ text }) => firstLine(text))
  expect(Object.keys(byHand).filter((line) => !firstLines.includes(line))).toEqual([])
  expect(Object.keys(byHand).length).toBeLessThanOrEqual(3)
  expect([...new Set(blocks.map(({ language }) => language))].toSorted()).toEqual(['', 'json', 'sh'])
})

describe('what the README says to do works in an empty folder:', () => {
  test.each(Object.entries(trials))(
    '%s',
    async (heading, { serving = false, online = false, came }) => {
      const tried = await tryBlocks(sections.get(heading)!, {
        serving,
        ...(online && { mirror: `http://localhost:${world.port}` }),
      })
      try {
        came(tried)
      } finally {
        tried.remove()
      }
    },
    longest_ms,
  )
})
