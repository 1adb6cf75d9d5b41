import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFieldstone } from './fieldstone.ts'
import { openOfflineService, type FieldAnswers, type OfflineService } from './service.ts'
import { datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { words } from '../support/words.ts'

const soon_ms = 60_000
const connections = 32
const at = { lat: 39.5, lng: -97.5 }

let service: OfflineService
beforeAll(() => {
  service = openOfflineService()
  mkdirSync(service.packs, { recursive: true })
})
afterAll(() => service.stop())

const square = [
  [
    [-98, 39],
    [-98, 40],
    [-97, 40],
    [-97, 39],
    [-98, 39],
  ],
]
const input = (name: string, ...features: { properties: object; geometry: object | null }[]) => {
  const path = join(service.folder, name)
  writeFileSync(
    path,
    JSON.stringify({ type: 'FeatureCollection', features: features.map((it) => ({ type: 'Feature', ...it })) }),
  )
  return path
}
const wetland = (type: string) => ({
  properties: { WETLAND_TYPE: type, ATTRIBUTE: 'L1UBH', ACRES: 3 },
  geometry: { type: 'Polygon', coordinates: square },
})
const plant = {
  properties: {
    Plant_Name: 'Here',
    PrimSource: 'wind',
    Install_MW: 5,
    Total_MW: 5,
    tech_desc: 'Onshore Wind Turbine',
    Utility_Na: 'A utility',
    sector_nam: 'IPP Non-CHP',
  },
  geometry: { type: 'Point', coordinates: [-97.5, 39.6] },
}
const done = async (words: string[]) => {
  const { code, out, err } = await service.pack(words)
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
  return out
}
const untilVintage = async (vintage: string) => {
  while ((await service.state('usfws_nwi.gpkg'))?.vintage !== vintage) await Bun.sleep(20)
}

test(
  'a part built with --part answers within seconds, with the vintage of its part, and stops when it is removed',
  async () => {
    const far = { lat: 41.5, lng: -97.5 }
    const other = {
      ...wetland('Pond'),
      geometry: { type: 'Polygon', coordinates: [square[0]!.map(([x, y]) => [x, y! + 2])] },
    }
    await done(['build', 'usfws_nwi', input('west.json', wetland('Lake')), '--part', 'west', '--vintage', '2024'])
    await done(['build', 'usfws_nwi', input('east.json', other), '--part', 'east', '--vintage', '2026'])
    expect(await done(['verify', 'usfws_nwi'])).toBe(
      ['east', 'west'].map((part) => `${join(service.packs, 'usfws_nwi', `${part}.gpkg`)}: ok\n`).join(''),
    )
    await Promise.all(['west', 'east'].map((part) => service.until(`usfws_nwi/${part}.gpkg`, 'live')))
    expect((await service.answers([at, far], ['nwi_wetland_type'])).map((it) => it.nwi_wetland_type)).toMatchObject([
      { value: 'Lake', dataset_vintage: '2024', driver: 'pack' },
      { value: 'Pond', dataset_vintage: '2026', driver: 'pack' },
    ])
    const manifest = join(service.packs, 'usfws_nwi', 'west.json')
    const described = { ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), area: 'Somewhere, KS' }
    writeFileSync(manifest, JSON.stringify(described))
    while ((await service.state('usfws_nwi/west.gpkg'))?.area !== 'Somewhere, KS') await Bun.sleep(20)
    await service.until('usfws_nwi/west.gpkg', 'live')
    const { checks } = await service.json<{ checks: { packs: { areas: { area: string; presets: string[] }[] } } }>(
      '/readyz',
    )
    expect(checks.packs.areas.map(({ area }) => area)).toEqual(['Somewhere, KS'])
    const { areas } = await service.json<{ areas: unknown }>('/v1/meta/sources')
    expect(areas).toEqual(checks.packs.areas)
    const listed = await done(['list'])
    expect(listed).toMatch(/usfws_nwi\/west\.gpkg +usfws_nwi +Wetlands +1 +2024 +Somewhere, KS +0 h +0\.1 +/)
    expect(listed).toContain(
      `Presets that local data answers completely in Somewhere, KS: ${checks.packs.areas[0]!.presets.join(', ')}.`,
    )
    await done(['remove', 'usfws_nwi/west'])
    await service.until('usfws_nwi/west.gpkg', undefined)
    expect((await service.answers([at, far], ['nwi_wetland_type'])).map((it) => it.nwi_wetland_type)).toMatchObject([
      { status: 'failed', error: expect.stringContaining('The pack usfws_nwi/east.gpkg does not cover this place.') },
      { value: 'Pond' },
    ])
    await done(['remove', 'usfws_nwi'])
    await service.until('usfws_nwi/east.gpkg', undefined)
    expect(existsSync(join(service.packs, 'usfws_nwi'))).toBe(false)
  },
  2 * soon_ms,
)

