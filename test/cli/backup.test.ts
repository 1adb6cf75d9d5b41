import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeToken } from '../../src/auth/token.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { waitForAddress, createProcessGroup } from './process-group.ts'

const { root, newData, start } = createProcessGroup()

const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
const command = (words: string[], env: Record<string, string> = {}) => start(words, env).end()
const sent = (address: string, path: string, init: RequestInit = {}) =>
  fetch(address + path, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })
const layer = { datasets: {}, fields: {} }

/** A server with a finished run and a local layer. */
async function served(data: string, env: Record<string, string> = {}) {
  mkdirSync(join(data, 'catalog.d'), { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'catalog.d', 'own.json'), JSON.stringify(layer))
  const it = start(['serve', '--data', data], { FIELDSTONE_TOKEN: token, ...env })
  const address = await waitForAddress(it)
  const { run_id } = (await (
    await sent(address, '/v1/runs', {
      method: 'POST',
      body: JSON.stringify({
        kind: 'fetch_batch',
        request: {
          locations: Array.from({ length: 40 }, (_, i) => ({ lat: 39 + i / 100, lng: -104.9 })),
          fields: ['county', 'geohash', 'timezone'],
        },
      }),
    })
  ).json()) as { run_id: string }
  await finished(address, run_id)
  return { it, address, run_id }
}

async function finished(address: string, run_id: string): Promise<void> {
  while (((await (await sent(address, `/v1/runs/${run_id}`)).json()) as { status: string }).status !== 'done')
    await Bun.sleep(20)
}

/** The responses of the server, byte for byte. */
async function said(address: string, run_id: string): Promise<string[]> {
  const paths = [
    `/v1/runs/${run_id}`,
    `/v1/runs/${run_id}/artifacts/csv`,
    `/v1/runs/${run_id}/artifacts/geojson`,
    '/v1/runs',
    '/v1/users/me',
    '/v1/users/me/tokens',
    '/v1/meta/fields',
  ]
  const all = await Promise.all(paths.map((path) => sent(address, path)))
  const fetched = await sent(address, '/v1/fetch', {
    method: 'POST',
    body: '{"lat":39.7392,"lng":-104.9903,"fields":["county","state","timezone","geohash","nearest_airport_name","nearest_airport_distance_m"]}',
  })
  expect([...all, fetched].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200])
  return Promise.all([...all, fetched].map((response) => response.text()))
}

