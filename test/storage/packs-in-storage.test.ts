import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { servedPackFolderOf } from '../../src/app-packs.ts'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { configOf } from '../../src/config.ts'
import { lockFolder } from '../../src/store/sqlite/folder-lock.ts'
import { startS3Server, type S3Server } from '../support/s3-server.ts'
import {
  fieldsAt,
  heightPack,
  pointInPacks,
  openStorageService,
  syncPacks,
  wetlandPack,
} from '../support/stored-packs.ts'
import type { TestService } from '../support/test-service.ts'

const token = makeToken('pat', secureRandomBytes)
let s3: S3Server
let data: string
let services: TestService[]
beforeEach(() => {
  s3 = startS3Server()
  data = mkdtempSync(join(tmpdir(), 'stored-packs-'))
  services = []
})
afterEach(async () => {
  for (const service of services) {
    requireNoKeys(service)
    await service.close()
  }
  await s3.close()
  rmSync(data, { recursive: true })
})

function requireNoKeys({ logged }: TestService): void {
  const text = logged.join('\n')
  for (const secret of [s3.secretAccessKey, s3.accessKeyId, encodeURIComponent(s3.accessKeyId), 'X-Amz-'])
    expect(text).not.toContain(secret)
}

const openService = (environment: Record<string, string> = {}) => {
  const service = openStorageService({
    FIELDSTONE_DATA: data,
    FIELDSTONE_TOKEN: token,
    FIELDSTONE_PACKS: 's3://gis-packs/us',
    ...s3.environment,
    ...environment,
  })
  services.push(service)
  return service
}
const open = async (environment: Record<string, string> = {}) => {
  const service = openService(environment)
  await syncPacks(service)
  return service
}
const closeAll = async () => {
  for (const service of services.splice(0)) await service.close()
}
const manifest = (bytes: Uint8Array, vintage: string) =>
  JSON.stringify({ vintage, sha256: createHash('sha256').update(bytes).digest('hex') })
const publish = (name: string, bytes: Uint8Array, vintage: string) => {
  s3.put(`us/${name}`, bytes)
  s3.put(`us/${name.replace(/\.\w+$/, '.json')}`, manifest(bytes, vintage))
}
const packsCheckOf = async (service: TestService) => {
  const { checks } = (await (await service.send('/readyz')).json()) as {
    checks: { packs: { status: string; message?: string } }
  }
  return checks.packs
}
const wetlandOf = async (service: TestService) => (await fieldsAt(service, ['nwi_wetland_type'])).nwi_wetland_type!
const heightOf = async (service: TestService) => (await fieldsAt(service, ['elevation'])).elevation!

