import { afterAll, describe, expect, test } from 'bun:test'
import { isRecord } from '../../src/model/record.ts'
import { openClientService } from './client-service.ts'
import { memberTypesOf, type MemberTypes } from './member-paths.ts'
import requests from './requests.json' with { type: 'json' }
import shapes from './shapes.json' with { type: 'json' }

const withTokens = await openClientService('on')
const withoutTokens = await openClientService('off')
afterAll(() => Promise.all([withTokens.close(), withoutTokens.close()]))

type Catalog = { presets: Record<string, string[]> }
const { presets } = (await withTokens.send('GET', '/v1/meta/fields', null)).body as Catalog

/** What the public interface has and this service does not want, with the error that it answers instead. */
const rejected: Record<string, string> = { '/v1/field-requests': 'not_found', '/v1/field-requests/fr_x': 'not_found' }

type Body = { fields?: string[]; preset?: string } | null

/** The names that an answer to a request must have as members of `fields`. */
function namesOf(path: string, given: Body): string[] {
  if (path !== '/v1/fetch') return []
  return [...new Set([...(given?.preset === undefined ? [] : presets[given.preset]!), ...(given?.fields ?? [])])]
}

const services = [
  ['with tokens', withTokens],
  ['without authentication', withoutTokens],
] as const

describe.each(services)('a server %s answers the requests of clients', (_, service) => {
  test.each(requests.map((it) => [it.method, it.path, it.body as Body] as const))(
    '%s %s %j',
    async (...request) => {
      const [method, path, given] = request
      const { status, body: answer } = await service.send(method, path, given)
      if (Object.hasOwn(rejected, path)) return expect(errorOf(answer)).toBe(rejected[path]!)
      expect({ error: errorOf(answer), isAnswered: status < 300 }).toEqual({ error: null, isAnswered: true })
      const fields = isRecord(answer) && isRecord(answer.fields) ? answer.fields : {}
      expect(namesOf(path, given).filter((name) => !Object.hasOwn(fields, name))).toEqual([])
    },
    120_000,
  )
})

/** Members that are null or missing here, by answer, with the reason. */
const differences: Record<string, Record<string, string>> = {
  '17-lookup-with-parcel': Object.fromEntries(
    ['parcel_id', 'assessed_value_usd', 'last_sale_date', 'last_sale_price_usd'].map((name) => [
      `parcel.${name}`,
      "The simulated provider answers the publisher's own sample, which has no such attribute.",
    ]),
  ),
  '19-fetch-by-address-parcel-group': { 'fields.*.notes': 'There is nothing to note.' },
}

/** Driving distances are not answered: the guide page about clients says so. */
const isDriving = (body: object) => 'mode' in body && body.mode === 'driving'

describe.each(services)('an answer of a server %s has the members of the public interface', (_, service) => {
  test.each(shapes.map((it) => [it.name, it] as const))(
    '%s',
    async (name, { method, path, body: given, ...stated }) => {
      const { status, body: answer } = await service.send(method, path, given)
      const expected = isDriving(given) ? { status: 422, error: 'mode_unsupported' } : stated
      expect({ status, error: errorOf(answer) }).toEqual({ status: expected.status, error: expected.error })
      if (expected === stated) {
        const found = memberTypesOf(answer)
        expect(mismatches(found, stated.members as unknown as MemberTypes).toSorted()).toEqual(
          Object.keys(differences[name] ?? {}).toSorted(),
        )
      }
    },
  )
})

function errorOf(answer: unknown): unknown {
  return isRecord(answer) && isRecord(answer.detail) ? answer.detail.error : null
}

/** The members that are missing, and those of which no value has a type of the public interface. */
function mismatches(found: Map<string, Set<string>>, members: MemberTypes): string[] {
  return Object.entries(members).flatMap(([path, types]) =>
    types.some((type) => found.get(path)?.has(type)) ? [] : [path],
  )
}
