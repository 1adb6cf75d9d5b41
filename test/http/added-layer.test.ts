import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { openTestService, type TestService } from '../support/test-service.ts'

const denver = { lat: 39.7392, lng: -104.9903 }
let testService: TestService
let folder: string
beforeAll(() => {
  testService = openTestService()
  folder = join(testService.app.config.data, 'catalog.d')
  mkdirSync(folder)
})
afterAll(() => testService.close())

/** A custom layer on the embedded places. */
const dataset = datasetOf({
  service: 'my_towns',
  title: 'My towns',
  coverage: { regions: ['conus'], note: null },
  vintage: '2026',
  serve: [{ driver: 'embedded', layer: 'places' }],
})
const field = fieldOf(
  'my_nearest_town',
  { dataset: 'my_towns', op: 'nearest_attribute', attribute: 'NAME', search_radii_m: null },
  { layer: 'my_layer', lifecycle: 'experimental' },
)
const overlay = (more: object = {}) =>
  JSON.stringify({ datasets: { my_towns: dataset }, fields: [{ ...field, ...more }] })

/** Saves as editors do: a new file replaces the old one. */
function put(name: string, text: string) {
  writeFileSync(join(folder, `.${name}`), text)
  renameSync(join(folder, `.${name}`), join(folder, name))
}

async function until(holds: () => Promise<boolean>) {
  while (!(await holds())) await Bun.sleep(20)
}
const catalogNow = async () =>
  (await (await testService.send('/v1/meta/fields')).json()) as { version: string; fields: { name: string }[] }
const has = async (name: string) => (await catalogNow()).fields.some((it) => it.name === name)
const checkNow = async () =>
  (await (await testService.send('/readyz')).json()) as { status: string; checks: { catalog: unknown } }

describe('a layer file in catalog.d', () => {
  test('is added to the catalog, which gets a new version and ETag, and its fields are answered', async () => {
    const before = await testService.send('/v1/meta/fields')
    put('towns.json', overlay())
    await until(() => has('my_nearest_town'))
    const after = await testService.send('/v1/meta/fields')
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(after.headers.get('x-catalog-version')).toMatch(/^\d+\.\d+\.\d+\+local\.[0-9a-f]{8}$/)
    const answer = (await (
      await testService.post('/v1/fetch', { ...denver, fields: ['my_nearest_town', 'county'] })
    ).json()) as { fields: Record<string, unknown> }
    expect(answer.fields.my_nearest_town).toMatchObject({
      status: 'ok',
      value: 'Denver',
      source: 'my_towns',
      dataset_vintage: expect.any(String),
    })
    const batch = (await (
      await testService.post('/v1/fetch/batch', { locations: [denver], fields: ['my_nearest_town'] })
    ).json()) as { results: { fields: Record<string, unknown> }[] }
    expect(batch.results[0]!.fields.my_nearest_town).toMatchObject({ value: 'Denver' })
  })

  test('with an error is reported by name, and the last valid catalog stays in use', async () => {
    const { version } = await catalogNow()
    put(
      'other.json',
      JSON.stringify({
        fields: [
          {
            ...field,
            name: 'my_other',
            read: { dataset: 'my_twons', op: 'nearest_attribute', attribute: 'NAME', search_radii_m: null },
          },
        ],
      }),
    )
    await until(async () => (await checkNow()).status === 'warn')
    expect((await checkNow()).checks.catalog).toEqual({
      status: 'warn',
      rejected: [{ file: 'other.json', errors: ['field my_other: unknown dataset my_twons'] }],
    })
    expect(await catalogNow()).toMatchObject({ version })
    expect(testService.logged.join('\n')).toContain('my_twons')
    rmSync(join(folder, 'other.json'))
    await until(async () => (await checkNow()).status === 'pass')
  })

  test('that no driver can open is reported, and the built-in catalog stays in use', async () => {
    put(
      'unopened.json',
      JSON.stringify({
        datasets: { my_table: { ...dataset, shape: 'document', serve: [{ driver: 'table', asset: 'nonsense' }] } },
      }),
    )
    await until(async () => (await checkNow()).status === 'warn')
    expect((await checkNow()).checks.catalog).toEqual({
      status: 'warn',
      rejected: [{ file: 'catalog.d', errors: ['dataset my_table cannot be served by table: Invalid URL'] }],
    })
    expect((await catalogNow()).version).toMatch(/^\d+\.\d+\.\d+$/)
    expect((await testService.post('/v1/fetch', { ...denver, fields: ['county'] })).status).toBe(200)
    rmSync(join(folder, 'unopened.json'))
    await until(async () => (await checkNow()).status === 'pass')
    expect(await has('my_nearest_town')).toBe(true)
  })

  test('is removed with its file, and the catalog is as before', async () => {
    rmSync(join(folder, 'towns.json'))
    await until(async () => !(await has('my_nearest_town')))
    expect((await catalogNow()).version).toMatch(/^\d+\.\d+\.\d+$/)
    const refused = await testService.post('/v1/fetch', { ...denver, fields: ['my_nearest_town'] })
    expect(refused.status).toBe(400)
  })
})