describe('packs in an S3 bucket', () => {
  test('answer fields: a GeoPackage from its local copy, a raster by range', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    publish('usgs_3dep_13.tif', heightPack(1500), '2023')
    const service = await open()
    const { nwi_wetland_type, elevation } = await fieldsAt(service, ['nwi_wetland_type', 'elevation'])
    expect(nwi_wetland_type).toMatchObject({ value: 'Lake', driver: 'pack', dataset_vintage: '2024' })
    expect(elevation).toMatchObject({ value: 1500, driver: 'pack', dataset_vintage: '2023' })
    expect(await packsCheckOf(service)).toMatchObject({ status: 'pass' })
    const reads = s3.requests.filter(({ key }) => key === 'us/usgs_3dep_13.tif')
    expect(reads.length).toBeGreaterThan(1)
    expect(reads.every(({ range }) => range !== null)).toBe(true)
    expect(service.app.packs.list().find(({ file }) => file === 'usgs_3dep_13.tif')?.bytes).toBe(
      heightPack(1500).length,
    )
  })

  test('can be in parts', async () => {
    publish('usfws_nwi/08041.gpkg', wetlandPack('Pond'), '2025')
    expect(await wetlandOf(await open())).toMatchObject({ value: 'Pond', dataset_vintage: '2025' })
  })

  test('are replaced with their manifest, and removed', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    publish('usgs_3dep_13.tif', heightPack(1500), '2023')
    const service = await open()
    publish('usfws_nwi.gpkg', wetlandPack('Pond'), '2025')
    await syncPacks(service)
    expect(await wetlandOf(service)).toMatchObject({ value: 'Pond', dataset_vintage: '2025' })
    s3.objects.delete('us/usfws_nwi.gpkg')
    await syncPacks(service)
    expect(service.app.packs.list().map(({ file }) => file)).toEqual(['usgs_3dep_13.tif'])
  })

  test('are not replaced by a GeoPackage whose manifest is not there yet', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    const service = await open()
    s3.put('us/usfws_nwi.gpkg', wetlandPack('Pond'))
    await syncPacks(service)
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake', dataset_vintage: '2024' })
    expect((await packsCheckOf(service)).message).toContain('usfws_nwi.gpkg has the SHA-256 checksum')
    s3.put('us/usfws_nwi.json', manifest(wetlandPack('Pond'), '2025'))
    await syncPacks(service)
    expect(await wetlandOf(service)).toMatchObject({ value: 'Pond', dataset_vintage: '2025' })
    expect(await packsCheckOf(service)).toMatchObject({ status: 'pass' })
  })

  test('that are corrupt do not replace an earlier version, and are not copied again', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    const service = await open()
    publish('usfws_nwi.gpkg', wetlandPack('Pond').subarray(0, 5000), '2025')
    await syncPacks(service)
    const readsBefore = s3.requests.filter(({ key }) => key === 'us/usfws_nwi.gpkg').length
    await syncPacks(service)
    expect(s3.requests.filter(({ key }) => key === 'us/usfws_nwi.gpkg').length).toBe(readsBefore)
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake', dataset_vintage: '2024' })
  })

  test('stay in use when the storage does not answer, also after a restart', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    await open()
    await closeAll()
    s3.faultOf = () => ({ kind: 'status', status: 503, code: 'SlowDown' })
    const service = await open()
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake', driver: 'pack' })
    const check = await packsCheckOf(service)
    expect(check.status).toBe('warn')
    expect(check.message).toContain('s3://gis-packs/us/ (SlowDown)')
    expect(service.logged.join('\n')).toContain('pack_storage_failed')
    s3.faultOf = () => null
    await syncPacks(service)
    expect(await packsCheckOf(service)).toMatchObject({ status: 'pass' })
  })

  test('answer at once while the storage hangs, and the service can stop', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    await open()
    await closeAll()
    s3.faultOf = () => ({ kind: 'hang' })
    const service = openService()
    for (let scans = 0; scans < 3; scans++) await service.app.packs.poll()
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake', driver: 'pack' })
  })

  test('that another process is copying may be missing, and /readyz says so', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    const environment = { FIELDSTONE_DATA: data, FIELDSTONE_PACKS: 's3://gis-packs/us', ...s3.environment }
    const folder = servedPackFolderOf(configOf(environment))
    const unlock = lockFolder(folder)
    const service = await open()
    expect(await packsCheckOf(service)).toEqual({
      status: 'warn',
      rejected: [],
      message: `The packs may be out of date: Another Fieldstone process is copying packs from s3://gis-packs/us/ to ${folder}. Packs that it has not copied yet are missing. Earlier copies stay in use.`,
    } as never)
    unlock()
    await syncPacks(service)
    expect(await packsCheckOf(service)).toEqual({ status: 'pass' })
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake' })
  })

  test('stay in use offline', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    await open()
    await closeAll()
    const sent = s3.requests.length
    const service = await open({ FIELDSTONE_OFFLINE: '1' })
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake', driver: 'pack' })
    expect(s3.requests.length).toBe(sent)
  })

  test('stay in use when the location becomes empty', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    const service = await open()
    s3.objects.clear()
    await syncPacks(service)
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake' })
    expect((await packsCheckOf(service)).message).toContain('has no packs, but it had 1 before')
  })

  test('cannot be fetched by the server', async () => {
    const service = await open()
    const response = await service.post('/v1/packs/fetch', { presets: ['terrain'], area: '08013' })
    expect(await response.json()).toMatchObject({
      detail: { error: 'pack_fetch_unavailable', message: expect.stringContaining('`fieldstone pack publish`') },
    })
  })

  test('of another location are not used', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    await open()
    await closeAll()
    const service = await open({ FIELDSTONE_PACKS: 's3://gis-packs/other' })
    expect(service.app.packs.list()).toEqual([])
  })

  test('are not used with a wrong key, which the message does not show', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    const service = await open({ AWS_SECRET_ACCESS_KEY: 'a-wrong-secret' })
    const { message } = await packsCheckOf(service)
    expect(message).toContain('SignatureDoesNotMatch')
    for (const secret of ['a-wrong-secret', 'test:reader', 'test%3Areader']) expect(message).not.toContain(secret)
    expect(await wetlandOf(service)).toMatchObject({ status: 'failed' })
  })
})

