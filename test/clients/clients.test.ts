import { afterAll, describe, expect, test } from 'bun:test'
import { isRecord } from '../../src/model/record.ts'
import { openClientService } from './client-service.ts'
import { memberTypesOf, type MemberTypes } from './member-paths.ts'
import requests from './requests.json' with { type: 'json' }
import shapes from './shapes.json' with { type: 'json' }

const withTokens = await openClientService('on')
const withoutTokens = await openClientService('off')
afterAll(() => Promise.all([withTokens.close(), withoutTokens.close()]))

type Catalog = { fields: { name: string }[]; presets: Record<string, string[]> }
const { body } = await withTokens.send('GET', '/v1/meta/fields', null)
const { fields, presets } = body as Catalog
const known = new Set(fields.map(({ name }) => name))

/** What the public interface has and this service does not want, with what it answers instead. */
const unwanted: Record<string, number> = { '/v1/field-requests': 404, '/v1/field-requests/fr_x': 404 }

type Body = { fields?: string[]; preset?: string; request?: { fields?: string[] } } | null

/** The names of a request that this catalog does not have. */
function missingOf(given: Body): string[] {
  const names = [...(given?.fields ?? []), ...(given?.request?.fields ?? [])].filter((name) => !known.has(name))
  return given?.preset !== undefined && !Object.hasOwn(presets, given.preset) ? [given.preset, ...names] : names
}

describe.each([
  ['with tokens', withTokens],
  ['without authentication', withoutTokens],
])('a server %s answers the requests of clients', (_, service) => {
  test.each(requests.map((it) => [it.method, it.path, it.body as Body] as const))(
    '%s %s %j',
    async (...request) => {
      const [method, path, given] = request
      const { status, body: answer } = await service.send(method, path, given)
      const missing = missingOf(given)
      if (Object.hasOwn(unwanted, path)) expect(status).toBe(unwanted[path]!)
      else if (missing.length > 0)
        expect({ missing, answer }).toMatchObject({
          answer: { detail: { error: expect.stringMatching(/^(fields|preset)_unknown$/) } },
        })
      else expect({ status, answer: status < 300 ? 'answered' : answer }).toEqual({ status, answer: 'answered' })
    },
    120_000,
  )
})

/** Members that are null here, and why. The guide page about clients has the first. */
const differences: Record<string, string[]> = {
  '17-lookup-with-parcel': [
    // The terms of the provider forbid its outlines in answers.
    'parcel.geometry',
    'parcel.geometry_wkt',
    // The publisher's own sample, which the simulated provider answers, has none of these.
    ...['parcel_id', 'owner', 'assessed_value_usd', 'last_sale_date', 'last_sale_price_usd'].map(
      (it) => `parcel.${it}`,
    ),
  ],
  // The voltage comes with its field.
  '12-proximity-nearest-substations-straightline': known.has('nearest_substation_max_voltage_kv')
    ? []
    : ['candidates[].attributes.max_voltage_kv'],
}

describe('an answer has the members of the public interface', () => {
  test.each(shapes.map((it) => [it.name, it] as const))('%s', async (name, shape) => {
    if (missingOf(shape.body).length > 0 || isDriving(shape.body)) return
    const { status, body: answer } = await withTokens.send(shape.method, shape.path, shape.body)
    expect(isRecord(answer) && isRecord(answer.detail) ? answer.detail.error : null).toBe(shape.error)
    expect(status).toBe(shape.status)
    const found = memberTypesOf(answer)
    expect(mismatches(found, shape.members as unknown as MemberTypes, differences[name] ?? [])).toEqual([])
  })
})

/** Distances along roads are not answered. */
function isDriving(given: unknown): boolean {
  return isRecord(given) && given.mode === 'driving'
}

/** The members that are missing, and those of which no value has a type of the public interface. */
function mismatches(found: Map<string, Set<string>>, members: MemberTypes, except: string[]): string[] {
  return Object.entries(members).flatMap(([path, types]) => {
    if (except.includes(path)) return []
    const ours = found.get(path)
    if (!ours) return [`${path} is missing`]
    return types.some((type) => ours.has(type)) ? [] : [`${path} is ${[...ours].join()}, not ${types.join()}`]
  })
}
