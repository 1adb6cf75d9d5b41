import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { createStartCommand } from '../../src/cli/server/start-command.ts'
import { newFolder, startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const upstreams = openUpstreams()
const folder = temporaryFolder()
afterAll(() => upstreams.close())
const online = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url }
const withKeys = { ...online, CENSUS_API_KEY: 'test-census' }
const boulder = ['--area', 'Boulder County, CO']
const ran = (words: string[], env: Record<string, string> = online) =>
  startFieldstone(['pack', ...words], env, folder).end()
const at = '40.0171,-105.2533'

type Planned = { dataset: string; how: string; fields: string[]; features: number | null; reason: string | null }

describe('`pack plan`', () => {
  test('says for each dataset how it is obtained, how large it is, and what cannot be copied and why', async () => {
    const { code, out } = await ran([
      'plan',
      '--preset',
      'flood_risk',
      '--fields',
      'open_ocean_distance_m',
      ...boulder,
      '--json',
    ])
    const { area, datasets } = JSON.parse(out) as { area: string; datasets: Planned[] }
    const planned = (id: string) => datasets.find(({ dataset }) => dataset === id)
    expect([code, area]).toEqual([0, 'Boulder County, CO'])
    expect(planned('usfws_nwi')).toMatchObject({ how: 'file', margin_m: 5_000, requests: 1 })
    expect(planned('fema_nfhl_zones')).toMatchObject({
      how: 'service',
      from: 'hazards.fema.gov',
      reason: "The names of the publisher's files contain a date that is not known, so the service is copied.",
    })
    expect(planned('usfws_nwi')!.fields).toContain('nearest_wetland_distance_m')
    expect(planned('fema_nfhl_zones')!.features).toBeGreaterThan(0)
    expect(planned('osm_coastline')!.how).toBe('built_in')
    expect(planned('census_tiger_coastline')).toMatchObject({
      how: 'file',
      license: 'US government work, public domain',
      requests: 1,
      bytes: expect.any(Number),
    })
    const impossible = datasets.filter(({ how }) => how === 'impossible')
    expect(impossible.filter(({ reason }) => reason === null || !reason.endsWith('.'))).toEqual([])
    expect((await ran(['plan', '--preset', 'flood_risk', ...boulder])).out).toMatch(
      /^Plan for Boulder County, CO:\ndataset /,
    )
  })

  test('takes a name for an area also if a file or folder has the name', async () => {
    mkdirSync(join(folder, 'Colorado'), { recursive: true })
    writeFileSync(join(folder, '08013'), 'not an area')
    for (const [area, name] of [
      ['Colorado', 'Colorado'],
      ['08013', 'Boulder County, CO'],
    ] as const)
      expect((await ran(['plan', 'usgs_qfaults', '--area', area], {})).out).toStartWith(`Plan for ${name}:`)
  })

  test('names data of the executable of which a service can have a newer edition, and copies it with --services', async () => {
    const words = ['--fields', 'nearest_airport_name,nearest_place_name', ...boulder]
    const { out } = await ran(['plan', ...words], {})
    expect(out).toContain('Part of the executable: bts_aviation_facilities, ')
    expect(out).toMatch(
      /^bts_aviation_facilities: Its service can have a newer edition\. To copy it, add --services\.$/m,
    )
    const fetched = await ran(['fetch', ...words, '--services'])
    expect(fetched.code).toBe(0)
    expect(fetched.out).toMatch(/facilities\/08013\.gpkg: .* from services\.arc/)
    expect(fetched.out).not.toContain('Compared')
    expect((await ran(['refresh', 'bts_aviation_facilities'])).out).toContain('bts_aviation_facilities is current')
    rmSync(join(folder, 'data', 'packs', 'bts_aviation_facilities'), { recursive: true })
  })

  test('names live, billed and restricted sources, and needs no network for the rest', async () => {
    const { out } = await ran(['plan', '--all', ...boulder, '--json'], {})
    const { datasets } = JSON.parse(out) as { datasets: Planned[] }
    const reasonOf = (id: string) => datasets.find(({ dataset }) => dataset === id)!.reason
    expect(reasonOf('nws_alerts')).toContain('live readings')
    expect(reasonOf('regrid_parcels')).toBe('Every request is billed.')
    expect(reasonOf('fcc_bdc_block_groups')).toContain('license')
    expect(reasonOf('usfws_nwi')).toBe('The network is off, so the size is not known.')
  })

  test('copies nothing that has no data in the area', async () => {
    const fields = 'mean_annual_dry_bulb_temperature_degc,nearest_place_name'
    const { out } = await ran(['plan', '--fields', fields, '--area', '66010'], {})
    expect(out).toContain('  noaa_normals_tavg_annual (mean_annual_dry_bulb_temperature_degc): It has no data there.')
    expect(out).toEndWith('Then 1 of 2 fields can be answered in Guam, GU without a network.\n')
  })

  test('lists as not possible only the fields that no other data answers, and says how many are answered', async () => {
    const fields = 'tract_geoid,census_block_population_2020,watershed_impervious_pct,elevation'
    const { out } = await ran(['plan', '--fields', fields, ...boulder], {})
    expect(out).toContain('  fcc_area_api (census_block_population_2020): Its service answers one place per request.')
    expect(out).toContain('  epa_streamcat (watershed_impervious_pct): Its service answers one place per request.')
    expect(out).toMatch(/^Not copied, because other data answers the same: .*usgs_nldi\.$/m)
    expect(out).toEndWith('Then 2 of 4 fields can be answered in Boulder County, CO without a network.\n')
  })
})