test('an error with an unusual code does not show the message of the server', async () => {
  s3.faultOf = () => ({ kind: 'status', status: 403, code: 'Access denied' })
  const { message } = await packsCheckOf(await open())
  expect(message).toContain('Check AWS_ENDPOINT_URL')
  for (const text of [s3.accessKeyId, 'Access denied']) expect(message).not.toContain(text)
})

describe('packs in storage, for a command', () => {
  const openCommand = async (copySchedule: 'once' | 'never') => {
    const environment = { FIELDSTONE_DATA: data, FIELDSTONE_TOKEN: token, FIELDSTONE_PACKS: 's3://gis-packs/us' }
    const service = openStorageService({ ...environment, ...s3.environment }, { copySchedule })
    services.push(service)
    await syncPacks(service)
    return service
  }

  test('are copied once, and its threads use the copies', async () => {
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    const command = await openCommand('once')
    publish('usfws_nwi.gpkg', wetlandPack('Pond'), '2025')
    await syncPacks(command)
    expect(await wetlandOf(command)).toMatchObject({ value: 'Lake', dataset_vintage: '2024' })
    await closeAll()
    const sent = s3.requests.length
    expect(await wetlandOf(await openCommand('never'))).toMatchObject({ value: 'Lake', dataset_vintage: '2024' })
    expect(s3.requests.length).toBe(sent)
  })
})

describe('a raster in storage that is replaced', () => {
  beforeEach(() => publish('usgs_3dep_13.tif', heightPack(1500), '2023'))

  test('fails the field that reads it, and answers with the new version after the next sync', async () => {
    const service = await open()
    publish('usgs_3dep_13.tif', heightPack(2500), '2024')
    // After the pack comes the publisher, which does not answer here.
    expect(await heightOf(service)).toMatchObject({ status: 'failed', value: null, retryable: true })
    await syncPacks(service)
    expect(await heightOf(service)).toMatchObject({ value: 2500, dataset_vintage: '2024' })
  })

  test('is never mixed: tiles of the earlier version are not used with the new one', async () => {
    const service = await open()
    expect(await heightOf(service)).toMatchObject({ value: 1500 })
    publish('usgs_3dep_13.tif', heightPack(2500), '2024')
    await syncPacks(service)
    expect(await heightOf(service)).toMatchObject({ value: 2500 })
  })

  test('waits for the manifest of its version, if the manifest names its version', async () => {
    const service = await open()
    s3.put('us/usgs_3dep_13.json', JSON.stringify({ vintage: '2024', stored_version: '"of-another-edition"' }))
    await syncPacks(service)
    expect((await packsCheckOf(service)).message).toContain('describes another version of usgs_3dep_13.tif')
    expect(await heightOf(service)).toMatchObject({ value: 1500, dataset_vintage: '2023' })
  })
})