const bare = (texts: string[]) =>
  texts.map((text) =>
    text
      .replaceAll(/"last_used_at":(?:"[^"]*"|null)/g, '"last_used_at":""')
      .replaceAll(/"fetched_at":"[^"]*"/g, '"fetched_at":""'),
  )

describe('a backup', () => {
  test('made while the server works, and restored elsewhere, serves the same bytes as the original', async () => {
    const data = newData()
    const { address, run_id } = await served(data)
    const busy = sent(address, '/v1/runs', {
      method: 'POST',
      body: JSON.stringify({
        kind: 'fetch_batch',
        request: {
          locations: Array.from({ length: 2000 }, (_, i) => ({ lat: 39 + i / 10_000, lng: -104.9 })),
          fields: ['county', 'geohash'],
        },
      }),
    })
    const { run_id: second } = (await (await busy).json()) as { run_id: string }
    const file = join(root, 'a.tar')
    const { code, out, err } = await command(['backup', file, '--data', data])
    expect(err).toBe('')
    expect(out).toMatch(/a\.tar: [\d.]+ MB, verified\. 1 account, 2 runs, [\d,]+ results/)
    expect(code).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await finished(address, second)

    const elsewhere = newData()
    const restored = await command(['restore', file, '--data', elsewhere])
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('1 account, 2 runs')])
    const copy = start(['serve', '--data', elsewhere, '--env-file', join(elsewhere, 'settings.env')], {
      FIELDSTONE_TOKEN: token,
    })
    const there = await waitForAddress(copy)
    await finished(there, second)
    expect(await (await sent(there, `/v1/runs/${second}/artifacts/csv`)).text()).toBe(
      await (await sent(address, `/v1/runs/${second}/artifacts/csv`)).text(),
    )
    const lists = (texts: string[]) => bare(texts).map((text, i) => (i === 3 ? String(text.length > 0) : text))
    expect(lists(await said(there, run_id))).toEqual(lists(await said(address, run_id)))
    expect(readFileSync(join(elsewhere, 'catalog.d', 'own.json'), 'utf8')).toBe(JSON.stringify(layer))
    for (const path of ['', 'state.db', 'settings.env', 'backup.json', 'catalog.d/own.json'])
      expect(statSync(join(elsewhere, path)).mode & 0o077).toBe(0)
  })

  test('is an archive that tar reads, lists the packs, and contains no API key, token or password', async () => {
    const data = newData()
    const secrets = {
      REGRID_API_TOKEN: 'planted-regrid',
      ANTHROPIC_API_KEY: 'planted-anthropic',
      CENSUS_API_KEY: 'planted-census',
      FIELDSTONE_MIRROR: 'http://planted-user:planted-password@mirror.example:8081',
    }
    await served(data, secrets)
    mkdirSync(join(data, 'packs'))
    writeFileSync(join(data, 'packs', 'own.gpkg'), 'no pack, but a file of that name')
    const file = join(root, 'b.tar')
    expect((await command(['backup', file, '--data', data], { FIELDSTONE_TOKEN: token, ...secrets })).code).toBe(0)
    const bytes = readFileSync(file, 'latin1')
    expect(['planted', token, token.slice(8, 38)].filter((secret) => bytes.includes(secret))).toEqual([])
    const tar = Bun.spawnSync(['tar', 'tf', file])
    expect([tar.exitCode, tar.stdout.toString().trim().split('\n')]).toEqual([
      0,
      ['backup.json', 'state.db', 'settings.env', 'catalog.d/own.json'],
    ])
    const contents = JSON.parse(Bun.spawnSync(['tar', 'xOf', file, 'backup.json']).stdout.toString()) as {
      packs: unknown[]
    }
    expect(contents.packs).toEqual([
      {
        name: 'own.gpkg',
        bytes: 32,
        sha256: new Bun.CryptoHasher('sha256').update('no pack, but a file of that name').digest('hex'),
      },
    ])
    expect(Bun.spawnSync(['tar', 'xOf', file, 'settings.env']).stdout.toString()).toContain(
      'FIELDSTONE_MIRROR="http://mirror.example:8081"',
    )
    const restored = await command(['restore', file, '--data', newData()])
    expect(restored.out).toContain('own.gpkg (32 bytes)')
  })

  test('does not overwrite a file, requires a state.db, and leaves nothing behind', async () => {
    const data = newData()
    const { it } = await served(data)
    const file = join(root, 'there.tar')
    writeFileSync(file, 'mine')
    expect(await command(['backup', file, '--data', data])).toEqual({
      code: 1,
      out: '',
      err: `${file} already exists. Remove it, or choose another file.\n`,
    })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    const nowhere = newData()
    const { code, err } = await command(['backup', join(root, 'c.tar'), '--data', nowhere])
    expect([code, err]).toEqual([78, expect.stringContaining('Set --data to the data folder')])
    expect([existsSync(nowhere), readdirSync(root).filter((name) => name.startsWith('c.tar'))]).toEqual([false, []])
    it.signal('SIGTERM')
    await it.end()
    writeFileSync(join(data, 'state.db'), readFileSync(join(data, 'state.db')).fill(0xa5, 8192, 16_384))
    const damaged = await command(['backup', join(root, 'c.tar'), '--data', data])
    expect([damaged.code, damaged.err]).toEqual([1, expect.stringMatching(/Cannot copy|damaged/)])
    expect(readdirSync(root).filter((name) => name.startsWith('c.tar'))).toEqual([])
  })

  test('requires an existing target folder and does not create one', async () => {
    const data = newData()
    openState(data).close()
    expect((await command(['token', 'new', '--data', data])).code).toBe(0)
    writeFileSync(join(root, 'no folder'), '')
    for (const folder of ['nowhere', 'nowhere/deep', 'no folder', 'no folder/deep'].map((it) => join(root, it))) {
      expect(await command(['backup', join(folder, 'd.tar'), '--data', data])).toEqual({
        code: 1,
        out: '',
        err: `The target folder ${folder} does not exist. Create it, or choose another folder.\n`,
      })
    }
    expect(existsSync(join(root, 'nowhere'))).toBe(false)
  })

  test('leaves nothing behind when it is interrupted, and its partial file is private', async () => {
    const data = newData()
    openState(data).close()
    expect((await command(['token', 'new', '--data', data])).code).toBe(0)
    const db = new Database(join(data, 'state.db'))
    db.run("INSERT INTO secrets (name, value) VALUES ('filler', randomblob(120000000))")
    db.close()
    const it = start(['backup', join(root, 'broken-off.tar'), '--data', data])
    const part = () =>
      readdirSync(root, { recursive: true }).find((name) => /^\.fieldstone-work-.*state\.db$/.test(String(name)))
    while (part() === undefined) await Bun.sleep(1)
    expect(statSync(join(root, String(part()))).mode & 0o777).toBe(0o600)
    it.signal('SIGINT')
    expect((await it.end()).code).toBe(130)
    expect(readdirSync(root).filter((name) => /^broken-off|^\.fieldstone/.test(name))).toEqual([])
  })

  test('is made on a schedule if that is configured, and only the newest ones are kept', async () => {
    const data = newData()
    const backups = join(root, 'backups')
    mkdirSync(backups)
    writeFileSync(join(backups, 'not ours.tar'), '')
    const { it, address } = await served(data, {
      FIELDSTONE_BACKUP_DIR: backups,
      FIELDSTONE_BACKUP_CRON: '* * * * * *',
      FIELDSTONE_BACKUP_KEEP: '2',
    })
    await it.waitForOutput(/(?:"backup_created"[^]*){5}/)
    expect(((await (await sent(address, '/readyz')).json()) as { checks: { backup: unknown } }).checks.backup).toEqual({
      status: 'pass',
    })
    it.signal('SIGTERM')
    await it.end()
    const names = readdirSync(backups).toSorted()
    expect(names.filter((name) => /^fieldstone-\d{8}T\d{6}Z\.tar$/.test(name)).length).toBeLessThanOrEqual(3)
    expect(names).toContain('not ours.tar')
    const newest = names.filter((name) => name.startsWith('fieldstone-') && name.endsWith('.tar')).at(-1)!
    expect((await command(['restore', join(backups, newest), '--data', newData()])).code).toBe(0)
  })

  test.each([
    ['FIELDSTONE_BACKUP_CRON', 'every day'],
    ['FIELDSTONE_BACKUP_KEEP', '0'],
  ])('with %s=%p, the server does not start', async (name, value) => {
    const { code, err } = await command(['serve', '--data', newData()], { FIELDSTONE_BACKUP_DIR: root, [name]: value })
    expect([code, err]).toEqual([78, expect.stringContaining(`${name} is "${value}"`)])
  })
})