test(
  'adding, replacing and removing packs while 32 clients send requests fails no request and no field',
  async () => {
    await done(['build', 'usfws_nwi', input('lake.json', wetland('Lake')), '--vintage', '0'])
    await service.until('usfws_nwi.gpkg', 'live')
    const load = new AbortController()
    const seen = new Map<string, number>()
    const wrong: unknown[] = []
    const look = (
      response: Response,
      { nwi_wetland_type, timezone, nearest_power_plant_name: plants }: FieldAnswers,
    ) => {
      const isGood =
        response.status === 200 &&
        nwi_wetland_type!.status === 'ok' &&
        nwi_wetland_type!.driver === 'pack' &&
        timezone!.status === 'ok'
      const isPlant =
        plants!.status === 'ok' ? plants!.value === 'Here' : plants!.error?.startsWith('offline_no_data') === true
      if (!isGood || !isPlant) wrong.push({ status: response.status, nwi_wetland_type, timezone, plants })
      const key = `${nwi_wetland_type!.value as string}, ${plants!.status}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    const fields = ['nwi_wetland_type', 'timezone', 'nearest_power_plant_name']
    const client = async (_: unknown, i: number) => {
      while (!load.signal.aborted) {
        const response =
          i % 2 === 0
            ? await service.post('/v1/fetch', { ...at, fields })
            : await service.post('/v1/fetch/batch', { locations: [at, { lat: 39.6, lng: -97.4 }], fields })
        if (response.status !== 200) wrong.push({ status: response.status, body: await response.text() })
        else {
          const body = (await response.json()) as { fields: FieldAnswers; results?: { fields: FieldAnswers }[] }
          for (const { fields: answers } of body.results ?? [body]) look(response, answers)
        }
      }
    }
    const clients = Promise.all(Array.from({ length: connections }, client))
    try {
      for (const round of [1, 2, 3]) {
        await done(['build', 'geoplatform_power_plants', input('plants.json', plant), '--coverage', '-98,39,-97,40'])
        await service.until('geoplatform_power_plants.gpkg', 'live')
        await done([
          'build',
          'usfws_nwi',
          input('next.json', wetland(round % 2 === 0 ? 'Lake' : 'Pond')),
          '--vintage',
          String(round),
        ])
        await untilVintage(String(round))
        await done(['remove', 'geoplatform_power_plants'])
        await service.until('geoplatform_power_plants.gpkg', undefined)
      }
    } finally {
      load.abort()
      await clients
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect([...seen.keys()].toSorted()).toEqual(['Lake, failed', 'Lake, ok', 'Pond, failed', 'Pond, ok'])
  },
  soon_ms,
)

const dataset = datasetOf({ service: 'my_zones', serve: [{ driver: 'pack', file: 'my.gpkg' }] })
const field = fieldOf('my_zone', { dataset: 'my_zones', op: 'attribute', attribute: 'ZONE' }, { layer: 'my_layer' })

const distance = {
  ...field,
  name: 'my_zone_distance_m',
  type: 'float',
  unit: 'm',
  null_meaning: 'No zone in reach.',
  read: { dataset: 'my_zones', op: 'nearest_distance', search_radii_m: [100_000] },
}

test(
  "a layer of an operator's own is built, listed, answered alone and in batches, and goes with its files",
  async () => {
    const folder = join(service.folder, 'data', 'catalog.d')
    mkdirSync(folder)
    writeFileSync(
      join(folder, '.zones'),
      JSON.stringify({ datasets: { my_zones: dataset }, fields: [field, distance] }),
    )
    renameSync(join(folder, '.zones'), join(folder, 'zones.json'))
    await done([
      'build',
      'my_zones',
      input('zones.json', { properties: { ZONE: 'R-1' }, geometry: { type: 'Polygon', coordinates: square } }),
      '--vintage',
      '2026',
    ])
    expect(await done(['list'])).toMatch(/my\.gpkg +my_zones +my +1 +2026 .* my_zone, my_zone_distance_m +ok/)
    expect(await done(['list', '--all'])).toMatch(/my_zones +.*my\.gpkg/)
    await service.until('my.gpkg', 'live')
    const response = await service.post('/v1/fetch', { ...at, fields: ['my_zone'] })
    expect(((await response.json()) as { fields: FieldAnswers }).fields.my_zone).toMatchObject({
      status: 'ok',
      value: 'R-1',
      driver: 'pack',
      dataset_vintage: '2026',
    })
    const [inside, outside] = await service.answers([at, { lat: 42, lng: -97.5 }], ['my_zone'])
    expect(inside!.my_zone).toMatchObject({ value: 'R-1' })
    expect(outside!.my_zone).toMatchObject({ status: 'absent', absent_reason: 'outside_coverage' })
    const { fields } = await service.json<{ fields: { name: string; providers: string[]; vintage: string | null }[] }>(
      '/v1/meta/fields',
    )
    expect(fields.find(({ name }) => name === 'my_zone')).toMatchObject({ providers: ['pack'], vintage: '2026' })

    writeFileSync(join(folder, 'other.json'), '{"fields": [{}]}')
    const { code, err } = await service.pack(['list'])
    expect([code, /other\.json is invalid and ignored: .*fields\/0/.test(err)]).toEqual([0, true])
    rmSync(join(folder, 'other.json'))
    await done(['remove', 'my_zones'])
    await service.until('my.gpkg', undefined)
    expect((await service.answers([at], ['my_zone']))[0]!.my_zone!.error).toMatch(/my\.gpkg into the packs folder/)
  },
  soon_ms,
)

test(
  'features that cross the antimeridian, are empty or are invalid are built, counted and answered correctly',
  async () => {
    const zone = (ZONE: string, geometry: object | null) => ({ properties: { ZONE }, geometry })
    const box = (west: number, east: number) => [
      [
        [west, 51],
        [east, 51],
        [east, 53],
        [west, 53],
        [west, 51],
      ],
    ]
    const path = input(
      'islands.json',
      zone('Across', { type: 'Polygon', coordinates: box(179, 181) }),
      zone('Both', { type: 'MultiPolygon', coordinates: [box(177, 178), box(-178, -177)] }),
      zone('None', null),
      zone('Empty', { type: 'Polygon', coordinates: [] }),
      zone('Bow', {
        type: 'Polygon',
        coordinates: [
          [
            [-170, 51],
            [-169, 52],
            [-169, 51],
            [-170, 52],
            [-170, 51],
          ],
        ],
      }),
      zone('Line', {
        type: 'Polygon',
        coordinates: [
          [
            [-170, 51],
            [-169, 52],
          ],
        ],
      }),
    )
    const out = await done(['build', 'my_zones', path, '--vintage', 'far', '--coverage', '176,50,-160,54'])
    expect(out).toMatch(/6 features .*\(2 without a geometry; 1 with an invalid geometry, so no query will find them\)/)
    await done(['verify', 'my'])
    await service.until('my.gpkg', 'live')
    const places = [
      [52, 179.5],
      [52, -179.5],
      [52, 180],
      [52, 177.5],
      [52, -177.5],
      [52, 178.5],
      [51.5, -169.1],
      [52, 175],
    ] as const
    const found = await service.answers(
      places.map(([lat, lng]) => ({ lat, lng })),
      ['my_zone', 'my_zone_distance_m'],
    )
    expect(found.map((it) => valueOf(it.my_zone))).toEqual(words`
      Across Across Across Both Both no_data Bow outside_coverage
    `)
    expect(found.map((it) => valueOf(it.my_zone_distance_m))).toEqual([
      0,
      0,
      0,
      0,
      0,
      expect.closeTo(geodesicHalfDegree_m, -2),
      0,
      'outside_coverage',
    ])
  },
  soon_ms,
)

const valueOf = (field: FieldAnswers[string] | undefined) =>
  field?.status === 'ok' ? field.value : (field?.absent_reason ?? field?.error)
/** Half a degree of longitude at 52 degrees north. */
const geodesicHalfDegree_m = 34_336

test(
  'a coordinate system with another datum, or an unknown one, is rejected with a remedy',
  async () => {
    const said = async (crs: string) =>
      service.pack(['build', 'usfws_nwi', input('plane.json', wetland('Lake')), '--crs', crs])
    expect(await said('EPSG:4267')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/NAD27.*ogr2ogr -t_srs EPSG:4326/),
    })
    expect(await said('EPSG:99999')).toMatchObject({ code: 1, err: expect.stringMatching(/ogr2ogr -t_srs EPSG:4326/) })
    const plane = await said('EPSG:32213')
    expect([plane.code, plane.err]).toEqual([1, expect.stringMatching(/ogr2ogr -t_srs EPSG:4326/)])
  },
  soon_ms,
)

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s during a build leaves nothing behind and keeps the existing pack',
  async (signal) => {
    const before = readdirSync(service.packs).toSorted()
    const many = join(service.folder, 'many.ndjson')
    if (!existsSync(many))
      writeFileSync(many, `${JSON.stringify({ type: 'Feature', ...wetland('New') })}\n`.repeat(150_000))
    const child = startFieldstone(['pack', 'build', 'usfws_nwi', many], {}, service.folder)
    await child.waitForOutput(/[1-9]0 %/)
    child.signal(signal)
    expect((await child.end()).code).toBe(130)
    expect(readdirSync(service.packs).toSorted()).toEqual(before)
    expect((await service.pack(['verify', 'usfws_nwi'])).code).toBe(0)
  },
  soon_ms,
)
