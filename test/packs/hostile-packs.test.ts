import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ParsedAddress } from '../../src/address/address.ts'
import { openGeopackage } from '../../src/files/geopackage/geopackage.ts'
import { PackChecker } from '../../src/packs/check/pack-checker.ts'
import { checkPackFile } from '../../src/packs/check/pack-check.ts'
import { PackFolder } from '../../src/packs/pack-folder.ts'
import { unreadableText } from '../../src/packs/read-errors.ts'
import { openGeopackagePack, type PackRequirements } from '../../src/packs/pack.ts'
import { createByteCache } from '../../src/packs/layer/byte-cache.ts'
import { emptyManifest } from '../../src/packs/pack-manifest.ts'
import { verifyAddressPack } from '../../src/packs/addresses/address-pack-check.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { workers } from '../../src/workers.ts'
import { buildPointPack, newAddressFolder } from './build-address-packs.ts'
import { hostilePacks } from './hostile-packs.ts'
import { blob, boxRing, polygonWkb } from './encode-wkb.ts'
import { writePack } from './write-pack.ts'

const areas: PackRequirements = {
  dataset: 'areas',
  attributes: ['NAME'],
  layers: ['areas'],
  needsPolygons: true,
  tables: [],
}
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-packs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (file: string) => join(folder, file)
const target = () => ({ path: at('areas.gpkg'), layer: 'areas', attributes: ['NAME'] })
const writeValid = () =>
  writePack(at('areas.gpkg'))
    .layer('areas', [{ geom: blob(polygonWkb(boxRing(-105, 39, -104, 40))), attributes: { NAME: 'a' } }], {
      boxes: [[-105, -104, 39, 40]],
    })
    .close()

/** The messages that name the problem of each hostile pack. */
const problems: Record<string, RegExp> = {
  'an R-tree that points at itself': /^The R-tree rtree_areas_geom is corrupt: it reaches a node twice/,
  'an R-tree whose nodes share their children': /it reaches a node twice/,
  'an R-tree with more levels than SQLite allows': /it has 60000 levels\. The maximum is 40/,
  'an R-tree whose node declares more cells than it has': /declares 65535 cells, more than it has bytes for/,
  'an R-tree that hides a feature': /has 1 features, but the layer has 2 features with a geometry/,
  'a generated geometry column': /^The column geom of areas in areas\.gpkg is a generated column/,
  'a generated attribute column': /^The column NAME of areas in areas\.gpkg is a generated column/,
  'a generated node column in its R-tree': /^The column data of rtree_areas_geom_node in areas\.gpkg is a generated/,
  'a layer that is a virtual table': /^areas in areas\.gpkg is a virtual table\. Expected a table/,
  'metadata from an endless query': /^gpkg_contents in areas\.gpkg is a view\. Expected a table/,
  'a check constraint that fills the memory': /^areas has no column NAME|^areas\.gpkg/,
  'a geometry of 40 MB': /has \d+ bytes in geom\. The maximum is 8388608/,
  'an attribute of 40 MB': /has \d+ bytes in .*\. The maximum is 1048576/,
  'a page that points at itself': /is corrupt\. SQLite reports:/,
}

describe('a pack that is not data is rejected and never read:', () => {
  test.each(Object.entries(hostilePacks).filter(([name]) => name !== 'a check constraint that fills the memory'))(
    '%s',
    async (name, write) => {
      write(target())
      const packs = new PackFolder(folder, {
        requirementsOf: (file) => (file === 'areas.gpkg' ? [areas] : []),
        rasters: null,
        check: checkPackFile,
        log: { info: () => {} },
        now: () => new Date(Date.now() + 10_000),
      })
      await packs.poll()
      const [status] = packs.list()
      packs.close()
      expect(status).toMatchObject({ state: 'rejected', reason: expect.stringMatching(problems[name]!) as unknown })
      expect(checkPackFile(at('areas.gpkg'), null)).rejects.toThrow(problems[name])
    },
  )

  test('a check constraint is not evaluated', async () => {
    hostilePacks['a check constraint that fills the memory']!(target())
    await checkPackFile(at('areas.gpkg'), null)
  })
})

