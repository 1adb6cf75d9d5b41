import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFieldstone } from '../cli/fieldstone.ts'
import { startS3Server, type S3Server } from '../support/s3-server.ts'
import { fieldsAt, heightPack, openStorageService, syncPacks, wetlandPack } from '../support/stored-packs.ts'
import type { TestService } from '../support/test-service.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pack-publish-'))
  mkdirSync(join(folder, 'data', 'packs'), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

let s3: S3Server
let nodes: TestService[]
beforeEach(() => {
  s3 = startS3Server()
  nodes = []
})
afterEach(async () => {
  for (const node of nodes) await node.close()
  await s3.close()
})

const place = (name: string, content: Uint8Array | string) =>
  writeFileSync(join(folder, 'data', 'packs', name), content)
const publish = async (words: string[] = [], env: Record<string, string> = {}) => {
  const settings = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_PACKS: 's3://gis-packs/us', ...s3.environment, ...env }
  const { code, out, err } = await startFieldstone(['pack', 'publish', ...words], settings, folder).end()
  for (const secret of [s3.secretAccessKey, s3.accessKeyId, 'X-Amz-']) expect(out + err).not.toContain(secret)
  return { code, out, err }
}
const openNode = async () => {
  const node = openStorageService({ FIELDSTONE_PACKS: 's3://gis-packs/us', ...s3.environment })
  nodes.push(node)
  await syncPacks(node)
  return node
}
const answerOf = async (node: TestService) => {
  const { nwi_wetland_type, elevation } = await fieldsAt(node, ['nwi_wetland_type', 'elevation'])
  return [nwi_wetland_type!.value, nwi_wetland_type!.dataset_vintage, elevation!.value, elevation!.dataset_vintage]
}