describe('restore rejects', () => {
  const file = join(root, 'whole.tar')
  const whole = async () => {
    if (!existsSync(file)) {
      const data = newData()
      const { it } = await served(data)
      expect((await command(['backup', file, '--data', data])).code).toBe(0)
      it.signal('SIGKILL')
    }
    return new Uint8Array(readFileSync(file))
  }

  test.each([
    ['of no bytes', () => new Uint8Array()],
    ['of text', () => new TextEncoder().encode('a letter to my mother'.repeat(100))],
    ['that is cut in the middle', (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, bytes.length / 2)],
    ['without its end', (bytes: Uint8Array<ArrayBuffer>) => bytes.slice(0, -1024)],
    [
      'with one other bit in the state',
      (bytes: Uint8Array<ArrayBuffer>) => {
        const it = bytes.slice()
        it[40_000]! ^= 1
        return it
      },
    ],
    [
      'with another size in a header',
      (bytes: Uint8Array<ArrayBuffer>) => {
        const it = bytes.slice()
        it[130]! ^= 1
        return it
      },
    ],
    [
      'that would write elsewhere',
      (bytes: Uint8Array<ArrayBuffer>) =>
        Buffer.from(
          Buffer.from(bytes).toString('latin1').replace('catalog.d/own.json"', '../../../../own.js"'),
          'latin1',
        ),
    ],
  ])('a file %s, gives the reason, and writes nothing', async (_name, change) => {
    const bytes = await whole()
    const [damaged, data] = [join(root, 'damaged.tar'), newData()]
    writeFileSync(damaged, change(bytes))
    const { code, out, err } = await command(['restore', damaged, '--data', data])
    expect(out).toBe('')
    expect(err).toMatch(/^\S*damaged\.tar: (?:Not a Fieldstone|Unsupported|Truncated|Damaged) backup[^\n]*\n$/)
    expect(code).toBe(1)
    expect(existsSync(data)).toBe(false)
  })

  test('no folder in the middle of a restore, which every other command rejects with what to do', async () => {
    await whole()
    const data = newData()
    mkdirSync(data)
    writeFileSync(join(data, 'state.db.unfinished'), '')
    const text = `A restore into ${data} was interrupted`
    for (const words of [
      ['serve', '--port', '0'],
      ['token', 'new'],
      ['backup', join(root, 'half.tar')],
    ]) {
      const { code, out, err } = await command([...words, '--data', data])
      expect([words[0], code, out, err]).toEqual([words[0], 78, '', expect.stringContaining(text)])
    }
    const doctor = await command(['doctor', '--data', data])
    expect(doctor.out + doctor.err).toContain(text)
    expect(existsSync(join(data, 'state.db'))).toBe(false)
    expect((await command(['restore', file, '--data', data])).code).toBe(0)
    expect((await command(['token', 'new', '--data', data])).code).toBe(0)
  })

  test('a folder that is in use or not empty, and does not change it', async () => {
    await whole()
    const data = newData()
    const { address } = await served(data)
    const { code, err } = await command(['restore', file, '--data', data])
    expect([code, err]).toEqual([78, expect.stringMatching(/is not empty[^\n]*\n$/)])
    expect((await sent(address, '/v1/users/me')).status).toBe(200)
  })

  test.each([[['restore']], [['backup']], [['backup', 'a', 'b']]])(
    'a wrong command line with exit code 64: %p',
    async (words) => expect((await command(words)).code).toBe(64),
  )
})
