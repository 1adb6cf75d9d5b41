import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackFile } from '../../src/packs/check/pack-check.ts'
import { PackFolder } from '../../src/packs/pack-folder.ts'
import type { PackRequirements } from '../../src/packs/pack.ts'
import type { StoredFeature } from './create-geopackage.ts'
import { writePack } from './write-pack.ts'
import { blob, boxRing, pointWkb, polygonWkb } from './encode-wkb.ts'

const areas: PackRequirements = {
  dataset: 'areas',
  attributes: ['NAME'],
  layers: ['areas'],
  needsPolygons: true,
  tables: [],
}
const rows: PackRequirements = {
  dataset: 'rows',
  attributes: ['value'],
  layers: [],
  needsPolygons: false,
  tables: [{ name: null, keys: [['county_fips'], ['state', 'county']] }],
}
const requirementsOf = (file: string) =>
  ({
    'areas/west.gpkg': [areas],
    'areas/east.gpkg': [areas],
    'areas/part.gpkg': [areas],
    'areas.gpkg': [areas],
    'rows.gpkg': [rows],
    'two.gpkg': [areas, { ...areas, dataset: 'lines', layers: ['lines'] }],
  })[file] ?? []
const square = (NAME: string) => [{ geom: blob(polygonWkb(boxRing(-105, 39, -104, 40))), attributes: { NAME } }]
const inside = { lat: 39.5, lng: -104.5 }

