import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recoverCommand } from '../../src/cli/doctor/doctor-state.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { ensureReserveFile } from '../../src/store/reserve-file.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { newDisk } from '../store/small-disk.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Finding = { check: string; status: 'pass' | 'warn' | 'fail'; message: string }

const root = temporaryFolder()
const disk = newDisk(64)
afterAll(() => disk?.remove())
let count = 0
const command = (words: string[], env: Record<string, string> = {}) => startFieldstone(words, env, root).end()

/** A healthy data folder with a few hundred tokens. */
async function healthy(at = root): Promise<string> {
  const data = join(at, `data-${count++}`)
  const db = openState(data)
  const { access, people } = createSqliteStore(db)
  await people.addAccount({ id: 'owner', name: 'owner', created_at: 0, scopes: null })
  for (let i = 0; i < 500; i++)
    await access.addToken({
      account_id: 'owner',
      hash: new Bun.CryptoHasher('sha256').update(String(i)).digest(),
      last_four: 'abcd',
      name: 'x'.repeat(50),
      scopes: 'fetch',
      created_at: 0,
      expires_at: null,
      parent_id: null,
    })
  db.close()
  await ensureReserveFile(data)
  return data
}

async function faultsOf(
  data: string,
  env: Record<string, string> = {},
  words: string[] = [],
): Promise<{ code: number; faults: string[][] }> {
  const { code, out } = await command(['doctor', '--json', '--data', data, ...words], env)
  return {
    code,
    faults: (JSON.parse(out) as Finding[])
      .filter(({ status }) => status !== 'pass')
      .map(({ check, status, message }) => [check, status, message]),
  }
}

test('a healthy folder passes and is not changed', async () => {
  const data = await healthy()
  const bytes = Bun.hash(readFileSync(join(data, 'state.db')))
  const { code, out, err } = await command(['doctor', '--data', data])
  expect(err).toBe('')
  expect(out).toMatch(/\nAll checks passed\. The publishers were not asked: `fieldstone doctor --live` asks them\.\n$/)
  expect(code).toBe(0)
  expect(Bun.hash(readFileSync(join(data, 'state.db')))).toBe(bytes)
})

test('a missing folder is not created', async () => {
  const data = join(root, 'nowhere')
  expect(await faultsOf(data)).toEqual({
    code: 78,
    faults: [['folder', 'fail', expect.stringContaining('does not exist')]],
  })
  expect(existsSync(data)).toBe(false)
})

test('a folder that was never served passes without a reserve file', async () => {
  const data = join(root, 'never-served')
  openState(data).close()
  expect((await command(['token', 'new', '--data', data])).code).toBe(0)
  expect([existsSync(join(data, 'reserve_file')), await faultsOf(data)]).toEqual([false, { code: 0, faults: [] }])
})

test('a file is not a data folder', async () => {
  const file = join(root, 'a-file')
  writeFileSync(file, '')
  expect(await faultsOf(file)).toEqual({
    code: 78,
    faults: [['folder', 'fail', expect.stringContaining('is not a folder')]],
  })
  expect(await command(['serve', '--data', file])).toMatchObject({
    code: 78,
    out: '',
    err: expect.stringContaining('is not a folder'),
  })
})

