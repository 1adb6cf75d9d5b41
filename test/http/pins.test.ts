import { afterAll, expect, test } from 'bun:test'
import type { PinDocument } from '../../src/auth/account-document.ts'
import { pinsMax } from '../../src/auth/pins.ts'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService({ FIELDSTONE_AUTH: 'on' })
afterAll(() => service.close())

const path = '/v1/users/me/pins'
const place = { lat: 39.7392, lng: -104.9903 }

async function listPins(headers: Record<string, string> = {}): Promise<PinDocument[]> {
  return ((await (await service.ask(path, { headers })).json()) as { items: PinDocument[] }).items
}

async function errorOf(response: Response): Promise<string> {
  return ((await response.json()) as { detail: { error: string } }).detail.error
}

test('An account keeps places, presets and fields under a name until it removes them', async () => {
  const bodies = [
    { name: 'Denver office', place },
    { name: 'Floods', preset: 'flood_risk' },
    { name: 'Where', fields: ['county', 'state', 'county'] },
  ]
  const created: PinDocument[] = []
  for (const body of bodies) {
    const response = await service.post(path, body)
    expect(response.status).toBe(201)
    created.push((await response.json()) as PinDocument)
  }
  expect(created.map(({ name, place, preset, fields }) => ({ name, place, preset, fields }))).toEqual([
    { name: 'Denver office', place, preset: null, fields: null },
    { name: 'Floods', place: null, preset: 'flood_risk', fields: null },
    { name: 'Where', place: null, preset: null, fields: ['county', 'state'] },
  ])
  const byId = (pins: PinDocument[]) => pins.toSorted((a, b) => a.id.localeCompare(b.id))
  expect(byId(await listPins())).toEqual(byId(created))
  expect((await service.ask(`${path}/${created[0]!.id}`, { method: 'DELETE' })).status).toBe(204)
  expect(await errorOf(await service.ask(`${path}/${created[0]!.id}`, { method: 'DELETE' }))).toBe('pin_not_found')
  expect(byId(await listPins())).toEqual(byId(created.slice(1)))
})

test('Pins need the scope fetch', async () => {
  const created = await service.post('/v1/users/me/tokens', { name: 'runs only', scopes: ['runs'] })
  const { token } = (await created.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  for (const request of [
    service.ask(path, { headers }),
    service.post(path, { name: 'mine', place }, headers),
    service.ask(`${path}/pin_x`, { method: 'DELETE', headers }),
  ])
    expect(await errorOf(await request)).toBe('insufficient_scope')
})

test('The pins of an account are unknown to other accounts', async () => {
  const created = (await (await service.post(path, { name: 'mine', place })).json()) as PinDocument
  const { users, tokens } = service.testService.app.access
  const bob = (await users.acceptInvitation((await users.invite('bob', ['fetch']))!, 'a long password'))!
  const { token } = await tokens.create(bob, { name: 'a test', scopes: ['fetch'] })
  const headers = { authorization: `Bearer ${token}` }
  expect(await listPins(headers)).toEqual([])
  expect((await service.ask(`${path}/${created.id}`, { method: 'DELETE', headers })).status).toBe(404)
  expect((await listPins()).map(({ id }) => id)).toContain(created.id)
})

test.each([
  [{ name: 'nothing' }, 422],
  [{ name: 'two', place, preset: 'flood_risk' }, 422],
  [{ place }, 422],
  [{ name: ' ', place }, 422],
  [{ name: 'x'.repeat(101), place }, 422],
  [{ name: 'a\u202eb', place }, 422],
  [{ name: 'no fields', fields: [] }, 422],
  [{ name: 'half', place: { lat: 39 } }, 422],
  [{ name: 'abroad', place: { lat: 51.5, lng: 0 } }, 400],
  [{ name: 'unknown', preset: 'nothing' }, 400],
  [{ name: 'unknown', fields: ['elevaton'] }, 400],
])('%j is rejected with %d', async (body, status) => {
  const before = await listPins()
  expect((await service.post(path, body)).status).toBe(status)
  expect(await listPins()).toEqual(before)
})

test('An account has a limited number of pins', async () => {
  const used = (await listPins()).length
  for (let i = used; i < pinsMax; i++) expect((await service.post(path, { name: `${i}`, place })).status).toBe(201)
  expect(await errorOf(await service.post(path, { name: 'one more', place }))).toBe('pin_limit_reached')
})