let folder: string
let packs: PackFolder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packs-'))
  packs = new PackFolder(folder, {
    requirementsOf,
    rasters: null,
    check: checkPackFile,
    log: { info: () => {} },
    now: () => new Date(),
  })
})
afterEach(() => {
  packs.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = (file: string) => join(folder, file)
const looked = async () => {
  for (let i = 0; i < 3; i++) await packs.poll()
}
const status = (file: string) => packs.list().find((it) => it.file === file)
const nameOf = (file = 'areas.gpkg') =>
  packs.dataset(file, 'areas')?.layers.get('areas')?.query({ at: inside, radius_m: 0 })[0]?.properties.NAME
const write = (file: string, name: string) =>
  writePack(at(file))
    .layer('areas', square(name), { boxes: [[-105, -104, 39, 40]] })
    .close()

test('an unreadable folder is reported, and live packs stay live', async () => {
  write('areas.gpkg', 'a')
  await looked()
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'in the way')
  await packs.poll()
  expect(packs.folderError()).toContain(`${folder} cannot be read`)
  expect(nameOf()).toBe('a')
  rmSync(folder)
  await packs.poll()
  expect([packs.folderError(), status('areas.gpkg')]).toEqual([null, undefined])
})

describe('a file of the packs folder', () => {
  test('goes live after two scans that find it unchanged, and is gone after one scan without it', async () => {
    await packs.poll()
    write('areas.gpkg', 'a')
    await packs.poll()
    expect(status('areas.gpkg')?.state).toBe('checking')
    await looked()
    expect(status('areas.gpkg')).toMatchObject({
      state: 'live',
      reason: null,
      datasets: ['areas'],
      vintage: '2026-05-04',
      notes: [],
    })
    expect(nameOf()).toBe('a')
    rmSync(at('areas.gpkg'))
    await packs.poll()
    expect([status('areas.gpkg'), nameOf()]).toEqual([undefined, undefined])
  })

  test('that existed before the start goes live after the first scan', async () => {
    write('areas.gpkg', 'a')
    utimesSync(at('areas.gpkg'), new Date(2026, 0, 1), new Date(2026, 0, 1))
    const early = new PackFolder(folder, {
      requirementsOf,
      rasters: null,
      check: checkPackFile,
      log: { info: () => {} },
      now: () => new Date(),
    })
    await early.poll()
    expect(early.list()[0]?.state).toBe('live')
    early.close()
  })

  test('that is growing is not opened', async () => {
    await packs.poll()
    for (let i = 0; i < 3; i++) {
      writeFileSync(at('areas.gpkg'), 'x'.repeat(i + 1))
      await packs.poll()
      expect(status('areas.gpkg')?.state).toBe('checking')
    }
  })

  test('triggers the callback when it is added, replaced and removed', async () => {
    await packs.poll()
    let output = 0
    packs.onChange(() => output++)
    write('areas.gpkg', 'a')
    await looked()
    write('other.part', 'b')
    renameSync(at('other.part'), at('areas.gpkg'))
    await looked()
    rmSync(at('areas.gpkg'))
    await looked()
    expect(output).toBe(3)
  })

  test('that is replaced stays live until the new one is checked, and open datasets stay usable after that', async () => {
    write('areas.gpkg', 'old')
    await looked()
    const held = packs.dataset('areas.gpkg', 'areas')!
    write('new.part', 'new')
    renameSync(at('new.part'), at('areas.gpkg'))
    await packs.poll()
    expect(nameOf()).toBe('old')
    await looked()
    expect(nameOf()).toBe('new')
    expect(held.layers.get('areas')!.query({ at: inside, radius_m: 0 })[0]?.properties.NAME).toBe('old')
    rmSync(at('areas.gpkg'))
    await looked()
    expect(held.layers.get('areas')!.query({ at: inside, radius_m: 0 })).toHaveLength(1)
  })

  test('answers every query while it is added, replaced and removed', async () => {
    write('a.part', 'a')
    let [request, answered] = [0, 0]
    for (let round = 0; round < 20; round++) {
      cpSync(at('a.part'), at('b.part'))
      renameSync(at('b.part'), at('areas.gpkg'))
      const looking = looked()
      if (round % 5 === 0) await looking
      const offer = packs.dataset('areas.gpkg', 'areas')
      for (let i = 0; i < 50; i++, request++) {
        await Promise.resolve()
        answered += offer!.layers.get('areas')!.query({ at: inside, radius_m: 0 }).length
      }
      await looking
      if (round % 5 === 4) rmSync(at('areas.gpkg'))
    }
    expect(request).toBeGreaterThan(500)
    expect(answered).toBe(request)
  })

  test('that is rejected is checked again when it changes, and does not affect other files', async () => {
    writeFileSync(at('areas.gpkg'), '')
    writePack(at('rows.gpkg'))
      .table('t', [{ county_fips: '01001', value: 1 }])
      .close()
    await looked()
    expect(packs.list().map(({ file, state }) => [file, state])).toEqual([
      ['areas.gpkg', 'rejected'],
      ['rows.gpkg', 'live'],
    ])
    rmSync(at('areas.gpkg'))
    write('areas.gpkg', 'a')
    await looked()
    expect(status('areas.gpkg')?.state).toBe('live')
  })

  test('may serve one dataset even if it lacks what another requires', async () => {
    write('two.gpkg', 'a')
    await looked()
    expect(status('two.gpkg')).toMatchObject({
      state: 'live',
      datasets: ['areas'],
      notes: [expect.stringContaining('Does not serve lines: two.gpkg has no layer or table lines')],
    })
  })

  test('is ignored if it is hidden, unfinished, of another type, or in place of a folder of parts', async () => {
    for (const name of ['.areas.gpkg', 'areas.gpkg.part', 'notes.txt', 'areas']) writeFileSync(at(name), 'x')
    await looked()
    expect(packs.list()).toEqual([])
  })
})

describe('a rejected file has a reason that says what was found and expected:', () => {
  const layer = (
    name: string,
    form: Parameters<ReturnType<typeof writePack>['layer']>[2] = {},
    features: StoredFeature[] = square('a'),
  ) => writePack(at('areas.gpkg')).layer(name, features, form).close()
  const cases: [string, () => unknown, string | RegExp][] = [
    ['no bytes', () => writeFileSync(at('areas.gpkg'), ''), 'areas.gpkg is empty (0 bytes). Expected a GeoPackage.'],
    ['a zip', () => writeFileSync(at('areas.gpkg'), 'PK\u0003\u0004rest'), /It starts with a ZIP archive\.$/],
    [
      'a truncated file',
      () => {
        layer('areas')
        truncateSync(at('areas.gpkg'), 8192)
      },
      /^areas.gpkg is truncated: its header declares \d+ bytes, but it has 8192\.$/,
    ],
    [
      'a truncated header',
      () => {
        layer('areas')
        truncateSync(at('areas.gpkg'), 60)
      },
      'areas.gpkg is truncated: its header declares 100 bytes, but it has 60.',
    ],
    [
      'garbage after the header',
      () => {
        layer('areas')
        const file = at('areas.gpkg')
        const bytes = readFileSync(file)
        bytes.fill(0xa5, 100)
        writeFileSync(file, bytes)
      },
      /cannot be read as a GeoPackage\. SQLite reports: /,
    ],
    [
      'another SQLite file',
      () => {
        const db = new Database(at('areas.gpkg'))
        db.run('CREATE TABLE accounts (id)')
        db.close()
      },
      'areas.gpkg is a SQLite file but not a GeoPackage: it has no table gpkg_contents. Its tables: accounts.',
    ],
    [
      'no application_id of a GeoPackage',
      () => writePack(at('areas.gpkg')).layer('areas', square('a')).run('PRAGMA application_id = 7').close(),
      /its application_id is 7\. Expected GPKG \(1196444487\), GP10 or GP11\.$/,
    ],
    [
      'a journal left by a writer',
      () => {
        layer('areas')
        writeFileSync(at('areas.gpkg-journal'), 'x')
      },
      /is still being written, or a program stopped while writing it: the file .*-journal exists next to it/,
    ],
    [
      'two layers, but not the required one',
      () => writePack(at('areas.gpkg')).layer('north', square('a')).layer('south', square('a')).close(),
      'areas.gpkg has no layer or table areas, which the catalog reads. Its layers and tables: north, south.',
    ],
    [
      'a missing column',
      () => layer('areas', {}, [{ geom: blob(polygonWkb(boxRing(0, 0, 1, 1))), attributes: { TITLE: 'a', SIZE: 1 } }]),
      'areas has no column NAME, which the catalog reads. Its columns: fid, TITLE, SIZE.',
    ],
    [
      'points instead of polygons',
      () => layer('areas', { type: 'POINT' }, [{ geom: blob(pointWkb([0, 0])), attributes: { NAME: 'a' } }]),
      'The layer areas has geometries of type POINT. Expected polygons.',
    ],
    [
      'no CRS',
      () => layer('areas', { srs: -1 }),
      /has no coordinate system \(CRS\)\. Expected EPSG:4326 or another system with a definition\.$/,
    ],
    [
      'an unknown CRS',
      () =>
        writePack(at('areas.gpkg'))
          .srs(99, 'MINE', 99, 'PROJCS["Mine",PROJECTION["Flat_Earth"]]')
          .layer('areas', square('a'), { srs: 99 })
          .close(),
      /is in an unknown coordinate system \(CRS\): MINE:99 \(MINE:99\)/,
    ],
    [
      'meters declared as degrees',
      () =>
        layer('areas', { boxes: [[1_600_000, 1_600_100, 1_900_000, 1_900_100]] }, [
          { geom: blob(polygonWkb(boxRing(1_600_000, 1_900_000, 1_600_100, 1_900_100))), attributes: { NAME: 'a' } },
        ]),
      /declares coordinates in degrees \(WGS 84\), but x ranges from 1600000 to 1600100/,
    ],
    [
      'a large layer without an R-tree',
      () => writePack(at('areas.gpkg')).layer('areas', square('a')).run('UPDATE areas SET fid = 300000').close(),
      /has up to 300000 features but no R-tree\. Without an R-tree, the maximum is 200000 features\. Rebuild the file with `fieldstone pack build`/,
    ],
    [
      'another checksum',
      () => {
        layer('areas')
        writeFileSync(at('areas.json'), JSON.stringify({ sha256: 'ab'.repeat(32) }))
      },
      /^areas.gpkg has the SHA-256 checksum [0-9a-f]{64}, but its manifest says (ab){32}\.$/,
    ],
    [
      'a malformed manifest',
      () => {
        layer('areas')
        writeFileSync(at('areas.json'), '{"coverage":[1,2]}')
      },
      'areas.json: coverage must be [west, south, east, north] or a GeoJSON Polygon or MultiPolygon.',
    ],
    [
      'a manifest that is not JSON',
      () => {
        layer('areas')
        writeFileSync(at('areas.json'), '{')
      },
      /^areas.json is not valid JSON:/,
    ],
  ]
  test.each(cases)('%s', async (_name, make, sentence) => {
    make()
    await looked()
    const { state, reason } = status('areas.gpkg')!
    expect(state).toBe('rejected')
    if (typeof sentence === 'string') expect(reason).toBe(sentence)
    else expect(reason).toMatch(sentence)
  })

  test('a file locked by another program', async () => {
    layer('areas')
    const writer = new Database(at('areas.gpkg'))
    writer.run('PRAGMA locking_mode = EXCLUSIVE')
    writer.run('BEGIN EXCLUSIVE')
    await looked()
    expect(status('areas.gpkg')?.reason).toBe(
      'areas.gpkg is locked by a program that writes to it. Close that program.',
    )
    writer.run('ROLLBACK')
    writer.close()
  })

  test('a file name that no dataset reads', async () => {
    write('strange.gpkg', 'a')
    await looked()
    expect(status('strange.gpkg')?.reason).toBe(
      'strange.gpkg is not the name of any pack file. Use a name that `fieldstone pack list --all` prints.',
    )
  })

  test('a table without its key', async () => {
    writePack(at('rows.gpkg'))
      .table('t', [{ code: '1', value: 2 }])
      .close()
    await looked()
    expect(status('rows.gpkg')?.reason).toBe(
      't has no key column. Expected county_fips or state with county. Its columns: fid, code, value.',
    )
  })
})

describe('a manifest', () => {
  test('sets the vintage, the license, and the names of layers and columns in the file', async () => {
    writePack(at('areas.gpkg'))
      .layer('one', [])
      .layer('Flächen', [{ geom: blob(polygonWkb(boxRing(-105, 39, -104, 40))), attributes: { titel: 'x' } }])
      .close()
    writeFileSync(
      at('areas.json'),
      JSON.stringify({
        vintage: '2024',
        license: 'CC0',
        attribution: 'us',
        layers: { areas: 'Flächen' },
        columns: { NAME: 'titel' },
      }),
    )
    await looked()
    expect(status('areas.gpkg')).toMatchObject({ state: 'live', vintage: '2024', license: 'CC0', attribution: 'us' })
    expect(nameOf()).toBe('x')
  })

  test.each([
    ['a box', [-105, 39, -104.4, 40], true, false],
    [
      'a polygon with a hole',
      { type: 'Polygon', coordinates: [boxRing(-106, 38, -103, 41), boxRing(-104.45, 39.4, -104.1, 39.6)] },
      true,
      false,
    ],
    ['nothing, so the bounds of the layer apply', null, true, true],
  ])('declares the coverage by %s', async (_name, coverage, first, second) => {
    write('areas.gpkg', 'a')
    writeFileSync(at('areas.json'), JSON.stringify({ coverage }))
    await looked()
    const { covers } = packs.dataset('areas.gpkg', 'areas')!
    expect(covers(inside)).toEqual(first)
    expect(covers({ lat: 39.5, lng: -104.3 })).toEqual(second)
    expect(covers({ lat: 50, lng: -100 })).toBe(false)
  })
})

describe('the rows of a table', () => {
  const table = (keys: Record<string, string | undefined>, index?: string) =>
    writePack(at('rows.gpkg'))
      .table(
        't',
        [1, 2].map((value) => ({ ...(keys as Record<string, string>), value })),
        index,
      )
      .close()

  test.each([
    ['by an index', { county_fips: '01001' }, 'county_fips', []],
    [
      'by a map in memory',
      { county_fips: '01001' },
      undefined,
      ['t has no index on county_fips, so its keys are held in memory.'],
    ],
    [
      'by two columns joined',
      { state: '01', county: '001' },
      undefined,
      ['t has no index on state, county, so its keys are held in memory.'],
    ],
  ])('are found %s', async (_name, keys, index, notes) => {
    table(keys, index)
    await looked()
    expect(status('rows.gpkg')).toMatchObject({ state: 'live', notes })
    const found = packs.dataset('rows.gpkg', 'rows')!.tables.get('')!
    expect(found.rows('01001').map(({ value }) => value)).toEqual([1, 2])
    expect(found.rows("1' OR 1=1 --")).toEqual([])
  })
})

describe('a folder of parts', () => {
  const write = (file: string, west: number, manifest: object = {}) => {
    mkdirSync(join(folder, 'areas'), { recursive: true })
    const feature = { geom: blob(polygonWkb(boxRing(west, 39, west + 1, 40))), attributes: { NAME: file } }
    writePack(at(file)).layer('areas', [feature]).close()
    writeFileSync(at(file.replace('.gpkg', '.json')), JSON.stringify(manifest))
  }
  const nameAt = (lng: number) =>
    packs
      .dataset('areas.gpkg', 'areas')
      ?.layers.get('areas')
      ?.query({ at: { lat: 39.5, lng }, radius_m: 0 })[0]?.properties.NAME

  test('gains and loses parts, beside a pack in one file', async () => {
    write('areas/west.gpkg', -106)
    await looked()
    expect([nameAt(-105.5), nameAt(-104.5)]).toEqual(['areas/west.gpkg', undefined])
    write('areas/east.gpkg', -105)
    write('areas.gpkg', -104)
    await looked()
    expect(nameAt(-105.5)).toBe('areas/west.gpkg')
    expect(nameAt(-104.5)).toBe('areas/east.gpkg')
    expect(nameAt(-103.5)).toBe('areas.gpkg')
    expect(packs.list().map(({ file, state }) => [file, state])).toEqual([
      ['areas.gpkg', 'live'],
      ['areas/east.gpkg', 'live'],
      ['areas/west.gpkg', 'live'],
    ])
    rmSync(at('areas/west.gpkg'))
    await packs.poll()
    expect([nameAt(-105.5), nameAt(-104.5)]).toEqual([undefined, 'areas/east.gpkg'])
    rmSync(join(folder, 'areas'), { recursive: true })
    await packs.poll()
    expect([nameAt(-104.5), nameAt(-103.5)]).toEqual([undefined, 'areas.gpkg'])
  })

  test('prefers the part that was fetched last', async () => {
    write('areas/west.gpkg', -105, { fetched_at: '2026-02-01T00:00:00Z', margin_m: 0 })
    write('areas/east.gpkg', -105, { fetched_at: '2026-01-01T00:00:00Z', margin_m: 0 })
    await looked()
    expect(nameAt(-104.5)).toBe('areas/west.gpkg')
  })

  test('keeps its other parts when one is rejected', async () => {
    write('areas/west.gpkg', -106)
    write('areas/east.gpkg', -105, { margin_m: 'far' })
    await looked()
    expect(status('areas/east.gpkg')).toMatchObject({
      state: 'rejected',
      reason: 'areas/east.json: margin_m must be a number of meters.',
    })
    expect(nameAt(-105.5)).toBe('areas/west.gpkg')
  })

  test('is ignored if it does not have the name of a pack', async () => {
    mkdirSync(join(folder, 'old'))
    writePack(at('old/areas.gpkg')).layer('areas', square('a')).close()
    await looked()
    expect(packs.list()).toEqual([])
  })
})
