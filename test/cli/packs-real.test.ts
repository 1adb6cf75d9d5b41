import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import geodesic from 'geographiclib-geodesic'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  decodeWithGdal,
  hasGdal,
  hasPostgis,
  openOraclePostgis,
  runOracle,
  type GdalRaster,
  type OraclePostgis,
} from './oracle.ts'
import legends from './legends.json' with { type: 'json' }
import { sampleOf } from '../support/sample-data.ts'
import { openOfflineService, type FieldAnswer, type FieldAnswers, type OfflineService } from './service.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { words } from '../support/words.ts'

setDefaultTimeout(120_000)

type At = { lat: number; lng: number }

const data = sampleOf('')
const hasData = existsSync(join(data, 'nwi_dc.zip'))
if (!hasData) console.warn(`${data} is not here: real packs are not tried.`)
if (hasData && !hasGdal) console.warn('GDAL is not installed (gdal-bin): real packs are not held against it.')
if (hasData && !hasPostgis)
  console.warn('PostGIS is not installed (postgresql, postgis): wetlands and roads are not held against it.')

/** The codes of wetlands, and those of the Cropland Data Layer that the sample has. */
const { wetlandClasses, regimes, legend }: Record<keyof typeof legends, Record<string, string>> = legends
const count = 1000
const random = randomOf(20_261_121)
const between = (least: number, most: number) => least + random() * (most - least)
const scattered = (many: number, [west, south, east, north]: readonly [number, number, number, number]): At[] =>
  Array.from({ length: many }, () => ({ lat: between(south, north), lng: between(west, east) }))

let service: OfflineService
beforeAll(() => {
  if (!hasData) return
  service = openOfflineService()
  mkdirSync(service.packs, { recursive: true })
})
afterAll(() => service?.stop())

/** Every answer comes from the pack, and no request left the machine. */
function ofPack(answers: FieldAnswers[], vintage: string | null) {
  for (const answer of answers) {
    for (const [name, field] of Object.entries(answer))
      expect([name, field.status === 'failed' ? field : [field.driver, field.vintage]]).toEqual([
        name,
        ['pack', vintage],
      ])
  }
  expect(
    service.peers().filter((peer) => !/^(0100007F|00000000|0{32}|0{24}0100007F|0{16}FFFF00000100007F):/.test(peer)),
  ).toEqual([])
}

/** A distance as the issue promises it. */
const isNear = (found: unknown, truth: number) =>
  typeof found === 'number' && Math.abs(found - truth) <= 0.001 * truth + 0.1
const valueOf = (field: FieldAnswer | undefined) => (field?.status === 'ok' ? field.value : null)

async function build(words: string[]) {
  const { code, err } = await service.pack(['build', ...words, '--vintage', 'sample'])
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
}