describe('a read of a raster in storage', () => {
  const faults = {
    truncated: { kind: 'truncate' },
    'rejected with 403': { kind: 'status', status: 403, code: 'AccessDenied' },
    'rejected with 503': { kind: 'status', status: 503, code: 'SlowDown' },
  } as const
  for (const [name, fault] of Object.entries(faults))
    test(`that is ${name} fails its field only, and works again afterwards`, async () => {
      publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
      publish('usgs_3dep_13.tif', heightPack(1500), '2023')
      const service = await open()
      s3.faultOf = ({ range }) => (range === null ? null : fault)
      const { nwi_wetland_type, elevation } = await fieldsAt(service, ['nwi_wetland_type', 'elevation'])
      expect(nwi_wetland_type).toMatchObject({ status: 'ok', value: 'Lake' })
      expect(elevation).toMatchObject({ status: 'failed', value: null })
      s3.faultOf = () => null
      expect(await heightOf(service)).toMatchObject({ value: 1500 })
    })

  test('that hangs ends with the budget of its field', async () => {
    publish('usgs_3dep_13.tif', heightPack(1500), '2023')
    const service = await open()
    const begun = Promise.withResolvers<void>()
    s3.faultOf = ({ range }) => {
      if (range === null) return null
      begun.resolve()
      return { kind: 'hang' }
    }
    const caller = new AbortController()
    const dataset = service.app.packs.dataset('usgs_3dep_13.tif', 'usgs_3dep')!
    const read = dataset.raster!.window({ at: pointInPacks, radius_cells: 0 }, {}, { signal: caller.signal })
    const ended = read.catch((error: Error) => error.message)
    await begun.promise
    caller.abort(new Error('The field has no time left.'))
    expect(await ended).toBe('The field has no time left.')
  })

  test('of a server that ignores ranges answers from the whole file', async () => {
    publish('usgs_3dep_13.tif', heightPack(1500), '2023')
    s3.faultOf = ({ range }) => (range === null ? null : { kind: 'ignore_range' })
    expect(await heightOf(await open())).toMatchObject({ value: 1500 })
  })
})

describe('a copy of a GeoPackage', () => {
  test('that is replaced midway is not used', async () => {
    const large = (type: string) => Buffer.concat([wetlandPack(type), Buffer.alloc(9 * 1024 * 1024)])
    publish('usfws_nwi.gpkg', wetlandPack('Lake'), '2024')
    const service = await open()
    publish('usfws_nwi.gpkg', large('Pond'), '2025')
    s3.faultOf = ({ range }) =>
      range?.startsWith('bytes=8388608-')
        ? { kind: 'before', run: () => publish('usfws_nwi.gpkg', wetlandPack('Bog'), '2026') }
        : null
    await service.app.packs.waitUntilChecked()
    const { value } = await wetlandOf(service)
    expect(['Lake', 'Bog']).toContain(value as string)
    await syncPacks(service)
    expect(await wetlandOf(service)).toMatchObject({ value: 'Bog', dataset_vintage: '2026' })
  })

  test('that was interrupted continues where it ended', async () => {
    const large = Buffer.concat([wetlandPack('Lake'), Buffer.alloc(9 * 1024 * 1024)])
    s3.put('us/usfws_nwi.gpkg', large)
    s3.faultOf = ({ range }) =>
      range?.startsWith('bytes=8388608-') ? { kind: 'status', status: 403, code: 'AccessDenied' } : null
    const service = await open()
    expect(service.app.packs.list()).toEqual([])
    const isStart = ({ key, range }: { key: string; range: string | null }) =>
      key === 'us/usfws_nwi.gpkg' && range?.startsWith('bytes=0-')
    expect(s3.requests.filter(isStart).length).toBe(1)
    s3.faultOf = () => null
    await syncPacks(service)
    expect(s3.requests.filter(isStart).length).toBe(1)
    expect(await wetlandOf(service)).toMatchObject({ value: 'Lake' })
  })
})