describe('each problem is found, with a remedy', () => {
  test('permissions that let others read', async () => {
    const data = await healthy()
    chmodSync(data, 0o755)
    chmodSync(join(data, 'state.db'), 0o644)
    expect(await faultsOf(data)).toEqual({
      code: 1,
      faults: [
        ['permissions', 'warn', expect.stringContaining(`chmod 700 ${data}`)],
        ['permissions', 'warn', expect.stringContaining(`chmod 600 ${join(data, 'state.db')}`)],
      ],
    })
  })

  test.skipIf(disk === null)('a missing reserve file and too little space to create it', async () => {
    const data = await healthy(disk!.folder)
    const { faults } = await faultsOf(data)
    expect(faults.find(([check]) => check === 'reserve_file')).toEqual([
      'reserve_file',
      'warn',
      expect.stringContaining('Free up 128 MiB'),
    ])
  })

  test('a pack that the catalog does not know, and an invalid layer', async () => {
    const data = await healthy()
    mkdirSync(join(data, 'packs'))
    mkdirSync(join(data, 'catalog.d'))
    writeFileSync(join(data, 'packs', 'unheard_of.gpkg'), 'no GeoPackage')
    writeFileSync(join(data, 'catalog.d', 'own.json'), '{')
    expect(await faultsOf(data)).toEqual({
      code: 1,
      faults: [
        ['layers', 'warn', expect.stringContaining('Fix or remove it.')],
        ['packs', 'warn', expect.stringMatching(/is not the name of any pack file.*pack build/)],
      ],
    })
  })

  test('missing and old backups', async () => {
    const data = await healthy()
    const backups = join(root, 'backups')
    mkdirSync(backups)
    expect(await faultsOf(data, { FIELDSTONE_BACKUP_DIR: backups })).toEqual({
      code: 1,
      faults: [['backups', 'warn', expect.stringContaining('fieldstone backup <file>')]],
    })
    writeFileSync(join(backups, 'fieldstone-20200101T030000Z.tar'), '')
    expect((await faultsOf(data, { FIELDSTONE_BACKUP_DIR: backups })).faults[0]![2]).toContain(
      '2020-01-01T03:00:00.000Z',
    )
  })

  test('a wrong clock, with --clock', async () => {
    const data = await healthy()
    const server = Bun.serve({
      port: 0,
      fetch: () => new Response('', { headers: { date: new Date(Date.now() - 3_600_000).toUTCString() } }),
    })
    const env = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: `http://localhost:${server.port}` }
    expect(await faultsOf(data, env, ['--clock'])).toEqual({
      code: 1,
      faults: [['clock', 'warn', expect.stringMatching(/is 3[56]\d\d s ahead of the clock of api\.census\.gov.*NTP/)]],
    })
    expect((await faultsOf(data, env)).code).toBe(0)
    await server.stop(true)
    expect((await faultsOf(data, env, ['--clock'])).faults[0]![2]).toContain('returned a Date header')
    expect((await faultsOf(data, {}, ['--clock'])).code).toBe(0)
  })

  test.skipIf(disk === null)('a folder that is not writable', async () => {
    const data = await healthy(disk!.folder)
    disk!.readOnly()
    const { code, faults } = await faultsOf(data)
    disk!.writable()
    expect([code, faults.find(([check]) => check === 'folder')]).toEqual([
      1,
      ['folder', 'warn', expect.stringContaining('is not writable (EROFS)')],
    ])
  })

  test.skipIf(disk === null)('a nearly full disk', async () => {
    const data = await healthy(disk!.folder)
    const empty = disk!.fill(2 * 1_048_576)
    const { faults } = await faultsOf(data)
    empty()
    expect(faults.find(([check]) => check === 'disk_space')).toEqual([
      'disk_space',
      'warn',
      expect.stringContaining('storage_full'),
    ])
  })
})

const shapes: [string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array, RegExp][] = [
  ['of no bytes', () => new Uint8Array(), /not a Fieldstone database/],
  ['with garbage for a header', (bytes) => bytes.slice().fill(0xa5, 0, 100), /not a database/],
  ['cut in the middle', (bytes) => bytes.slice(0, bytes.length / 2), /damaged|malformed/],
  [
    'of another program',
    (bytes) => {
      const it = bytes.slice()
      new DataView(it.buffer).setUint32(68, 42)
      return it
    },
    /application id 42/,
  ],
  [
    'of a newer Fieldstone',
    (bytes) => {
      const it = bytes.slice()
      new DataView(it.buffer).setUint32(60, 99)
      return it
    },
    /Use the newer executable/,
  ],
  [
    'with a damaged page',
    (bytes) => bytes.slice().fill(0xa5, bytes.length - 8192, bytes.length - 4096),
    /damaged.*doctor --recover/,
  ],
]

