import { afterAll, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService({ FIELDSTONE_AUTH: 'on' })
afterAll(() => service.close())

type Created = { id: string; kind: string; title: string; url: string; run_id: string | null; expires_at: string }
const path = '/v1/users/me/shares'
const report = 'at=39.7392,-104.9903&preset=place_context'

/** Reads a page as a browser without an account does. */
function visit(page: string): Promise<Response> {
  return service.testService.send(page, { headers: { authorization: '', accept: 'text/html' } })
}

async function createShare(body: object): Promise<Created & { page: string }> {
  const response = await service.post(path, body)
  expect(response.status).toBe(201)
  const share = (await response.json()) as Created
  return { ...share, page: new URL(share.url).pathname }
}

async function finishedRun(): Promise<string> {
  const locations = [
    { lat: 39.7392, lng: -104.9903 },
    { lat: 95, lng: 0 },
  ]
  const response = await service.post(
    '/v1/runs',
    { kind: 'fetch_batch', request: { locations, fields: ['county', 'elevation'] } },
    { prefer: 'wait=30' },
  )
  return ((await response.json()) as { run_id: string }).run_id
}

async function errorOf(response: Response): Promise<string> {
  return ((await response.json()) as { detail: { error: string } }).detail.error
}

test('A link shows a report without an account, unchanged, and leads nowhere else', async () => {
  const share = await createShare({ report })
  expect([share.kind, share.title, share.run_id]).toEqual(['report', 'Denver County, CO', null])
  const response = await visit(share.page)
  const document = await response.text()
  expect(response.status).toBe(200)
  expect(document).toContain('Denver County')
  expect(response.headers.get('content-security-policy')).toStartWith("default-src 'none'; style-src 'sha256-")
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow')
  expect(await (await visit(share.page)).text()).toBe(document)
  expect((await visit(`${share.page}/csv`)).status).toBe(404)
  expect((await visit('/v1/runs')).status).toBe(401)
})

test('A link shows the rows of a run and its files without an account', async () => {
  const run_id = await finishedRun()
  const share = await createShare({ run_id, expires_in_days: 365 })
  const run = (await (await service.ask(`/v1/runs/${run_id}?view=summary`)).json()) as { expires_at: string }
  // The link of a run ends with the run.
  expect(share.expires_at).toBe(run.expires_at)
  const page = await (await visit(share.page)).text()
  expect(page).toContain('<th scope="col">County</th>')
  expect(page).toContain('<td>Denver County</td>')
  expect(page).toContain('<td colspan="2">')
  const own = await (await service.ask(`/v1/runs/${run_id}/artifacts/csv`)).text()
  expect(await (await visit(`${share.page}/csv`)).text()).toBe(own)
  expect((await visit(`${share.page}/geojson`)).headers.get('content-type')).toBe('application/geo+json')
})

test('A revoked link, a link of another form and an unknown link give the same page', async () => {
  const share = await createShare({ report })
  const unknown = await visit(`/shared/${'A'.repeat(32)}`)
  expect(unknown.status).toBe(404)
  const listed = (await (await service.ask(path)).json()) as { items: Created[] }
  expect(listed.items[0]!.id).toBe(share.id)
  expect(JSON.stringify(listed)).not.toContain(share.page.slice(8))
  expect((await service.ask(`${path}/${share.id}`, { method: 'DELETE' })).status).toBe(204)
  expect(await errorOf(await service.ask(`${path}/${share.id}`, { method: 'DELETE' }))).toBe('share_not_found')
  const revoked = await visit(share.page)
  expect([revoked.status, await revoked.text()]).toEqual([404, await unknown.text()])
  expect((await visit('/shared/x')).status).toBe(404)
})

test.each([
  [{}, 422],
  [{ run_id: 'run_x', report }, 422],
  [{ run_id: 'run_01ARZ3NDEKTSV4RRFFQ69G5FAV' }, 404],
  [{ report: 'preset=place_context' }, 422],
  [{ report: 'at=39.7,-105&preset=nothing' }, 400],
  [{ report, expires_in_days: 0 }, 422],
  [{ report, expires_in_days: 366 }, 422],
])('%j is rejected with %d', async (body, status) => expect((await service.post(path, body)).status).toBe(status))

test.each([
  ['DELETE', `${path}/a%00b`, 404],
  ['DELETE', '/v1/users/me/pins/%00', 404],
  ['DELETE', '/v1/users/%00', 404],
  ['GET', '/oauth/authorize?client_id=%00&response_type=code', 400],
])('The character NUL in %s %s names nothing', async (method, url, status) => {
  expect((await service.testService.send(url, { method })).status).toBe(status)
})

test('A report with the character NUL in its name is rejected', async () => {
  expect((await service.post(path, { report: `${report}&name=a%00b` })).status).toBe(422)
})

test('A link needs the scope of its content, and ends with the token that made it', async () => {
  const tokenWith = async (scopes: string[]) => {
    const response = await service.post('/v1/users/me/tokens', { name: scopes.join(' '), scopes })
    return (await response.json()) as { id: string; token: string }
  }
  const runs = await tokenWith(['runs'])
  expect(await errorOf(await service.post(path, { report }, { authorization: `Bearer ${runs.token}` }))).toBe(
    'insufficient_scope',
  )
  expect(await errorOf(await service.ask(path, { headers: { authorization: `Bearer ${runs.token}` } }))).toBe(
    'insufficient_scope',
  )
  const fetching = await tokenWith(['fetch'])
  const response = await service.post(path, { report }, { authorization: `Bearer ${fetching.token}` })
  const { url } = (await response.json()) as Created
  const page = new URL(url).pathname
  expect((await visit(page)).status).toBe(200)
  await service.ask(`/v1/users/me/tokens/${fetching.id}`, { method: 'DELETE' })
  expect((await visit(page)).status).toBe(404)
})