test.each(['an R-tree that points at itself', 'an R-tree whose nodes share their children'])(
  'a walk through %s ends with an error, even if nobody has checked the file',
  (name) => {
    hostilePacks[name]!(target())
    const pack = openGeopackagePack(at('areas.gpkg'), { manifest: emptyManifest }, [areas], createByteCache(0))
    const layer = pack.datasets.get('areas')!.layers.get('areas')!
    for (const query of [
      { radius_m: 0 },
      { radius_m: 1e6 },
      { radius_m: 1e6, limit: 1 },
      { radius_m: 1e6, count_only: true as const },
    ])
      expect(() => layer.query({ at: { lat: 39.5, lng: -104.5 }, ...query })).toThrow('the file is corrupt')
    pack.close()
  },
)

describe('the pack checker', () => {
  const open = (timeoutOf_ms?: () => number, startWorker = workers.packCheck) =>
    new PackChecker({ startWorker, dataFolder: folder, ...(timeoutOf_ms && { timeoutOf_ms }) })

  test('accepts a valid pack and rejects a hostile one, in a worker', async () => {
    writeValid()
    const checker = open()
    await checker.check(at('areas.gpkg'), null)
    rmSync(at('areas.gpkg'))
    hostilePacks['an R-tree that points at itself']!(target())
    expect(checker.check(at('areas.gpkg'), null)).rejects.toThrow('it reaches a node twice')
    await checker.check(at('areas.gpkg'), null).catch(() => {})
    checker.close()
  })

  test('rejects a file whose check does not end, and checks the next one', async () => {
    writeValid()
    let starts = 0
    const startWorker = () =>
      ++starts === 1 ? new Worker('data:text/javascript,self.onmessage=()=>{for(;;);}') : workers.packCheck()
    const checker = open(() => (starts === 0 ? 50 : 60_000), startWorker)
    expect(checker.check(at('areas.gpkg'), null)).rejects.toThrow('did not end within 0.05 s')
    await checker.check(at('areas.gpkg'), null)
    expect(starts).toBe(2)
    checker.close()
  })

  test('does not read a large file again that it has checked, unless the file changed', async () => {
    writeValid()
    const db = new Database(at('areas.gpkg'))
    db.run('CREATE TABLE ballast (bytes BLOB)')
    db.run('INSERT INTO ballast VALUES (zeroblob(70000000))')
    db.close()
    let starts = 0
    const counting = () => (starts++, workers.packCheck())
    for (const expected of [1, 1]) {
      const checker = open(undefined, counting)
      await checker.check(at('areas.gpkg'), null)
      expect(starts).toBe(expected)
      checker.close()
    }
    const changed = new Database(at('areas.gpkg'))
    changed.run("UPDATE areas SET NAME = 'b'")
    changed.close()
    const checker = open(undefined, counting)
    await checker.check(at('areas.gpkg'), null)
    expect(starts).toBe(2)
    checker.close()
  })
})

test.each([
  ['EMFILE', 'Raise the limit of open files'],
  ['EACCES', 'Give the account that runs this service read access'],
])('a folder that cannot be read because of %s says what to do', (code, advice) => {
  expect(unreadableText('packs', Object.assign(new Error('no'), { code }))).toContain(advice)
})

describe('a file that is not a regular file', () => {
  test('is ignored as a manifest that never ends, with an error that says so', async () => {
    writeValid()
    symlinkSync('/dev/zero', at('areas.json'))
    const packs = new PackFolder(folder, {
      requirementsOf: () => [areas],
      rasters: null,
      check: checkPackFile,
      log: { info: () => {} },
      now: () => new Date(Date.now() + 10_000),
    })
    await packs.poll()
    expect(packs.list()[0]).toMatchObject({
      state: 'rejected',
      reason: 'areas.json is not a regular file. Put a file here.',
    })
    packs.close()
  })

  test('is rejected as an address pack', async () => {
    symlinkSync('/dev/zero', at('addresses.sqlite'))
    Bun.spawnSync(['mkfifo', at('addresses-pipe.sqlite')])
    const packs = openAddressPackFolder(folder)
    expect(packs.list().map(({ reason }) => reason)).toEqual([
      'addresses-pipe.sqlite is not a regular file. Copy the file itself here.',
      'addresses.sqlite is not a regular file. Copy the file itself here.',
    ])
    packs.close()
  })

  test('may be a link to one', () => {
    writeValid()
    symlinkSync(at('areas.gpkg'), at('link.gpkg'))
    openGeopackage(at('link.gpkg')).close()
  })
})