describe.skipIf(!hasData || !hasPostgis)('as PostGIS says', () => {
  let postgis: OraclePostgis
  beforeAll(async () => {
    postgis = await openOraclePostgis()
  })
  afterAll(() => postgis?.close())

  type Truth = {
    holding: Record<string, unknown>[]
    near: Record<string, unknown>[]
    counts: Record<string, { least: number; most: number }>
  }

  /**
   * What holds each point, what is nearest to it (all that are as near as the nearest, to the decimetre and the
   * thousandth), and how many lie within.
   */
  async function truths(
    table: string,
    columns: string,
    where: string,
    points: At[],
    radii: number[],
  ): Promise<Truth[]> {
    const within = (radius: number) =>
      `(SELECT count(*)::int FROM ${table} f WHERE ST_DWithin(f.geog, p.geog, ${radius}))`
    const rows = await postgis.rows<{ truth: Truth }>(
      `
      SELECT json_build_object(
        'holding', (SELECT coalesce(json_agg(h), '[]') FROM (SELECT ${columns} FROM ${table} f WHERE ST_Covers(f.geom, p.geom)) h),
        'near', (SELECT json_agg(n) FROM (SELECT ${columns}, ST_Distance(f.geog, p.geog) AS distance_m FROM ${table} f WHERE ${where} ORDER BY f.geog <-> p.geog LIMIT 40) n),
        'counts', json_build_object(${radii.map((it) => `'${it}', json_build_object('least', ${within(it * 0.999 - 0.1)}, 'most', ${within(it * 1.001 + 0.1)})`).join(', ')})) AS truth
      FROM (SELECT i, ST_SetSRID(ST_Point(lng, lat), 4326) AS geom, ST_SetSRID(ST_Point(lng, lat), 4326)::geography AS geog
        FROM json_to_recordset($1::text::json) AS it(i int, lat float8, lng float8)) p ORDER BY i`,
      [JSON.stringify(points.map((at, i) => ({ i, ...at })))],
    )
    return rows.map(({ truth }) => (typeof truth === 'string' ? (JSON.parse(truth) as Truth) : truth))
  }

  const nearestOf = ({ near }: Truth) => Math.min(...near.map(({ distance_m }) => Number(distance_m)))
  const tied = (truth: Truth, column: string) =>
    truth.near.filter(({ distance_m }) => isNear(distance_m, nearestOf(truth))).map((it) => it[column])
  const isCount = (field: FieldAnswer | undefined, truth: Truth, radius: number) =>
    Number(valueOf(field)) >= truth.counts[radius]!.least && Number(valueOf(field)) <= truth.counts[radius]!.most

  test('the wetlands of the District of Columbia are', async () => {
    await postgis.load('wetlands', [`/vsizip/${join(data, 'nwi_dc.zip')}/DC_shapefile_wetlands/DC_Wetlands.shp`])
    await build(['usfws_nwi', join(data, 'nwi_dc.zip')])
    await service.until('usfws_nwi.gpkg', 'live')
    const inside = await postgis.rows<{ lat: number; lng: number }>(
      'SELECT ST_Y(p) AS lat, ST_X(p) AS lng FROM (SELECT ST_PointOnSurface(geom) AS p FROM wetlands ORDER BY fid) q',
    )
    const points = [
      ...scattered(count / 2, [-77.12, 38.8, -76.91, 38.99]),
      ...inside
        .map(({ lat, lng }) => ({ lat: lat + between(-2e-4, 2e-4), lng: lng + between(-2e-4, 2e-4) }))
        .filter(({ lat, lng }) => lat > 38.751 && lat < 39 && lng > -77.124 && lng < -76.875)
        .slice(0, count / 2),
    ]
    expect(points.length).toBe(count)
    const names = words`
        intersects_wetland nwi_wetland_type wetland_subtype wetland_acres nwi_code wetland_water_regime
        nearest_wetland_distance_m nearest_wetland_type wetlands_within_100m_count wetlands_within_500m_count
      `
    const found = await service.answers(points, names)
    ofPack(found, 'sample')
    const wrong = (
      await truths('wetlands', 'attribute AS code, wetland_ty AS type, acres', 'true', points, [100, 500])
    ).flatMap((truth, i) => {
      const it = found[i]!
      const holding = truth.holding.find(({ code }) => code === valueOf(it.nwi_code)) ?? truth.holding[0]
      const parts = partsOf(holding?.code)
      const faults = [
        valueOf(it.intersects_wetland) !== truth.holding.length > 0 && 'intersects_wetland',
        valueOf(it.nwi_code) !== (holding?.code ?? null) && 'nwi_code',
        valueOf(it.nwi_wetland_type) !== (holding?.type ?? null) && 'nwi_wetland_type',
        (holding === undefined
          ? valueOf(it.wetland_acres) !== null
          : Math.abs(Number(valueOf(it.wetland_acres)) - Number(holding.acres)) > 1e-6 * Number(holding.acres)) &&
          'wetland_acres',
        valueOf(it.wetland_subtype) !== parts.subtype && 'wetland_subtype',
        valueOf(it.wetland_water_regime) !== parts.regime && 'wetland_water_regime',
        !isNear(valueOf(it.nearest_wetland_distance_m), nearestOf(truth)) && 'nearest_wetland_distance_m',
        !tied(truth, 'type').includes(valueOf(it.nearest_wetland_type)) && 'nearest_wetland_type',
        !isCount(it.wetlands_within_100m_count, truth, 100) && 'wetlands_within_100m_count',
        !isCount(it.wetlands_within_500m_count, truth, 500) && 'wetlands_within_500m_count',
      ].filter((name) => name !== false)
      return faults.length > 0 ? [{ at: points[i], faults, found: faults.map((name) => it[name]), truth }] : []
    })
    expect(wrong).toEqual([])
    expect(found.filter((it) => valueOf(it.intersects_wetland) === true).length).toBeGreaterThan(count / 10)
  })

  test('the roads of Manhattan are', async () => {
    // The file has the class codes of before 2007; the Bureau's own crosswalk: A1x is S1100, A2x is S1200, the others
    // are local here.
    const file = JSON.parse(await Bun.file(join(data, 'tiger_roads_manhattan.geojson')).text()) as {
      features: { properties: { CFCC: string; MTFCC?: string } }[]
    }
    for (const { properties } of file.features)
      properties.MTFCC = { A1: 'S1100', A2: 'S1200' }[properties.CFCC.slice(0, 2)] ?? 'S1400'
    const path = join(service.folder, 'roads.geojson')
    writeFileSync(path, JSON.stringify(file))
    await postgis.load('roads', [path])
    for (const id of ['census_tigerweb_major_roads', 'census_tigerweb_roads'])
      await build([id, path, '--number', 'OID'])
    await service.until('census_tiger_roads.gpkg', 'live')
    await service.until('census_tiger_major_roads.gpkg', 'live')
    const points = scattered(count, [-74.015, 40.705, -73.93, 40.87])
    const names = [
      'nearest_major_road_distance_m',
      'nearest_major_road_class',
      'nearest_major_road_name',
      'roads_within_500m_count',
    ]
    const found = await service.answers(points, names)
    ofPack(found, 'sample')
    const wrong = (await truths('roads', 'name, mtfcc', "mtfcc IN ('S1100', 'S1200')", points, [500])).flatMap(
      (truth, i) => {
        const it = found[i]!
        const faults = [
          !isNear(valueOf(it.nearest_major_road_distance_m), nearestOf(truth)) && 'nearest_major_road_distance_m',
          !tied(truth, 'mtfcc')
            .map((code) => (code === 'S1100' ? 'primary' : 'secondary'))
            .some((name) => name === valueOf(it.nearest_major_road_class)) && 'nearest_major_road_class',
          !tied(truth, 'name')
            .map((name) => name || null)
            .some((name) => name === valueOf(it.nearest_major_road_name)) && 'nearest_major_road_name',
          !isCount(it.roads_within_500m_count, truth, 500) && 'roads_within_500m_count',
        ].filter((name) => name !== false)
        return faults.length > 0 ? [{ at: points[i], faults, found: faults.map((name) => it[name]), truth }] : []
      },
    )
    expect(wrong).toEqual([])
  })
})