describe('a state.db', () => {
  test.each(shapes)(
    '%s is found by doctor and rejected at startup, with exit code 78 and a message, and is not changed',
    async (_name, change, says) => {
      const data = await healthy()
      const bytes = change(new Uint8Array(readFileSync(join(data, 'state.db'))))
      writeFileSync(join(data, 'state.db'), bytes)
      const { code, faults } = await faultsOf(data)
      expect([code, faults]).toEqual([78, [['state', 'fail', expect.stringMatching(says)]]])
      const served = await command(['serve', '--data', data])
      expect([served.code, served.out, served.err]).toEqual([78, '', expect.stringMatching(says)])
      expect(served.err.trim().split('\n').length).toBe(1)
      expect(new Uint8Array(readFileSync(join(data, 'state.db')))).toEqual(new Uint8Array(bytes))
    },
  )
})

test('a state.db that is a folder is found by doctor and rejected by every command, with a message', async () => {
  const data = join(root, 'folder-for-state')
  mkdirSync(join(data, 'state.db'), { recursive: true, mode: 0o700 })
  for (const words of [['serve'], ['token', 'new'], ['backup', 'x.tar'], ['doctor', '--recover']]) {
    const { code, out, err } = await command([...words, '--data', data])
    expect([words, code, out, err.trim().split('\n')]).toEqual([
      words,
      words[0] === 'backup' ? 1 : 78,
      '',
      [expect.stringContaining('state.db is not a file')],
    ])
  }
  expect((await faultsOf(data)).faults).toContainEqual(['state', 'fail', expect.stringContaining('is not a file')])
})

describe('doctor --recover', () => {
  test('rejects a folder that a server is using', async () => {
    const data = await healthy()
    const service = startFieldstone(['serve', '--data', data], {}, root)
    await service.waitForOutput(/answers at/)
    const { code, out, err } = await command(['doctor', '--recover', '--data', data])
    service.signal('SIGTERM')
    await service.end()
    expect([code, out, err]).toEqual([
      78,
      '',
      `Another Fieldstone process is using the data folder ${data}. Stop it, or set --data to another folder.\n`,
    ])
    expect(readdirSync(data).filter((name) => name.includes('recovered'))).toEqual([])
  })

  test('prints commands that a shell accepts for any folder name, and keeps every damaged file', async () => {
    const data = join(await healthy(), "it's $(an odd) place")
    mkdirSync(data, { mode: 0o700 })
    openState(data).close()
    for (const now of ['2026-11-21T10:00:00Z', '2026-11-21T10:00:01Z']) {
      const lines: string[] = []
      const code = recoverCommand(data, new Date(now), (line) => lines.push(line))
      expect([code, Bun.spawnSync(['sh', '-c', lines.at(-1)!]).exitCode]).toEqual([0, 0])
    }
    expect(
      readdirSync(data)
        .filter((name) => name.startsWith('state.'))
        .toSorted(),
    ).toEqual(['state.damaged-20261121T100000Z.db', 'state.damaged-20261121T100001Z.db', 'state.db'])
  })

  test('writes a new file beside a damaged one and prints what was lost and what to do, and the server starts with it', async () => {
    const data = await healthy()
    const file = join(data, 'state.db')
    const bytes = new Uint8Array(readFileSync(file)).fill(0xa5, -8192, -4096)
    writeFileSync(file, bytes)
    const { code, out } = await command(['doctor', '--recover', '--data', data])
    expect(new Uint8Array(readFileSync(file))).toEqual(bytes)
    const commands = out.trim().split('\n').at(-1)!
    expect(out).toMatch(/tokens: \d+ rows; some rows could not be read/)
    expect(commands).toContain('mv ')
    expect(code).toBe(1)
    expect(Bun.spawnSync(['sh', '-c', commands]).exitCode).toBe(0)
    const { code: after, faults } = await faultsOf(data)
    expect([after, faults]).toEqual([0, []])
    const it = startFieldstone(['serve', '--data', data], {}, root)
    await it.waitForOutput(/answers at/)
    it.signal('SIGTERM')
    expect((await it.end()).code).toBe(0)
  })

  test('reports with exit code 78 that an unreadable file needs a backup, and leaves nothing behind', async () => {
    const data = await healthy()
    writeFileSync(join(data, 'state.db'), '')
    const { code, err } = await command(['doctor', '--recover', '--data', data])
    expect([code, err]).toEqual([78, expect.stringContaining('Restore a backup')])
    expect(readdirSync(data).filter((name) => name.includes('recovered'))).toEqual([])
  })
})