describe('pack publish', () => {
  test('writes the packs and their manifests, the manifests last, and all servers take them', async () => {
    place('usfws_nwi.gpkg', wetlandPack('Lake'))
    place('usfws_nwi.json', JSON.stringify({ vintage: '2024' }))
    place('usgs_3dep_13.tif', heightPack(1500))
    place('usgs_3dep_13.json', JSON.stringify({ vintage: '2023' }))
    const { code, out } = await publish()
    expect([code, out]).toEqual([
      0,
      `Published usfws_nwi.gpkg (${wetlandPack('Lake').length} bytes) to s3://gis-packs/us/.\nPublished usgs_3dep_13.tif (${heightPack(1500).length} bytes) to s3://gis-packs/us/.\n`,
    ])
    const writes = s3.requests.filter(({ method }) => method === 'PUT').map(({ key }) => key)
    expect(writes.slice(0, 3)).toEqual(['us/usfws_nwi.json', 'us/usfws_nwi.gpkg', 'us/usfws_nwi.json'])
    await openNode()
    await openNode()
    expect(await Promise.all(nodes.map(answerOf))).toEqual(nodes.map(() => ['Lake', '2024', 1500, '2023']))

    place('usfws_nwi.gpkg', wetlandPack('Pond'))
    place('usfws_nwi.json', JSON.stringify({ vintage: '2026' }))
    place('usgs_3dep_13.tif', heightPack(2500))
    place('usgs_3dep_13.json', JSON.stringify({ vintage: '2026' }))
    expect((await publish()).code).toBe(0)
    await Promise.all(nodes.map(syncPacks))
    expect(await Promise.all(nodes.map(answerOf))).toEqual(nodes.map(() => ['Pond', '2026', 2500, '2026']))
  })

  test('does not write what is already there', async () => {
    place('usfws_nwi.gpkg', wetlandPack('Lake'))
    await publish(['usfws_nwi'])
    const { out } = await publish(['usfws_nwi'])
    expect(out).toBe('usfws_nwi.gpkg is already published.\n')
    expect(s3.requests.filter(({ method, key }) => method === 'PUT' && key.endsWith('.gpkg')).length).toBe(1)
  })

  test('that is killed between the pack and its manifest leaves the earlier version in use', async () => {
    place('usfws_nwi.gpkg', wetlandPack('Lake'))
    await publish(['usfws_nwi'])
    const node = await openNode()
    place('usfws_nwi.gpkg', wetlandPack('Pond'))
    const manifestBefore = s3.objects.get('us/usfws_nwi.json')
    s3.faultOf = ({ method, key }) =>
      method === 'PUT' && key === 'us/usfws_nwi.json' ? { kind: 'status', status: 403, code: 'AccessDenied' } : null
    const { code, err } = await publish(['usfws_nwi'])
    expect([code, err]).toEqual([1, expect.stringContaining('(AccessDenied)')])
    expect(s3.objects.get('us/usfws_nwi.json')).toEqual(manifestBefore)
    await syncPacks(node)
    expect((await fieldsAt(node, ['nwi_wetland_type'])).nwi_wetland_type).toMatchObject({ value: 'Lake' })
    s3.faultOf = () => null
    expect((await publish(['usfws_nwi'])).code).toBe(0)
    await syncPacks(node)
    expect((await fieldsAt(node, ['nwi_wetland_type'])).nwi_wetland_type).toMatchObject({ value: 'Pond' })
  })

  test('publishes nothing if a pack is not valid', async () => {
    place('usfws_nwi.gpkg', wetlandPack('Lake').subarray(0, 3000))
    const { code, err } = await publish()
    expect([code, err]).toEqual([1, expect.stringContaining('No pack was published.')])
    expect(s3.objects.size).toBe(0)
  })

  const problems: Record<string, [env: Record<string, string>, message: string]> = {
    'a local folder': [{ FIELDSTONE_PACKS: 'packs' }, 'Set FIELDSTONE_PACKS to s3://bucket/prefix.'],
    'a web server': [{ FIELDSTONE_PACKS: 'https://files.example/' }, 'Set FIELDSTONE_PACKS to s3://bucket/prefix.'],
    'a bucket when offline': [{ FIELDSTONE_OFFLINE: '1' }, 'Set FIELDSTONE_OFFLINE to 0.'],
    'a bucket with a wrong key': [{ AWS_SECRET_ACCESS_KEY: 'a-wrong-key' }, '(SignatureDoesNotMatch)'],
  }
  for (const [name, [env, message]] of Object.entries(problems))
    test(`fails with a clear message with ${name}`, async () => {
      place('usfws_nwi.gpkg', wetlandPack('Lake'))
      const { code, err } = await publish([], env)
      expect([code, err]).toEqual([1, expect.stringContaining(message)])
      expect(err).not.toContain('a-wrong-key')
    })
})

describe('doctor', () => {
  const check = async (env: Record<string, string> = {}) => {
    const settings = { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: 'http://127.0.0.1:1', ...s3.environment, ...env }
    const packs = { FIELDSTONE_PACKS: 's3://gis-packs/us' }
    const { out } = await startFieldstone(['doctor', '--json'], { ...settings, ...packs }, folder).end()
    const findings = JSON.parse(out) as { check: string; status: string; message: string }[]
    return findings.filter((finding) => finding.check === 'storage')
  }

  test('lists the packs in storage', async () => {
    s3.put('us/usfws_nwi.gpkg', wetlandPack('Lake'))
    expect(await check()).toEqual([{ check: 'storage', status: 'pass', message: 's3://gis-packs/us/ has packs: 1.' }])
  })

  test('warns if the location has no packs, or cannot be listed, without showing the key', async () => {
    expect(await check()).toMatchObject([{ status: 'warn', message: expect.stringContaining('has no packs') }])
    const [finding] = await check({ AWS_SECRET_ACCESS_KEY: 'a-wrong-key' })
    expect(finding!.status).toBe('warn')
    expect(finding!.message).toContain('SignatureDoesNotMatch')
    expect(finding!.message).not.toContain('a-wrong-key')
  })
})
