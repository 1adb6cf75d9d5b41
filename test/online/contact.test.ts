import { afterAll, expect, test } from 'bun:test'
import { openOnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchOnlineFields } from './fetch-fields.ts'

const contact = 'gis@city.example'
const service = openOnlineService({ FIELDSTONE_CONTACT: contact })
const bare = openOnlineService()
afterAll(async () => {
  await service.close()
  await bare.close()
})

const fields = ['listed_species_count', 'fema_flood_zone']

test('the operator is named in the User-Agent of every request, and in From where the publisher asks for it', async () => {
  await fetchOnlineFields(service, testPlaces.boulder, fields)
  const { calls } = service.upstreams
  expect(calls.length).toBeGreaterThan(1)
  expect(calls.filter(({ user_agent }) => !user_agent?.includes(contact))).toEqual([])
  expect([...new Set(calls.flatMap(({ host, from }) => (from === null ? [] : [`${host} ${from}`])))]).toEqual([
    `ipac.ecosphere.fws.gov ${contact}`,
  ])
})

test('without a contact, no publisher gets one', async () => {
  await fetchOnlineFields(bare, testPlaces.boulder, fields)
  const { calls } = bare.upstreams
  expect(calls.filter(({ user_agent, from }) => user_agent?.includes('@') || from !== null)).toEqual([])
})
