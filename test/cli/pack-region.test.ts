import { beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFieldstone } from './fieldstone.ts'
import { datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const ran = (data: string, ...words: string[]) =>
  startFieldstone(['pack', ...words, '--data', join(folder, data)], {}, folder).end()
const done = async (data: string, ...words: string[]) => {
  const { code, out, err } = await ran(data, ...words)
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
  return out
}
const layer = (title: string) =>
  JSON.stringify({
    datasets: { my_zones: datasetOf({ service: 'my', title, serve: [{ driver: 'pack', file: 'my.gpkg' }] }) },
    fields: [
      fieldOf('my_zone', { dataset: 'my_zones', op: 'attribute', attribute: 'ATTRIBUTE' }, { layer: 'my_layer' }),
    ],
  })

beforeAll(async () => {
  const square = [
    [
      [-98, 39],
      [-98, 40],
      [-97, 40],
      [-97, 39],
      [-98, 39],
    ],
  ]
  const wetland = {
    type: 'Feature',
    properties: { WETLAND_TYPE: 'Lake', ATTRIBUTE: 'L1UBH', ACRES: 3 },
    geometry: { type: 'Polygon', coordinates: square },
  }
  writeFileSync(join(folder, 'w.json'), JSON.stringify(wetland))
  mkdirSync(join(folder, 'office', 'catalog.d'), { recursive: true })
  writeFileSync(join(folder, 'office', 'catalog.d', 'zones.json'), layer('Zones'))
  await done('office', 'build', 'usfws_nwi', 'w.json', '--part', '20143', '--vintage', '2026-05')
  await done('office', 'build', 'my_zones', 'w.json')
})

test('packs and layers are carried to a machine that trusts the key', async () => {
  const key = (await done('office', 'key')).trim()
  expect(await done('office', 'export', 'region.tar')).toMatch(
    new RegExp(`region\\.tar: 2 packs and 1 layer, 0\\.\\d MB, verified and signed with ${key}\\.`),
  )
  expect(await ran('site', 'import', 'region.tar')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`signed with ${key}, which is not trusted here.`),
  })
  expect(existsSync(join(folder, 'site', 'packs'))).toBe(false)
  await done('site', 'key', 'add', key, 'head', 'office')
  expect(await done('site', 'key', 'list')).toBe(`${key}  head office\n`)
  const preview = await done('site', 'import', 'region.tar', '--dry-run')
  expect(preview).toMatch(/^my\.gpkg: vintage .*, 0\.1 MB \(new\)$/m)
  expect(preview).toMatch(/^usfws_nwi\/20143\.gpkg: vintage 2026-05, 0\.1 MB \(new\)$/m)
  expect(preview).toContain('catalog.d/zones.json: a layer (new)')
  expect(existsSync(join(folder, 'site', 'packs'))).toBe(false)
  expect(await done('site', 'import', 'region.tar')).toContain('Installed in')
  const listed = JSON.parse(await done('site', 'list', '--json')) as { file: string; state: string }[]
  expect(listed.map(({ file, state }) => [file, state])).toEqual([
    ['my.gpkg', 'ok'],
    ['usfws_nwi/20143.gpkg', 'ok'],
  ])
})

test('a layer that differs is replaced only with --replace-layers', async () => {
  const path = join(folder, 'site', 'catalog.d', 'zones.json')
  writeFileSync(path, layer('Mine'))
  expect(await ran('site', 'import', 'region.tar')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${path} exists and differs from the one in the archive.`),
  })
  expect(readFileSync(path, 'utf8')).toBe(layer('Mine'))
  await done('site', 'import', 'region.tar', '--replace-layers')
  expect(readFileSync(path, 'utf8')).toBe(layer('Zones'))
})

test('an export of some packs has only these, and the layers', async () => {
  await done('office', 'export', 'some.tar', 'usfws_nwi')
  const names = Bun.spawnSync(['tar', 'tf', join(folder, 'some.tar')]).stdout.toString()
  expect(names.split('\n').filter((name) => name.endsWith('.gpkg'))).toEqual(['packs/usfws_nwi/20143.gpkg'])
  expect(await ran('office', 'export', 'none.tar', 'epa_tri')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no pack epa_tri in '),
  })
  const manifest = join(folder, 'office', 'packs', 'usfws_nwi', '20143.json')
  const described = JSON.parse(readFileSync(manifest, 'utf8')) as object
  writeFileSync(manifest, JSON.stringify({ ...described, area: 'Ottawa County, KS' }))
  for (const [i, area] of ['Ottawa County, KS', 'ottawa, kansas', '20143'].entries()) {
    const out = await done('office', 'export', `area-${i}.tar`, '--area', area)
    expect(out).toContain('1 pack and 1 layer')
    expect(out).toContain('Left out, because they are not of an area: my.gpkg.')
  }
  expect(await ran('office', 'export', 'none.tar', '--area', 'Nowhere')).toMatchObject({
    code: 1,
    err: expect.stringContaining('No pack has the area "Nowhere".'),
  })
})

test('a pack that this server cannot use is not installed, and nothing else is', async () => {
  const part = join(folder, 'office', 'packs', 'usfws_nwi', '20143')
  writeFileSync(`${part}.gpkg`, 'not a GeoPackage')
  rmSync(`${part}.json`)
  await done('office', 'export', 'broken.tar')
  const key = (await done('office', 'key')).trim()
  await done('third', 'key', 'add', key)
  expect(await ran('third', 'import', 'broken.tar')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/packs\/usfws_nwi\/20143\.gpkg cannot be used: .* Nothing was changed\./),
  })
  expect(await done('third', 'list')).toContain('No packs in')
  expect(existsSync(join(folder, 'third', 'catalog.d'))).toBe(false)
})

test.each([
  [['export'], 'No file given.'],
  [['import'], 'Usage: `fieldstone pack import'],
  [['key', 'forget'], 'Usage: `fieldstone pack key`'],
  [['import', 'x.tar', '--all'], 'does not take --all'],
  [['list', 'x'], 'Usage: `fieldstone pack list [--all] [--json]`. See'],
  [['remove'], 'Usage: `fieldstone pack remove <dataset | part>`. See'],
  [['list', '--al'], 'Did you mean --all?'],
  [[], 'No known action given. The actions are build, fetch,'],
])('a wrong command line is rejected: pack %p', async (words, message) => {
  expect(await ran('office', ...words)).toMatchObject({ code: 64, err: expect.stringContaining(message) })
})
