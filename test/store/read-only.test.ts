import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeToken } from '../../src/auth/token.ts'
import { openTestService } from '../support/test-service.ts'
import { newDisk } from './small-disk.ts'

const disk = newDisk(64)
if (!disk) console.log('No disk can be mounted here: the tests of a read-only disk are skipped.')
afterEach(() => disk?.writable())
afterAll(() => disk?.remove())

let count = 0
const newData = () => {
  const data = join(disk!.folder, `data-${count++}`)
  mkdirSync(data, { mode: 0o700 })
  return data
}
const errorOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { detail: { error: string; retryable: boolean } }).detail.error,
  response.headers.has('retry-after'),
]
const denver = { lat: 39.7392, lng: -104.9903, fields: ['county', 'geohash'] }
const run = { kind: 'fetch_batch', request: { locations: [{ lat: 39.7, lng: -104.9 }], fields: ['geohash'] } }

describe.skipIf(disk === null)('on a read-only disk', () => {
  test('the server starts, serves existing data, reports the state in /readyz, and rejects writes with storage_read_only', async () => {
    const data = newData()
    const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
    const before = openTestService({ FIELDSTONE_DATA: data, FIELDSTONE_TOKEN: token })
    const { run_id } = (await (await before.post('/v1/runs', run)).json()) as { run_id: string }
    await before.app.runs.waitUntilFinished(
      { id: 'owner', name: 'owner', scopes: new Set() },
      run_id,
      AbortSignal.timeout(10_000),
    )
    const document = await (await before.send(`/v1/runs/${run_id}`)).text()
    // Its connection would otherwise change the file when it ends, a moment after the server.
    await before.app.runs.stop(10_000)
    await before.close()
    const bytes = Bun.hash(readFileSync(join(data, 'state.db')))
    // The run worker may end a moment later and remove the journal.
    const names = () => readdirSync(data).filter((name) => !/-(?:shm|wal)$/.test(name))
    const namesBefore = names()

    disk!.readOnly()
    const service = openTestService({ FIELDSTONE_DATA: data, FIELDSTONE_TOKEN: token })
    expect((await service.post('/v1/fetch', denver)).status).toBe(200)
    expect(await (await service.send(`/v1/runs/${run_id}`)).text()).toBe(document)
    const ready = (await (await service.send('/readyz')).json()) as {
      status: string
      checks: { store: { status: string; message: string } }
    }
    expect(ready.status).toBe('warn')
    expect(ready.checks.store.status).toBe('warn')
    expect(ready.checks.store.message).toContain('is read-only')
    expect(await errorOf(await service.post('/v1/runs', run))).toEqual([503, 'storage_read_only', true])
    expect(await errorOf(await service.post('/v1/users/me/tokens', { name: 'x', scopes: ['fetch'] }))).toEqual([
      503,
      'storage_read_only',
      true,
    ])
    expect((await service.post('/oauth/register', { redirect_uris: ['https://a.example/cb'] })).status).toBe(503)
    expect((await service.send('/v1/users/me/usage')).status).toBe(200)
    await service.app.access.sweep()
    await service.app.runs.sweep()
    await service.close()
    expect(service.logged.filter((line) => line.includes('"error"'))).toEqual([])
    expect([Bun.hash(readFileSync(join(data, 'state.db'))), names()]).toEqual([bytes, namesBefore])
  })

  test('an empty folder is enough to fetch, and the owner token works until the process ends', async () => {
    const data = newData()
    disk!.readOnly()
    const service = openTestService({ FIELDSTONE_DATA: data })
    expect(service.token).toStartWith('fst_pat_')
    expect((await service.post('/v1/fetch', denver)).status).toBe(200)
    expect((await service.send('/v1/fetch', { headers: { authorization: 'Bearer fst_pat_x' } })).status).not.toBe(200)
    expect(await errorOf(await service.post('/v1/runs', run))).toEqual([503, 'storage_read_only', true])
    await service.close()
    expect(readdirSync(data)).toEqual([])
  })

  test('the journal of a killed server is read', async () => {
    const data = newData()
    const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
    const child = Bun.spawn([
      process.execPath,
      '--no-env-file',
      '-e',
      `
      const { openState } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/sqlite/state-database.ts'))})
      const { createSqliteStore } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/sqlite/sqlite-store.ts'))})
      const { createAccountManager } = await import(${JSON.stringify(join(import.meta.dir, '../../src/auth/accounts.ts'))})
      await createAccountManager(createSqliteStore(openState(${JSON.stringify(data)})), { auth: 'on', now: () => new Date(), randomBytes: (n) => new Uint8Array(n) }).ensureOwner(${JSON.stringify(token)})
      process.kill(process.pid, 'SIGKILL')`,
    ])
    await child.exited
    expect(statSync(join(data, 'state.db-wal')).size).toBeGreaterThan(0)
    disk!.readOnly()
    const service = openTestService({ FIELDSTONE_DATA: data, FIELDSTONE_TOKEN: token })
    expect((await service.app.accounts.authenticate(`Bearer ${token}`)).id).toBe('owner')
    expect((await service.post('/v1/fetch', denver)).status).toBe(200)
    await service.close()
  })
})