describe.skipIf(!hasData || !hasGdal)('as GDAL and geographiclib say', () => {
  test('the power plants are', async () => {
    const path = join(data, 'power_plants_usa_2019.csv')
    await build([
      'geoplatform_power_plants',
      path,
      '--rename',
      'name=Plant_Name,primary_fuel=PrimSource,capacity_mw=Install_MW',
    ])
    await service.until('geoplatform_power_plants.gpkg', 'live')
    const lines = await runOracle([
      'ogr2ogr',
      '-f',
      'GeoJSONSeq',
      '/vsistdout/',
      path,
      '-oo',
      'X_POSSIBLE_NAMES=longitude',
      '-oo',
      'Y_POSSIBLE_NAMES=latitude',
      '-lco',
      'COORDINATE_PRECISION=15',
    ])
    const plants = lines
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as {
            geometry: { coordinates: [number, number] } | null
            properties: Record<string, string>
          },
      )
      .flatMap(({ geometry, properties }) =>
        geometry ? [{ lat: geometry.coordinates[1], lng: geometry.coordinates[0], ...properties }] : [],
      ) as (At & { name: string; primary_fuel: string; capacity_mw: string })[]
    const points = scattered(count, [-114, 33, -82, 40])
    const names = [
      'nearest_power_plant_name',
      'nearest_power_plant_distance_m',
      'nearest_power_plant_primary_fuel',
      'nearest_power_plant_capacity_mw',
      'power_plants_within_25km_count',
    ]
    const found = await service.answers(points, names)
    ofPack(found, 'sample')
    const wrong = points.flatMap((at, i) => {
      const it = found[i]!
      const rough = plants
        .map((plant) => ({ plant, rough: roughly_m(at, plant) }))
        .toSorted((a, b) => a.rough - b.rough)
      const near = rough
        .filter((one) => one.rough < rough[0]!.rough * 1.02 + 100)
        .map(({ plant }) => ({ plant, distance_m: geodesic_m(at, plant) }))
      const nearest_m = Math.min(...near.map(({ distance_m }) => distance_m))
      const tied = near.filter(({ distance_m }) => isNear(distance_m, nearest_m)).map(({ plant }) => plant)
      const around = rough
        .filter((one) => one.rough < 26_000)
        .map(({ plant }) => geodesic_m(at, plant))
        .filter((distance_m) => distance_m <= 25_000).length
      const faults = [
        !isNear(valueOf(it.nearest_power_plant_distance_m), nearest_m) && 'nearest_power_plant_distance_m',
        !tied.some(({ name }) => name === valueOf(it.nearest_power_plant_name)) && 'nearest_power_plant_name',
        !tied.some(
          ({ primary_fuel }) => (primary_fuel || null) === (valueOf(it.nearest_power_plant_primary_fuel) || null),
        ) && 'nearest_power_plant_primary_fuel',
        !tied.some(
          ({ capacity_mw }) =>
            Math.abs(Number(capacity_mw) - Number(valueOf(it.nearest_power_plant_capacity_mw))) <=
            1e-8 * Number(capacity_mw),
        ) && 'nearest_power_plant_capacity_mw',
        valueOf(it.power_plants_within_25km_count) !== around && 'power_plants_within_25km_count',
      ].filter((name) => name !== false)
      return faults.length > 0 ? [{ at, faults, found: faults.map((name) => it[name]), nearest_m, tied, around }] : []
    })
    expect(wrong).toEqual([])
  })

  test('the cropland of Kansas is', async () => {
    const path = join(data, 'cdl_2021_kansas.tif')
    const grid = await decodeWithGdal(path, service.folder)
    writeFileSync(join(service.packs, 'usda_cdl.json'), JSON.stringify({ vintage: '2021' }))
    cpSync(path, join(service.packs, 'usda_cdl.tif'))
    await service.until('usda_cdl.tif', 'live')
    const [points, places] = await within(grid, [-97.3, 39.1, -96.8, 39.5], 0)
    const found = await service.answers(points, ['cdl_class', 'is_cultivated'])
    ofPack(found, '2021')
    const codes = (
      await runOracle(
        ['gdallocationinfo', '-valonly', '-wgs84', path],
        points.map(({ lat, lng }) => `${lng} ${lat}`).join('\n'),
      )
    )
      .trim()
      .split('\n')
      .map(Number)
    expect(codes).toEqual(places.map(({ x, y }) => grid.cells[Math.floor(y) * grid.width + Math.floor(x)]!))
    expect(found.map((it) => [valueOf(it.cdl_class), valueOf(it.is_cultivated)])).toEqual(
      codes.map((code) => [legend[code] ?? `code ${code}`, code < 100 || code > 200]),
    )
  })

  test('the share of crops within a kilometre is, to half a point', async () => {
    const grid = await decodeWithGdal(join(data, 'cdl_2021_kansas.tif'), service.folder)
    const [points, places] = await within(grid, [-97.3, 39.1, -96.8, 39.5], 40)
    const found = await service.answers(points, ['cropland_within_1km_pct'])
    ofPack(found, '2021')
    // Of the plane a metre is not a metre of the ground: how much it is eastward and northward, PROJ says.
    const [west, east, south, north] = await grid.placed([
      { lat: 39.28, lng: -97.08 },
      { lat: 39.28, lng: -97.06 },
      { lat: 39.27, lng: -97.07 },
      { lat: 39.29, lng: -97.07 },
    ])
    const x_m =
      geodesic_m({ lat: 39.28, lng: -97.08 }, { lat: 39.28, lng: -97.06 }) /
      Math.hypot(east!.x - west!.x, east!.y - west!.y)
    const y_m =
      geodesic_m({ lat: 39.27, lng: -97.07 }, { lat: 39.29, lng: -97.07 }) /
      Math.hypot(north!.x - south!.x, north!.y - south!.y)
    const wrong = places.flatMap(({ x, y }, i) => {
      let [crops, all] = [0, 0]
      for (let row = Math.floor(y) - 40; row <= y + 40; row++) {
        for (let column = Math.floor(x) - 40; column <= x + 40; column++) {
          if (Math.hypot((column + 0.5 - x) * x_m, (row + 0.5 - y) * y_m) > 1000) continue
          const code = grid.cells[row * grid.width + column]!
          all++
          if (code < 100 || code > 200) crops++
        }
      }
      const value = Number(valueOf(found[i]!.cropland_within_1km_pct))
      return Math.abs(value - (100 * crops) / all) > 0.5 ? [{ at: points[i], value, truth: (100 * crops) / all }] : []
    })
    expect(wrong).toEqual([])
  })

  test('the terrain of Alexandria is', async () => {
    const path = join(data, 'dtm_alexandria_va.tif')
    const grid = await decodeWithGdal(path, service.folder)
    const made = async (method: string) => {
      const out = join(service.folder, `${method}.tif`)
      await runOracle(['gdaldem', method, path, out, '-q', ...(method === 'TRI' ? ['-alg', 'Riley'] : [])])
      return decodeWithGdal(out, service.folder)
    }
    const [slopes, aspects, ruggedness] = [await made('slope'), await made('aspect'), await made('TRI')]
    writeFileSync(join(service.packs, 'usgs_3dep_13.json'), JSON.stringify({ vintage: 'sample' }))
    cpSync(path, join(service.packs, 'usgs_3dep_13.tif'))
    await service.until('usgs_3dep_13.tif', 'live')
    const [points, places] = await within(grid, [-77.056, 38.808, -77.049, 38.813], 2)
    const found = await service.answers(points, [
      'elevation',
      'slope_degrees',
      'aspect_degrees',
      'terrain_ruggedness_index_m',
    ])
    ofPack(found, 'sample')
    // GDAL counts from the north of the plane: how far that lies from the true one, PROJ says.
    const [south, north] = await grid.placed([
      { lat: 38.809, lng: -77.0527 },
      { lat: 38.812, lng: -77.0527 },
    ])
    const turn_degrees = (Math.atan2(north!.x - south!.x, south!.y - north!.y) * 180) / Math.PI
    expect(turn_degrees).toBeCloseTo(1.28, 1)
    const wrong = places.flatMap(({ x, y }, i) => {
      const it = found[i]!
      const cell = Math.floor(y) * grid.width + Math.floor(x)
      const [slope, aspect] = [slopes.cells[cell]!, aspects.cells[cell]!]
      const turned = Math.abs(
        ((((Number(valueOf(it.aspect_degrees)) - (aspect - turn_degrees)) % 360) + 540) % 360) - 180,
      )
      const faults = [
        // Beside a cell without data GDAL mixes nothing: what is said there is ours.
        isWhole(grid, x, y) && Math.abs(Number(valueOf(it.elevation)) - bilinear(grid, x, y)) > 1e-4 && 'elevation',
        (slope === noData
          ? it.slope_degrees!.status !== 'absent'
          : Math.abs(Number(valueOf(it.slope_degrees)) - slope) > 0.001 * slope + 1e-4) && 'slope_degrees',
        (Math.abs(slope - 0.5) < 0.001 ? false : slope < 0.5 ? valueOf(it.aspect_degrees) !== null : turned > 0.02) &&
          'aspect_degrees',
        (slope === noData
          ? it.terrain_ruggedness_index_m!.status !== 'absent'
          : Math.abs(Number(valueOf(it.terrain_ruggedness_index_m)) - ruggedness.cells[cell]!) > 1e-4) &&
          'terrain_ruggedness_index_m',
      ].filter((name) => name !== false)
      return faults.length > 0
        ? [
            {
              at: points[i],
              faults,
              found: faults.map((name) => it[name]),
              slope,
              aspect,
              elevation: bilinear(grid, x, y),
            },
          ]
        : []
    })
    expect(wrong).toEqual([])
    const [circle] = await service.answers([points[0]!], ['local_relief_500m_m'])
    expect(circle!.local_relief_500m_m).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/extends beyond/),
    })
  })
})