test('an address pack is used after its check, and until its successor is checked', async () => {
  const addresses = newAddressFolder()
  const address = { number: '123', street: 'Main St', city: 'Denver', region: 'CO', postcode: '80202' }
  await buildPointPack(addresses, [{ ...address, lat: 39.7, lng: -104.9 }])
  let now = new Date('2026-11-22T00:00:00Z')
  let release = () => {}
  const check = (path: string) =>
    new Promise<void>((resolve) => (release = resolve)).then(() => checkPackFile(path, null))
  const packs = openAddressPackFolder(addresses, { now: () => now, check })
  const hasZip = () => packs.covers({ zip: '80202' } as ParsedAddress)
  expect([packs.list()[0]!.state, hasZip(), packs.edition().endsWith(':checking')]).toEqual(['checking', false, true])
  const whole = packs.waitForChecks()
  release()
  expect([await whole, packs.list()[0]!.state, hasZip()]).toEqual([true, 'live', true])
  await buildPointPack(addresses, [{ ...address, lat: 39.8, lng: -104.9 }], 'new.part')
  renameSync(join(addresses, 'new.part'), join(addresses, 'addresses.sqlite'))
  now = new Date(now.getTime() + 2_000)
  expect([hasZip(), packs.edition().endsWith(':checking')]).toEqual([true, true])
  release()
  await packs.waitForChecks()
  expect([hasZip(), packs.edition().endsWith(':checking')]).toEqual([true, false])
  packs.close()
})

describe('an address pack is rejected', () => {
  const cases: [string, (path: string) => void, RegExp][] = [
    [
      'with a view',
      (path) => changeDatabase(path, 'CREATE VIEW other AS SELECT 1'),
      /does not have the tables of an address pack/,
    ],
    [
      'with a view instead of a table',
      (path) => changeDatabase(path, 'DROP TABLE meta', "CREATE VIEW meta AS SELECT 'a' AS name, 'b' AS value"),
      /does not have the tables of an address pack/,
    ],
    ['with an R-tree that points at itself', pointRootAtItself, /reaches a node twice/],
    [
      'with a row that is too large',
      (path) => changeDatabase(path, 'UPDATE street SET name = hex(zeroblob(200000))'),
      /The maximum is 262144/,
    ],
  ]
  test.each(cases)('%s', async (_name, change, message) => {
    const addresses = newAddressFolder()
    await buildPointPack(addresses, [
      { number: '123', street: 'Main St', city: 'Denver', region: 'CO', postcode: '80202', lat: 39.7, lng: -104.9 },
    ])
    const path = join(addresses, 'addresses.sqlite')
    verifyAddressPack(path)
    change(path)
    expect(() => verifyAddressPack(path)).toThrow(message)
  })
})

function changeDatabase(path: string, ...statements: string[]): void {
  const db = new Database(path)
  for (const sql of statements) db.run(sql)
  db.close()
}

/** Overwrites the bytes of the root node in the file, because SQLite does not let a program change it. */
function pointRootAtItself(path: string): void {
  const db = new Database(path, { readonly: true })
  const { data } = db.query<{ data: Uint8Array }, []>('SELECT data FROM street_box_node WHERE nodeno = 1').get()!
  db.close()
  const bytes = readFileSync(path)
  const root = bytes.indexOf(data)
  bytes.writeUInt16BE(40, root)
  bytes.writeUInt16BE(2, root + 2)
  for (const at of [root + 4, root + 28]) bytes.writeBigInt64BE(1n, at)
  writeFileSync(path, bytes)
}