describe('`pack fetch` with an area', () => {
  const fields = 'nwi_wetland_type,nearest_wetland_distance_m,within_floodplain_polygon,intersects_nhd_area'

  test('copies what the fields read, and then the fields are answered without a network as with it', async () => {
    const { code, out, err } = await ran(['fetch', '--fields', fields, ...boulder, '--verify', '20', '--services'])
    expect([code, err.replaceAll(/^.* \d+ % .*$/gm, '').trim()]).toEqual([0, ''])
    expect(out).toContain('4 of 4 fields can be answered in Boulder County, CO without a network.')
    expect(out).toMatch(/Compared 160 answers at 40 points with the services: 0 differences\./)
    const file = join(folder, 'data', 'packs', 'usfws_nwi', '08013')
    const manifest = JSON.parse(readFileSync(`${file}.json`, 'utf8'))
    expect(manifest).toMatchObject({
      area: 'Boulder County, CO',
      margin_m: 5_000,
      key: 'Wetlands.OBJECTID',
      obtained: { how: 'service', host: 'fwspublicservices.wim.usgs.gov' },
      comparison: { points: 40, differences: [] },
      coverage: { type: 'MultiPolygon' },
    })
    expect(readdirSync(join(folder, 'data', 'harvest'))).toEqual([])
    const answer = async (env: Record<string, string>, data: string) =>
      JSON.parse(
        (await startFieldstone(['fetch', '--at', at, '--fields', fields, '--data', data], env, folder).end()).out,
      )
    const [offline, live] = [await answer({}, 'data'), await answer(online, 'other-data')]
    for (const name of fields.split(','))
      expect([name, offline.fields[name].status, offline.fields[name].value, offline.fields[name].driver]).toEqual([
        name,
        live.fields[name].status,
        live.fields[name].value,
        'pack',
      ])
  })

  test('asks no service again for what is there', async () => {
    const before = upstreams.calls.length
    const { code, out } = await ran([
      'fetch',
      '--fields',
      'nwi_wetland_type',
      ...boulder,
      '--verify',
      '0',
      '--services',
    ])
    expect([code, out.includes('usfws_nwi/08013.gpkg is there already.')]).toEqual([0, true])
    // The plan asks how much there is.
    const calls = upstreams.calls.slice(before)
    expect(calls.filter(({ query, body }) => /objectIds|returnIdsOnly/.test(query.toString() + body))).toEqual([])
  })

  test('reports a dataset that fails, and makes the others', async () => {
    upstreams.fault({ host: 'hazards.fema.gov' }, 'arcgis_400')
    const { code, out, err } = await ran([
      'fetch',
      '--dataset',
      'fema_nfhl_panels,usgs_qfaults',
      ...boulder,
      '--verify',
      '0',
    ])
    upstreams.heal()
    expect([code, existsSync(join(folder, 'data', 'packs', 'usgs_qfaults', '08013.gpkg'))]).toEqual([1, true])
    expect(out).toContain('1 dataset failed: fema_nfhl_panels. Run the same command again to continue.')
    expect(err).toContain('fema_nfhl_panels: hazards.fema.gov')
  })

  test('copies rasters in the cells of their files and services', async () => {
    const place = ['--at', '40.016,-105.2721', '--radius', '1km']
    const files = 'elevation,slope_degrees,surface_water_permanence_pct'
    const { code, out } = await ran(['fetch', '--fields', files, ...place, '--verify', '30'])
    expect(out).toMatch(/Compared 150 answers at 50 points with the services: 0 diff/)
    expect(code).toBe(0)
    expect(out).toMatch(/usgs_3dep\/at-40\.016_-105\.2721-1000m\.tif: usgs_3dep, [\d,]+ cells from prd-tnm/)
    const services = await ran(['fetch', '--fields', 'lcms_class,burn_probability', ...place, '--verify', '0'])
    expect(services.code).toBe(0)
    expect(services.out).toMatch(/usfs_lcms_landcover, [\d,]+ cells from imagery/)
  })

  test('copies all years of a raster that the fields read, and tells them apart', async () => {
    const { lat, lng } = testPlaces.kansas
    const names = 'cdl_class,dominant_crop_5y,crop_rotation_5y,tree_canopy_pct,tree_canopy_change_10y_pct'
    const place = ['--at', `${lat},${lng}`, '--radius', '1km']
    const { code, out } = await ran(['fetch', '--fields', names, ...place, '--verify', '20'])
    expect(out).toMatch(/Compared 200 answers at 40 points with the services: 0 differences\./)
    expect(code).toBe(0)
    const manifests = readdirSync(join(folder, 'data', 'packs', 'usda_cdl')).filter((name) => name.endsWith('.json'))
    const { vintage, editions } = JSON.parse(
      readFileSync(join(folder, 'data', 'packs', 'usda_cdl', manifests[0]!), 'utf8'),
    )
    expect([vintage, editions]).toEqual(['2025', [2_025, 2_024, 2_023, 2_022, 2_021]])
  })

  test('copies OpenStreetMap features from the Overpass instance of the operator, and says if none is set', async () => {
    const names = ['--fields', 'nearest_osm_substation_distance_m', ...boulder]
    expect((await ran(['plan', ...names])).out).toContain('It needs an Overpass instance. Set FIELDSTONE_OVERPASS.')
    const withOverpass = { ...online, FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter' }
    const { code, out } = await ran(['fetch', ...names, '--verify', '10'], withOverpass)
    expect(out).toMatch(/Compared 30 answers at 30 points with the services: 0 differences\./)
    expect(code).toBe(0)
    expect(out).toMatch(/osm_substations, \d+ features? from overpass-api\.de/)
  })

  test('copies services that answer points cell by cell, and checks that each cell has one answer', async () => {
    const names =
      'heating_degree_days_c,frost_days_per_year,koppen_climate_class,mean_annual_dry_bulb_temperature_degc,july_max_temperature_c'
    const place = ['--area', '-105.4,39.9,-105.1,40.1']
    const { code, out } = await ran(['fetch', '--fields', names, ...place, '--verify', '20'])
    expect(out).toMatch(/Compared 200 answers at 40 points with the services: 0 differences\./)
    expect(code).toBe(0)
    expect(out).toMatch(/nasa_power_climatology, \d+ features from power\.larc\.nasa\.gov/)
    expect(out).toMatch(/noaa_normals_tmax_july, \d+ cells from planetarycomputer/)
  })

  test('copies lists of records, whole or box by box', async () => {
    const names =
      'nearest_wind_turbine_distance_m,nearest_volcano_name,nearest_tide_station_name,elevation_source_resolution_m'
    const { code, out } = await ran(['fetch', '--fields', names, ...boulder, '--verify', '10'])
    expect(out).toMatch(/Compared \d+ answers at 30 points with the services: 0 diff/)
    expect(code).toBe(0)
    expect(out).toMatch(/usgs_uswtdb, \d+ features? from energy\.usgs\.gov/)
    expect(out).toMatch(/usgs_3dep_catalog, 2 features from elevation\.nationalmap\.gov/)
  })

  test('copies the records of counties, tracts and block groups, and whole tables', async () => {
    const names =
      'county_population,county_employment_total,tract_population_acs5,radon_zone,disaster_declarations_10y_count,county_unemployment_rate_pct,county_median_household_income_usd'
    const place = ['--at', '40.016,-105.2721', '--radius', '1km']
    const { code, out } = await ran(['fetch', '--fields', names, ...place, '--verify', '10'], withKeys)
    expect(out).toMatch(/Compared 210 answers at 30 points with the services: 0 differences\./)
    expect(code).toBe(0)
    expect(out).toContain('7 of 7 fields can be answered')
    expect(out).toMatch(/census_acs5, 3 documents from api\.census\.gov/)
    const plan = await ran(['plan', '--dataset', 'census_acs5', ...place])
    expect(plan.out).toContain('Its service needs an API key. Set CENSUS_API_KEY.')
  })

  test('copies census geographies from TIGERweb, and soils by map unit', async () => {
    const names =
      'block_geoid,political_locality,congressional_district,cbsa_name,soil_map_unit_name,soil_ph,soil_surface_texture'
    const { code, out } = await ran(['fetch', '--fields', names, ...boulder, '--verify', '10'])
    expect(out).toMatch(/Compared 210 answers at 30 points with the services: 0 differences\./)
    expect(code).toBe(0)
    expect(out).toMatch(/usda_ssurgo_mapunit, 1 feature from sdmdataaccess/)
  })

  test('makes one part for a radius around sites', async () => {
    writeFileSync(join(folder, 'sites.csv'), 'name,lat,lng\na,40.015,-105.27\nb,40.2,-105.1\n')
    const { code, out } = await ran([
      'fetch',
      'usgs_qfaults',
      '--sites',
      'sites.csv',
      '--radius',
      '5km',
      '--verify',
      '0',
    ])
    expect(out).toMatch(/usgs_qfaults\/sites-\w+-5000m\.gpkg: usgs_qfaults, \d+ feature/)
    expect(code).toBe(0)
  })

  test('copies the data of a layer of the operator, and compares it too', async () => {
    const usgs_qfaults = contents.datasets.usgs_qfaults!
    const faults = {
      ...usgs_qfaults,
      serve: usgs_qfaults.serve.map((it) => (it.driver === 'pack' ? { ...it, file: 'my_faults.gpkg' } : it)),
    }
    const field = { ...contents.fields.find(({ name }) => name === 'nearest_fault_name')!, name: 'my_fault_name' }
    mkdirSync(join(folder, 'data', 'catalog.d'), { recursive: true })
    const layer = {
      datasets: { my_faults: faults },
      fields: [{ ...field, read: { ...field.read, dataset: 'my_faults' } }],
    }
    writeFileSync(join(folder, 'data', 'catalog.d', 'faults.json'), JSON.stringify(layer))
    const { code, out } = await ran(['fetch', '--fields', 'my_fault_name', ...boulder, '--verify', '5'])
    rmSync(join(folder, 'data', 'catalog.d'), { recursive: true })
    expect([code, out]).toEqual([0, expect.stringMatching(/Compared 25 answers .*: 0 differences/)])
  })

  test('rejects a command line that names no area, no fields, or both twice', async () => {
    for (const [words, message] of [
      [['fetch', '--preset', 'flood_risk'], 'Name one area: --area'],
      [['plan', ...boulder], 'Nothing selected. Use --preset'],
      [['plan', '--preset', 'flod_risk', ...boulder], 'The nearest are flood_risk, '],
      [['plan', '--dataset', 'usfws_nwy', ...boulder], 'Unknown dataset "usfws_nwy". The nearest are usfws_nwi, '],
      [
        ['plan', '--dataset', 'censu_tiger', ...boulder],
        'Unknown dataset "censu_tiger". The nearest are census_tiger_',
      ],
      [['plan', '--preset', 'flood', ...boulder], '`fieldstone presets` lists all presets.'],
      [['plan', '--all', '--area', 'Bolder County, CO'], '--area: "Bolder County, CO" is not an area.'],
      [['plan', '--all', '--at', at], '--at needs --radius'],
      [['plan', '--all', ...boulder, '--radius', '5km'], '--radius belongs to --at or --sites'],
      [['fetch', 'usfws_nwi', ...boulder, '--verify', 'many'], '--verify "many" is not valid'],
      [['list', ...boulder], 'does not take --area'],
      [['plan', '--all', ...boulder, '--yes'], 'does not take --yes'],
      [['fetch', 'usfws_nwi', '--between', '22:00-06:00'], 'Name one area: --area'],
    ] as const) {
      const { code, err } = await ran([...words], {})
      expect([words, code, err.includes(message) ? message : err]).toEqual([words, 64, message])
    }
    expect((await ran(['fetch', 'usfws_nwi', '--area', 'Pueblo County, CO'], {})).err).toContain('FIELDSTONE_OFFLINE=1')
  })
})

test('a comparison that is interrupted leaves no copy of the embedded data behind, nor does the next one after a kill', async () => {
  const temporary = newFolder()
  const words = ['pack', 'fetch', 'usgs_qfaults', ...boulder, '--data', 'compared', '--verify', '10000']
  for (const [signal, left] of [
    ['SIGKILL', 1],
    ['SIGINT', 0],
  ] as const) {
    const comparing = startFieldstone(words, { ...online, TMPDIR: temporary.folder }, folder)
    await comparing.waitForOutput(/Comparing with the services/)
    comparing.signal(signal)
    await comparing.end()
    const hidden = readdirSync(join(folder, 'compared')).filter((name) => name.startsWith('.'))
    expect([signal, hidden.length, readdirSync(temporary.folder)]).toEqual([signal, left, []])
  }
  temporary.remove()
})

test('a copy that is killed at any moment continues, and gives the same file', async () => {
  const dataset = 'epa_attains_gis'
  const fetchInto = (data: string) =>
    startFieldstone(['pack', 'fetch', dataset, ...boulder, '--verify', '0', '--data', data], online, folder)
  const packOf = (data: string) => readFileSync(join(folder, data, 'packs', dataset, '08013.gpkg'))
  const begin = upstreams.calls.length
  expect((await fetchInto('whole').end()).code).toBe(0)
  const calls = upstreams.calls.length - begin
  for (const share of [0.3, 0.5, 0.7, 0.9]) {
    const killAt = upstreams.calls.length + Math.round(share * calls)
    const killed = fetchInto('killed')
    while (upstreams.calls.length < killAt) await Bun.sleep(1)
    killed.signal('SIGKILL')
    await killed.end()
    expect((await fetchInto('killed').end()).code).toBe(0)
    expect(packOf('killed').equals(packOf('whole'))).toBe(true)
    rmSync(join(folder, 'killed'), { recursive: true })
  }
})

test('a command ends during a download when the server that started it was killed', async () => {
  const size = 200_000_000
  const host = Bun.serve({
    port: 0,
    fetch(request) {
      if (!request.url.endsWith('.zip')) return new Response('', { status: 404 })
      if (request.headers.get('range') === 'bytes=0-0')
        return new Response('x', { status: 206, headers: { 'content-range': `bytes 0-0/${size}` } })
      const body = new ReadableStream({
        async pull(controller) {
          await Bun.sleep(50)
          controller.enqueue(new Uint8Array(100_000))
        },
      })
      return new Response(body, { headers: { 'content-length': String(size) } })
    },
  })
  const program = [process.execPath, '--no-env-file', join(import.meta.dir, '../../src/main.ts')]
  const settings = {
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: host.url.origin,
    FIELDSTONE_DATA: join(folder, 'slow'),
  }
  const words = ['pack', 'fetch', 'census_tiger_coastline', '--yes', '--area=-105.28,40.01,-105.26,40.03', '--json']
  const command = createStartCommand(program, process.env)(words, settings)
  // A killed server reads no more lines.
  for await (const line of command.lines) if (line.includes('"progress"')) break
  expect((await command.ended).code).toBe(141)
  await host.stop(true)
})