/** Points that lie in a raster, this many cells from its edge at least, and where in it. */
async function within(
  grid: GdalRaster,
  box: readonly [number, number, number, number],
  margin: number,
): Promise<[At[], { x: number; y: number }[]]> {
  const points = scattered(8 * count, box)
  const places = await grid.placed(points)
  const chosen = places
    .flatMap(({ x, y }, i) =>
      x > margin && y > margin && x < grid.width - margin && y < grid.height - margin ? [i] : [],
    )
    .slice(0, count)
  expect(chosen.length).toBe(count)
  return [chosen.map((i) => points[i]!), chosen.map((i) => places[i]!)]
}

const noData = -9999

function isWhole({ width, cells }: GdalRaster, x: number, y: number): boolean {
  const cell = Math.floor(y - 0.5) * width + Math.floor(x - 0.5)
  return [cell, cell + 1, cell + width, cell + width + 1].every((it) => cells[it] !== noData)
}

function bilinear({ width, cells }: GdalRaster, x: number, y: number): number {
  const [column, row] = [Math.floor(x - 0.5), Math.floor(y - 0.5)]
  const [right, down] = [x - 0.5 - column, y - 0.5 - row]
  const cell = (dx: number, dy: number) => cells[(row + dy) * width + column + dx]!
  return (
    (cell(0, 0) * (1 - right) + cell(1, 0) * right) * (1 - down) +
    (cell(0, 1) * (1 - right) + cell(1, 1) * right) * down
  )
}

