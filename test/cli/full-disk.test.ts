import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDisk } from '../store/small-disk.ts'
import { ensureReserveFile } from '../../src/store/reserve-file.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const disk = newDisk(256)
const folder = temporaryFolder()
afterAll(() => disk?.remove())
const ran = (...words: string[]) => startFieldstone(words, {}, folder).end()

describe.skipIf(disk === null)('a disk error of a command is one message', () => {
  const data = join(disk?.folder ?? folder, 'data')

  test('for a new token on a full disk', async () => {
    openState(data).close()
    expect((await ran('token', 'new', '--data', data)).code).toBe(0)
    // As with a running server: the write-ahead log is open.
    using service = new Database(join(data, 'state.db'))
    service.query('SELECT count(*) FROM sqlite_schema').get()
    const empty = disk!.fill(0)
    const { code, out, err } = await ran('token', 'new', '--data', data)
    empty()
    expect(out).toBe('')
    expect(err.trim().split('\n')).toEqual([expect.stringContaining('The disk of this server is full')])
    expect(code).toBe(75)
    expect((await ran('token', 'new', '--data', data)).code).toBe(0)
  })

  test('for a backup, which reports the required space and leaves nothing behind', async () => {
    const [state, target] = [join(folder, 'data'), join(disk!.folder, 'backups')]
    openState(state).close()
    expect((await ran('token', 'new', '--data', state)).code).toBe(0)
    mkdirSync(target)
    const empty = disk!.fill(0)
    const { err, code } = await ran('backup', join(target, 'full.tar'), '--data', state)
    empty()
    expect(err).toMatch(/^The disk is too full for a copy of \S+ at \S+full\.tar\. The copy needs about \d+ MB\.\n$/)
    expect(code).toBe(1)
    expect(readdirSync(target)).toEqual([])
  })

  test('for doctor, which leaves nothing behind', async () => {
    const looked = join(disk!.folder, 'looked-at')
    openState(looked).close()
    expect((await ran('token', 'new', '--data', looked)).code).toBe(0)
    using service = new Database(join(looked, 'state.db'))
    service.query('SELECT count(*) FROM sqlite_schema').get()
    const empty = disk!.fill(0)
    const { code, out } = await ran('doctor', '--data', looked)
    empty()
    expect([code, out]).toEqual([1, expect.stringContaining('is not writable (ENOSPC)')])
    expect(readdirSync(looked).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('for a pack in a read-only folder', async () => {
    writeFileSync(
      join(folder, 'dam.geojson'),
      JSON.stringify({
        type: 'FeatureCollection',
        features: [
          {
            type: 'Feature',
            properties: { NAME: 'A dam', NIDID: 'CO1', HAZARD_POTENTIAL: 'High' },
            geometry: { type: 'Point', coordinates: [-104.85, 39.65] },
          },
        ],
      }),
    )
    disk!.readOnly()
    const { code, out, err } = await ran(
      'pack',
      'build',
      'usace_nid',
      'dam.geojson',
      '--data',
      join(disk!.folder, 'another'),
    )
    disk!.writable()
    expect([code, out, err.trim().split('\n')]).toEqual([1, '', [expect.stringContaining('read-only file system')]])
  })
})

describe.skipIf(disk === null)('a read-only data folder is rejected by commands that write, with one message', () => {
  test.each([
    [['token', 'new'], 'kept'],
    [['user', 'add', 'ada'], 'kept'],
    [['user', 'link'], 'kept'],
    [['run', 'rows.csv', '--kind', 'lookup_batch'], 'kept'],
    [['run', 'rows.csv', '--kind', 'lookup_batch'], 'empty'],
  ] as const)('%j, with a folder that is %s', async (words, kind) => {
    const data = join(disk!.folder, 'unwritable', kind)
    writeFileSync(join(folder, 'rows.csv'), 'lat,lng\n39.7,-104.9\n')
    mkdirSync(data, { recursive: true, mode: 0o700 })
    if (kind === 'kept') openState(data).close()
    disk!.readOnly()
    const ended = await ran(...words, '--data', data)
    disk!.writable()
    expect(ended).toEqual({
      code: 78,
      out: '',
      err: `${data} is not writable for this user. Nothing was changed. Run the command as the user of the server, or make the folder writable.\n`,
    })
  })

  test('and a backup cannot be written there', async () => {
    expect((await ran('token', 'new', '--data', join(folder, 'data'))).code).toBe(0)
    disk!.readOnly()
    const ended = await ran('backup', join(disk!.folder, 'x.tar'), '--data', join(folder, 'data'))
    disk!.writable()
    expect(ended).toEqual({
      code: 1,
      out: '',
      err: `The target folder ${disk!.folder} is not writable for this user. Choose another folder.\n`,
    })
  })
})

test.skipIf(disk === null)('/readyz warns of a nearly full disk, and stops warning when there is space', async () => {
  const it = startFieldstone(['serve', '--data', join(disk!.folder, 'served')], {}, folder)
  try {
    const [, address] = await it.waitForOutput(/answers at (http:\S+)/)
    const ready = async () =>
      (await (await fetch(`${address}/readyz`)).json()) as {
        status: string
        checks: { store: { status: string; message?: string } }
      }
    const empty = disk!.fill(32 * 1_048_576)
    const { status, checks } = await ready()
    empty()
    expect(status).toBe('warn')
    expect(checks.store).toEqual({ status: 'warn', message: expect.stringMatching(/^Only \d+ MB are free/) })
    expect((await ready()).checks.store).toEqual({ status: 'pass' })
  } finally {
    it.signal('SIGTERM')
    await it.end()
  }
})

describe.skipIf(disk === null)('on a full disk', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'a server that was ended by %s starts again, and answers',
    async (signal) => {
      const data = join(disk!.folder, signal)
      const start = () => startFieldstone(['serve', '--data', data], { FIELDSTONE_AUTH: 'off' }, folder)
      const ended = start()
      await ended.waitForOutput(/answers at/)
      ended.signal(signal)
      await ended.end()
      await ensureReserveFile(data)
      const empty = disk!.fill(0)
      const it = start()
      try {
        const [, address] = await it.waitForOutput(/answers at (http:\S+)/)
        const answer = await fetch(`${address}/v1/fetch?lat=39.7&lng=-104.9&fields=county`)
        expect(answer.status).toBe(200)
      } finally {
        it.signal('SIGTERM')
        const { code } = await it.end()
        empty()
        rmSync(data, { recursive: true })
        expect(code).toBe(0)
      }
    },
  )

  test('a server without a reserve file says that the disk is full', async () => {
    const empty = disk!.fill(0)
    const { code, err } = await ran('serve', '--data', join(disk!.folder, 'new'))
    empty()
    expect([code, err]).toEqual([75, 'The disk of this server is full. Try again later.\n'])
  })
})
