import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPackFolder, type PackFolder } from '../../src/packs/pack-folder.ts'
import type { PackRequirements } from '../../src/packs/pack.ts'
import type { Stored } from './geopackage-of.ts'
import { writePack } from './pack-of.ts'
import { blob, box, point, polygon } from './wkb-of.ts'

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
    'areas.gpkg': [areas],
    'rows.gpkg': [rows],
    'two.gpkg': [areas, { ...areas, dataset: 'lines', layers: ['lines'] }],
  })[file] ?? []
const square = (NAME: string) => [{ geom: blob(polygon(box(-105, 39, -104, 40))), attributes: { NAME } }]
const inside = { lat: 39.5, lng: -104.5 }

let folder: string
let packs: PackFolder
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packs-'))
  packs = openPackFolder(folder, { requirementsOf, rasters: null, log: { info: () => {} }, now: () => new Date() })
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

test('a folder that cannot be read is told, and what was live in it stays so', async () => {
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
  test('is live after two looks at it as it is, and gone after one without it', async () => {
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

  test('that has lain there since before the start is live after the first look', async () => {
    write('areas.gpkg', 'a')
    utimesSync(at('areas.gpkg'), new Date(2026, 0, 1), new Date(2026, 0, 1))
    const early = openPackFolder(folder, {
      requirementsOf,
      rasters: null,
      log: { info: () => {} },
      now: () => new Date(),
    })
    await early.poll()
    expect(early.list()[0]?.state).toBe('live')
    early.close()
  })

  test('that is still growing is not opened', async () => {
    await packs.poll()
    for (let i = 0; i < 3; i++) {
      writeFileSync(at('areas.gpkg'), 'x'.repeat(i + 1))
      await packs.poll()
      expect(status('areas.gpkg')?.state).toBe('checking')
    }
  })

  test('says by the callback that it came, was replaced and went', async () => {
    await packs.poll()
    let told = 0
    packs.onChange(() => told++)
    write('areas.gpkg', 'a')
    await looked()
    write('other.part', 'b')
    renameSync(at('other.part'), at('areas.gpkg'))
    await looked()
    rmSync(at('areas.gpkg'))
    await looked()
    expect(told).toBe(3)
  })

  test('that is replaced by another is answered from the old one until the new one is checked, and by whoever holds it beyond', async () => {
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

  test('answers every question while it is added, replaced and removed', async () => {
    write('a.part', 'a')
    let [asked, answered] = [0, 0]
    for (let round = 0; round < 20; round++) {
      cpSync(at('a.part'), at('b.part'))
      renameSync(at('b.part'), at('areas.gpkg'))
      const looking = looked()
      if (round % 5 === 0) await looking
      const offer = packs.dataset('areas.gpkg', 'areas')
      for (let i = 0; i < 50; i++, asked++) {
        await Promise.resolve()
        answered += offer!.layers.get('areas')!.query({ at: inside, radius_m: 0 }).length
      }
      await looking
      if (round % 5 === 4) rmSync(at('areas.gpkg'))
    }
    expect(asked).toBeGreaterThan(500)
    expect(answered).toBe(asked)
  })

  test('that is refused is tried again when it changes, and takes no other down', async () => {
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

  test('may serve one dataset where it lacks what another expects', async () => {
    write('two.gpkg', 'a')
    await looked()
    expect(status('two.gpkg')).toMatchObject({
      state: 'live',
      datasets: ['areas'],
      notes: [expect.stringContaining('It does not serve lines: two.gpkg has no layer or table lines')],
    })
  })

  test('is not looked at when it is hidden, unfinished or of another kind', async () => {
    for (const name of ['.areas.gpkg', 'areas.gpkg.part', 'notes.txt']) writeFileSync(at(name), 'x')
    await looked()
    expect(packs.list()).toEqual([])
  })
})

describe('a file is refused with what was expected and what was found:', () => {
  const layer = (
    name: string,
    form: Parameters<ReturnType<typeof writePack>['layer']>[2] = {},
    features: Stored[] = square('a'),
  ) => writePack(at('areas.gpkg')).layer(name, features, form).close()
  const cases: [string, () => unknown, string | RegExp][] = [
    [
      'no bytes',
      () => writeFileSync(at('areas.gpkg'), ''),
      'areas.gpkg is empty (0 bytes); a GeoPackage was expected.',
    ],
    ['a zip', () => writeFileSync(at('areas.gpkg'), 'PK\u0003\u0004rest'), /it begins with a ZIP archive\.$/],
    [
      'half a file',
      () => {
        layer('areas')
        truncateSync(at('areas.gpkg'), 8192)
      },
      /^areas.gpkg is cut off: by its own header it has \d+ bytes, and there are 8192\.$/,
    ],
    [
      'some bytes of one',
      () => {
        layer('areas')
        truncateSync(at('areas.gpkg'), 60)
      },
      'areas.gpkg is cut off: by its own header it has 100 bytes, and there are 60.',
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
      /cannot be read as a GeoPackage: SQLite says/,
    ],
    [
      'another SQLite file',
      () => {
        const db = new Database(at('areas.gpkg'))
        db.run('CREATE TABLE accounts (id)')
        db.close()
      },
      'areas.gpkg is a SQLite file and no GeoPackage: it has no gpkg_contents; it has accounts.',
    ],
    [
      'no mark of a GeoPackage',
      () => writePack(at('areas.gpkg')).layer('areas', square('a')).run('PRAGMA application_id = 7').close(),
      /its application_id is 7; GPKG \(1196444487\), GP10 or GP11 was expected\.$/,
    ],
    [
      'a writer that left a journal',
      () => {
        layer('areas')
        writeFileSync(at('areas.gpkg-journal'), 'x')
      },
      /being written by another program, or was left half written: a -journal file lies beside it/,
    ],
    [
      'two layers, and not the one',
      () => writePack(at('areas.gpkg')).layer('north', square('a')).layer('south', square('a')).close(),
      'areas.gpkg has no layer or table areas, which is read from it; it has north, south.',
    ],
    [
      'a column missing',
      () => layer('areas', {}, [{ geom: blob(polygon(box(0, 0, 1, 1))), attributes: { TITLE: 'a', SIZE: 1 } }]),
      'areas has no column NAME, which is read from it; it has fid, TITLE, SIZE.',
    ],
    [
      'points for polygons',
      () => layer('areas', { type: 'POINT' }, [{ geom: blob(point([0, 0])), attributes: { NAME: 'a' } }]),
      'The layer areas has geometries of the type POINT; polygons were expected.',
    ],
    [
      'no CRS',
      () => layer('areas', { srs: -1 }),
      /does not say its coordinate system \(CRS\); EPSG:4326, or one with a definition, was expected\.$/,
    ],
    [
      'an unknown CRS',
      () =>
        writePack(at('areas.gpkg'))
          .srs(99, 'MINE', 99, 'PROJCS["Mine",PROJECTION["Flat_Earth"]]')
          .layer('areas', square('a'), { srs: 99 })
          .close(),
      /is in the coordinate system \(CRS\) MINE:99 \(MINE:99\), which is not known here/,
    ],
    [
      'metres that are said to be degrees',
      () =>
        layer('areas', { boxes: [[1_600_000, 1_600_100, 1_900_000, 1_900_100]] }, [
          { geom: blob(polygon(box(1_600_000, 1_900_000, 1_600_100, 1_900_100))), attributes: { NAME: 'a' } },
        ]),
      /says that it is in degrees \(WGS 84\), and its x reaches from 1600000 to 1600100/,
    ],
    [
      'a large layer without an R-tree',
      () => writePack(at('areas.gpkg')).layer('areas', square('a')).run('UPDATE areas SET fid = 300000').close(),
      /has no R-tree and up to 300000 features; without one at most 200000 are served\. Build it with `fieldstone pack build`/,
    ],
    [
      'another checksum',
      () => {
        layer('areas')
        writeFileSync(at('areas.json'), JSON.stringify({ sha256: 'ab'.repeat(32) }))
      },
      /^areas.gpkg has the checksum \(SHA-256\) [0-9a-f]{64}; its manifest says (ab){32}\.$/,
    ],
    [
      'a manifest of the wrong form',
      () => {
        layer('areas')
        writeFileSync(at('areas.json'), '{"coverage":[1,2]}')
      },
      'areas.json: coverage was expected to be [west, south, east, north], or a GeoJSON Polygon or MultiPolygon.',
    ],
    [
      'a manifest that is no JSON',
      () => {
        layer('areas')
        writeFileSync(at('areas.json'), '{')
      },
      /^areas.json is no JSON:/,
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

  test('a file that another program has locked', async () => {
    layer('areas')
    const writer = new Database(at('areas.gpkg'))
    writer.run('PRAGMA locking_mode = EXCLUSIVE')
    writer.run('BEGIN EXCLUSIVE')
    await looked()
    expect(status('areas.gpkg')?.reason).toBe(
      'areas.gpkg is locked by another program that writes into it; a closed file was expected.',
    )
    writer.run('ROLLBACK')
    writer.close()
  })

  test('a name that no dataset is read from', async () => {
    write('strange.gpkg', 'a')
    await looked()
    expect(status('strange.gpkg')?.reason).toBe(
      'No dataset of the catalog is read from a file of the name strange.gpkg.',
    )
  })

  test('a table without its key', async () => {
    writePack(at('rows.gpkg'))
      .table('t', [{ code: '1', value: 2 }])
      .close()
    await looked()
    expect(status('rows.gpkg')?.reason).toBe(
      't has no column for its key: county_fips or state with county was expected, and it has fid, code, value.',
    )
  })
})

describe('a manifest', () => {
  test('gives the edition, the licence, and the names under which the file has what is read', async () => {
    writePack(at('areas.gpkg'))
      .layer('one', [])
      .layer('Flächen', [{ geom: blob(polygon(box(-105, 39, -104, 40))), attributes: { titel: 'x' } }])
      .close()
    writeFileSync(
      at('areas.json'),
      JSON.stringify({
        vintage: '2024',
        licence: 'CC0',
        attribution: 'us',
        layers: { areas: 'Flächen' },
        columns: { NAME: 'titel' },
      }),
    )
    await looked()
    expect(status('areas.gpkg')).toMatchObject({ state: 'live', vintage: '2024', licence: 'CC0', attribution: 'us' })
    expect(nameOf()).toBe('x')
  })

  test.each([
    ['a box', [-105, 39, -104.4, 40], true, false],
    [
      'a polygon with a hole',
      { type: 'Polygon', coordinates: [box(-106, 38, -103, 41), box(-104.45, 39.4, -104.1, 39.6)] },
      true,
      false,
    ],
    ['nothing: then it is the box of the layer', null, true, true],
  ])('says where the data is complete by %s', async (_name, coverage, first, second) => {
    write('areas.gpkg', 'a')
    writeFileSync(at('areas.json'), JSON.stringify({ coverage }))
    await looked()
    const { covers } = packs.dataset('areas.gpkg', 'areas')!
    expect([covers(inside), covers({ lat: 39.5, lng: -104.3 }), covers({ lat: 50, lng: -100 })]).toEqual([
      first,
      second,
      false,
    ])
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
      ['t has no index on county_fips; its keys are held in memory.'],
    ],
    [
      'by two columns joined',
      { state: '01', county: '001' },
      undefined,
      ['t has no index on state, county; its keys are held in memory.'],
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
