import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Field } from '../../src/catalog/records.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openTestService } from '../support/test-service.ts'
import { datasetsOf, everyField } from './every-field.ts'
import placesFile from './five-places.json' with { type: 'json' }

const service = openTestService()
afterAll(() => service.close())
const { catalog } = service.app

const places = placesFile
const answers = new Map(
  await Promise.all(places.map(async ({ name, at }) => [name, await everyField(service, at)] as const)),
)

/** Whether a value has the type, enum and range of its field. */
function isPromised(
  value: FieldResult['value'],
  { type, enum: values, valid_range: [least, most] = [null, null] }: Field,
): boolean {
  const isOfType = {
    string: typeof value === 'string' && value !== '',
    list: typeof value === 'string' && value !== '',
    boolean: typeof value === 'boolean',
    integer: Number.isInteger(value),
    float: Number.isFinite(value),
  }[type]
  const isListed = values === undefined || values.includes(value as string | number)
  return (
    isOfType &&
    isListed &&
    (typeof value !== 'number' || (value >= (least ?? -Infinity) && value <= (most ?? Infinity)))
  )
}

describe.each(places.map((it) => [it.name, it] as const))('at %s, without a network', (name, { facts }) => {
  const fields = answers.get(name)!
  const ofStatus = <S extends FieldResult['status']>(status: S) =>
    fields.filter((it): it is [string, Extract<FieldResult, { status: S }>] => it[1].status === status)

  test('every field is answered, at least 50 of them with a value', () => {
    expect(fields.map(([field]) => field)).toEqual([...catalog.fields.keys()])
    expect(ofStatus('ok').length).toBeGreaterThanOrEqual(50)
  })

  test('well-known facts are right', () => {
    expect(
      Object.fromEntries(fields.filter(([field]) => field in facts).map(([field, { value }]) => [field, value])),
    ).toEqual(facts)
  })

  test('every value has the type, enum and range of its field', () => {
    expect(ofStatus('ok').filter(([field, { value }]) => !isPromised(value, catalog.fields.get(field)!))).toEqual([])
  })

  test('every value names its source with a link, and its edition unless it is computed', () => {
    const unsaid = ofStatus('ok').filter(
      ([field, { source, source_url, dataset_vintage, driver, unit, ttl_seconds }]) =>
        source === '' ||
        !URL.canParse(source_url) ||
        (driver !== 'computed' && (driver !== 'embedded' || !dataset_vintage)) ||
        unit !== catalog.fields.get(field)!.unit ||
        ttl_seconds !== catalog.fields.get(field)!.ttl_seconds,
    )
    expect(unsaid).toEqual([])
  })

  test('fields fail only because data is missing, and not retryably', () => {
    const codes = new Set(ofStatus('failed').map(([, { error }]) => error.slice(0, error.indexOf(':'))))
    expect([...codes]).toEqual(['offline_no_data'])
    expect(
      ofStatus('failed').filter(([, { retryable, value, driver }]) => retryable || value !== null || driver !== null),
    ).toEqual([])
  })

  test('every error names a dataset that the field needs, and what to do', () => {
    const vague = ofStatus('failed').filter(([field, { error }]) => {
      const dataset =
        [...error.matchAll(/\((\w+)\)/g)].map((match) => match[1]!).find((it) => catalog.datasets.has(it)) ?? ''
      const { serve } = catalog.datasets.get(dataset) ?? { serve: [] }
      const files = serve.flatMap((serving) => (serving.driver === 'pack' ? [serving.file] : []))
      const hosts = serve.flatMap((serving) => ('endpoint' in serving ? [new URL(serving.endpoint).host] : []))
      const isSaid =
        new RegExp(`pack fetch ${dataset}\\b`).test(error) ||
        files.some((file) => error.includes(`put ${file} into the packs folder`)) ||
        (error.includes('is answered only by ') && hosts.every((host) => error.includes(host)))
      return !datasetsOf(field, service).has(dataset) || !isSaid
    })
    expect(vague).toEqual([])
  })

  test('every absent field is nullable and has a reason', () => {
    const reasons = ['outside_coverage', 'not_mapped', 'no_data', 'none_within_radius']
    expect(
      ofStatus('absent').filter(
        ([field, { value, absent_reason }]) =>
          value !== null || !reasons.includes(absent_reason) || catalog.fields.get(field)!.null_meaning === null,
      ),
    ).toEqual([])
  })

  test('the preset place_context is complete: each field has a value or a reason', () => {
    const members = new Set(catalog.presets.get('place_context')!.fields)
    const context = fields.filter(([field]) => members.has(field))
    expect(context).toHaveLength(members.size)
    expect(context.filter(([, { status }]) => status === 'failed')).toEqual([])
    expect(context.filter(([, { status }]) => status === 'ok').length).toBeGreaterThanOrEqual(members.size - 3)
  })
})

test('the guide says how many fields have a value with the embedded data alone', async () => {
  const counts = [...answers.values()].map((fields) => fields.filter(([, { status }]) => status === 'ok').length)
  const guide = await Bun.file(join(import.meta.dir, '../../src/web/guide/packs-and-offline.md')).text()
  expect(guide).toContain(
    `With the embedded data alone, ${Math.min(...counts)} to ${Math.max(...counts)} fields are \`ok\` at each of these places: Denver, Miami Beach, Anchorage, Honolulu and San Juan.`,
  )
})

test('in Denver, only the tide stations of place_context are absent, because none is near', () => {
  const members = catalog.presets.get('place_context')!.fields
  const absent = answers
    .get('Denver')!
    .filter(([field, { status }]) => members.includes(field) && status === 'absent')
    .map(([field, it]) => [field, it.status === 'absent' && it.absent_reason])
  expect(absent).toEqual([
    ['nearest_tide_prediction_station_name', 'none_within_radius'],
    ['nearest_tide_prediction_station_distance_m', 'none_within_radius'],
    ['tidal_great_diurnal_range_m', 'none_within_radius'],
  ])
})

test('no internal error occurred', () => expect(service.logged).toEqual([]))
