import { afterAll, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(() => service.close())

type Node = { '@id': string; '@type': string | string[] } & Record<string, unknown>
const response = await service.ask('/catalog.jsonld', { headers: { authorization: null } })
const document = (await response.json()) as { '@context': Record<string, unknown>; '@graph': Node[] }
const nodes = document['@graph']
const ofType = (type: string) => nodes.filter((node) => [node['@type']].flat().includes(type))

/** The references in a value to other nodes. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (typeof value !== 'object' || value === null) return []
  const { '@id': id, ...members } = value as { '@id'?: string }
  return id !== undefined && Object.keys(members).length === 0 ? [id] : Object.values(members).flatMap(referencesIn)
}

test('The catalog is JSON-LD for everybody, with an ETag', async () => {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/ld+json'])
  expect(document['@context']['@vocab']).toBe('https://schema.org/')
  const again = await service.ask('/catalog.jsonld', { headers: { 'if-none-match': response.headers.get('etag') } })
  expect(again.status).toBe(304)
})

test('It has every field once, and the dataset that each is read from', () => {
  const { catalog } = service.testService.app
  const names = (type: string, member: string) => ofType(type).map((node) => node[member])
  expect(names('PropertyValue', 'propertyID')).toEqual([...catalog.fields.keys()])
  const used = new Set([...catalog.fields.values()].map(({ read }) => read.dataset))
  expect(new Set(names('Dataset', 'identifier'))).toEqual(used)
  const variables = ofType('Dataset').flatMap(({ variableMeasured }) => referencesIn(variableMeasured))
  expect(variables.toSorted((a, b) => a.localeCompare(b))).toEqual(
    ofType('PropertyValue')
      .map((node) => node['@id'])
      .toSorted((a, b) => a.localeCompare(b)),
  )
})

test('Every reference leads to a node, and every node has its own id', () => {
  const ids = new Set(nodes.map((node) => node['@id']))
  expect(ids.size).toBe(nodes.length)
  expect(nodes.flatMap((node) => Object.values(node).flatMap(referencesIn)).filter((id) => !ids.has(id))).toEqual([])
})

test('A field has its unit, its limits and its page; a dataset has its publisher and license', () => {
  expect(ofType('PropertyValue').find(({ propertyID }) => propertyID === 'elevation')).toMatchObject({
    '@id': expect.stringMatching(/\/catalog\.jsonld#elevation$/),
    unitText: 'm',
    unitCode: 'm',
    url: expect.stringMatching(/\/catalog\/elevation$/),
  })
  expect(ofType('Dataset').find(({ identifier }) => identifier === 'census_counties')).toMatchObject({
    '@type': ['Dataset', 'dcat:Dataset'],
    publisher: { '@type': 'Organization', name: 'US Census Bureau' },
    usageInfo: { name: expect.any(String) },
  })
})

test('The pages link to it', async () => {
  const link = '<link rel="alternate" type="application/ld+json" href="/catalog.jsonld"'
  for (const path of ['/', '/sign-in'])
    expect(await (await service.testService.send(path, { headers: { accept: 'text/html' } })).text()).toContain(link)
})