function geodesic_m(a: At, b: At): number {
  return geodesic.Geodesic.WGS84.Inverse(a.lat, a.lng, b.lat, b.lng).s12!
}

/** On a sphere, to choose whose distance is worth working out. */
function roughly_m(a: At, b: At): number {
  const radians = Math.PI / 180
  const half =
    Math.sin(((b.lat - a.lat) * radians) / 2) ** 2 +
    Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * Math.sin(((b.lng - a.lng) * radians) / 2) ** 2
  return 2 * 6_371_000 * Math.asin(Math.sqrt(half))
}

/**
 * A code of the National Wetlands Inventory letter by letter: system, subsystem, class, a second class or subclass,
 * regime.
 */
function partsOf(code: unknown): { subtype: string | null; regime: string | null } {
  if (typeof code !== 'string') return { subtype: null, regime: null }
  const [, body = ''] = /^[MERLP]\d?(.*)$/.exec(code) ?? []
  const classes = [body.slice(0, 2), ...(/\/([A-Z]{2})/.exec(body)?.slice(1) ?? [])].map(
    (letters) => wetlandClasses[letters] ?? letters,
  )
  const regime = /([A-Z])[a-z]*$/.exec(body.replace(/^[A-Z]{2}\d?(\/[A-Z]{2}\d?|\/\d)?/, ''))?.[1]
  return { subtype: [...new Set(classes)].join('/'), regime: regime === undefined ? null : (regimes[regime] ?? regime) }
}
