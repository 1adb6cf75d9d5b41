import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { findViolatedInvariants } from '../../src/store/sqlite/repair/invariants.ts'
import { repairState } from '../../src/store/sqlite/repair/recover.ts'
import { startS3Server, type S3Server } from '../support/s3-server.ts'
import { openStorageService } from '../support/stored-packs.ts'
import type { TestService } from '../support/test-service.ts'

const token = makeToken('pat', secureRandomBytes)
const signal = new AbortController().signal
let s3: S3Server
let data: string
let service: TestService
beforeEach(() => {
  s3 = startS3Server()
  data = mkdtempSync(join(tmpdir(), 'artifact-files-'))
  service = open()
})
afterEach(async () => {
  const logged = service.logged.join('\n')
  await service.close()
  await s3.close()
  rmSync(data, { recursive: true, force: true })
  for (const secret of [s3.secretAccessKey, s3.accessKeyId, 'X-Amz-']) expect(logged).not.toContain(secret)
})

function open(environment: Record<string, string> = {}): TestService {
  return openStorageService({
    FIELDSTONE_DATA: data,
    FIELDSTONE_TOKEN: token,
    FIELDSTONE_ARTIFACTS: 's3://gis-packs/results',
    ...s3.environment,
    ...environment,
  })
}
const reopen = async (environment: Record<string, string>) => {
  await service.close()
  service = open(environment)
}
const redirected = { FIELDSTONE_ARTIFACT_DOWNLOADS: 'redirect' }
const formats = ['csv', 'geojson', 'report'] as const
const locations = [
  { lat: 39.7392, lng: -104.9903 },
  { lat: 25.79, lng: -80.13 },
]
/** Submits a run, waits for its end, and returns its id and the text of its files. */
const runAndRead = async () => {
  const body = { kind: 'fetch_batch', request: { locations, fields: ['county', 'timezone'] } }
  const response = await service.post('/v1/runs', body, { prefer: 'wait=60' })
  const { run_id, status } = (await response.json()) as { run_id: string; status: string }
  expect(status).toBe('done')
  const texts = await Promise.all(formats.map(async (format) => (await download(run_id, format)).text()))
  return { run_id, texts }
}
const download = async (run_id: string, format: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.send(`/v1/runs/${run_id}/artifacts/${format}`, { headers, method })
const query = (sql: string) => {
  using db = new Database(join(data, 'state.db'), { readonly: true })
  return Object.values(db.query<Record<string, number>, []>(sql).get()!)[0]!
}
const chunks = () => query('SELECT count(*) FROM run_chunks')
const move = () => service.app.runs.artifacts.moveFinished(signal)

describe('the result files of a finished run', () => {
  test('are moved to the bucket, byte for byte, and downloaded from there with FIELDSTONE_ARTIFACT_DOWNLOADS=redirect', async () => {
    const { run_id, texts } = await runAndRead()
    await move()
    await reopen(redirected)
    expect(chunks()).toBe(0)
    const keys = [...s3.objects.keys()]
    expect(keys.every((key) => key.startsWith(`results/${run_id}/`))).toBe(true)
    for (const [i, format] of formats.entries()) {
      const response = await download(run_id, format)
      expect(response.status).toBe(302)
      const moved = await fetch(response.headers.get('location')!)
      expect(await moved.text()).toBe(texts[i]!)
      const extension = format === 'report' ? 'json' : format
      expect(moved.headers.get('content-disposition')).toBe(`attachment; filename="${run_id}.${extension}"`)
    }
    await move()
    expect(s3.objects.size).toBe(keys.length)
  })

  test('are passed on to a script in a browser, in whole and in ranges, with the ETag of the file', async () => {
    await reopen(redirected)
    const { run_id, texts } = await runAndRead()
    const before = await download(run_id, 'csv')
    await move()
    const script = { 'sec-fetch-mode': 'cors' }
    const whole = await download(run_id, 'csv', script)
    expect([whole.status, await whole.text()]).toEqual([200, texts[0]!])
    expect(whole.headers.get('etag')).toBe(before.headers.get('etag'))
    const range = await download(run_id, 'csv', { ...script, range: 'bytes=5-20' })
    expect([range.status, await range.text()]).toEqual([206, texts[0]!.slice(5, 21)])
    const head = await download(run_id, 'csv', {}, 'HEAD')
    expect([head.status, head.headers.get('etag')]).toEqual([200, before.headers.get('etag')])
  })

  test('are passed on to every client by default', async () => {
    const { run_id, texts } = await runAndRead()
    await move()
    const response = await download(run_id, 'csv')
    expect([response.status, await response.text()]).toEqual([200, texts[0]!])
  })

  test('are written again from the rows of the run when FIELDSTONE_ARTIFACTS is removed', async () => {
    const { run_id, texts } = await runAndRead()
    await move()
    await reopen({ FIELDSTONE_ARTIFACTS: '' })
    const response = await download(run_id, 'csv')
    expect([response.status, await response.text()]).toEqual([200, texts[0]!])
  })

  test('are complete by the rules of the database, also after a repair', async () => {
    await reopen(redirected)
    const { run_id } = await runAndRead()
    await move()
    const db = new Database(join(data, 'state.db'))
    expect(findViolatedInvariants(db, new Date())).toEqual([])
    expect(repairState(db)).toEqual([])
    db.close()
    expect((await download(run_id, 'csv')).status).toBe(302)
  })

  test('are deleted from the bucket with their run', async () => {
    await runAndRead()
    await move()
    s3.put('results/of-somebody-else', 'x')
    const db = new Database(join(data, 'state.db'))
    db.run('DELETE FROM run_artifacts')
    db.close()
    await service.app.runs.artifacts.deleteObsolete(signal)
    expect([...s3.objects.keys()]).toEqual(['results/of-somebody-else'])
    expect(query('SELECT count(*) FROM artifact_objects')).toBe(0)
  })
})

describe('a move that fails', () => {
  const faults = {
    'with 503': { kind: 'status', status: 503, code: 'SlowDown' },
    'with 403': { kind: 'status', status: 403, code: 'AccessDenied' },
  } as const
  for (const [name, fault] of Object.entries(faults))
    test(`${name} leaves the files in the database, and the next one succeeds`, async () => {
      const { run_id, texts } = await runAndRead()
      const before = chunks()
      s3.faultOf = ({ method }) => (method === 'PUT' ? fault : null)
      expect(await move().catch((error: Error) => error.message)).toContain(`(${fault.code})`)
      expect(chunks()).toBe(before)
      const response = await download(run_id, 'csv')
      expect([response.status, await response.text()]).toEqual([200, texts[0]!])
      s3.faultOf = () => null
      await move()
      expect(chunks()).toBe(0)
    })

  test('for one file does not keep the other files in the database', async () => {
    await reopen(redirected)
    const { run_id } = await runAndRead()
    s3.faultOf = ({ method, key }) =>
      method === 'PUT' && key.includes('/csv-') ? { kind: 'status', status: 403, code: 'AccessDenied' } : null
    expect(await move().catch((error: Error) => error.message)).toContain('(AccessDenied)')
    const statuses = await Promise.all(formats.map(async (format) => (await download(run_id, format)).status))
    expect(statuses).toEqual([200, 302, 302])
  })

  test('does not wait for files that are still being written', async () => {
    await reopen(redirected)
    const { run_id } = await runAndRead()
    const db = new Database(join(data, 'state.db'))
    for (let i = 0; i < 50; i++) db.run("INSERT INTO run_chunks VALUES (0, ?, 0, x'00')", [`unfinished-${i}`])
    db.close()
    await move()
    expect((await download(run_id, 'csv')).status).toBe(302)
  })

  test('after its upload deletes nothing, and its object is deleted later', async () => {
    const { run_id } = await runAndRead()
    s3.faultOf = ({ method }) => (method === 'HEAD' ? { kind: 'status', status: 403, code: 'AccessDenied' } : null)
    await move().catch(() => {})
    expect((await download(run_id, 'csv')).status).toBe(200)
    const uploaded = s3.objects.size
    expect(uploaded).toBeGreaterThan(0)
    s3.faultOf = () => null
    await service.app.runs.artifacts.deleteObsolete(signal)
    expect(s3.objects.size).toBe(uploaded)
    const db = new Database(join(data, 'state.db'))
    db.run('UPDATE artifact_objects SET begun_at = 0')
    db.close()
    await service.app.runs.artifacts.deleteObsolete(signal)
    expect(s3.objects.size).toBe(0)
  })
})

test('a download of an object that was changed is an error, and never other bytes', async () => {
  const { run_id } = await runAndRead()
  await move()
  for (const key of s3.objects.keys()) s3.put(key, Buffer.alloc(s3.objects.get(key)!.length, 'x'))
  const response = await download(run_id, 'csv', { 'sec-fetch-mode': 'cors' })
  const text = await response.text().catch(() => 'ended early')
  expect(text).not.toContain('xxx')
})
