import { afterAll, describe, expect, test } from 'bun:test'
import { openHttpService } from '../support/http-service.ts'
import { openOnlineService } from '../upstreams/online-service.ts'

const server = await openHttpService()
const online = openOnlineService()
afterAll(async () => {
  await server.close()
  await online.close()
})

const denver = '/report?at=39.7392,-104.9903'

async function reportOf(path: string): Promise<string> {
  const response = await server.ask(path)
  expect(response.status).toBe(200)
  return response.text()
}

/** The text of a document without its markup, as a reader sees it. */
function textOf(document: string): string {
  return document
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

test('A report is one document that loads nothing and has no script', async () => {
  const response = await server.ask(`${denver}&preset=place_context`)
  const document = await response.text()
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toStartWith("default-src 'none'; style-src 'sha256-")
  expect(document).not.toMatch(/<script|<link(?![^>]*href="data:)|<img|<iframe|url\(|@import|style="/)
  expect(document).toMatch(/<svg\s[^>]*role="img"\s+aria-label="Map around 39\.7392, -104\.9903"/)
})

test('The style of a report is the one that its policy allows', async () => {
  const response = await server.ask(`${denver}&preset=place_context`)
  const [, style] = /<style>(.*?)<\/style>/s.exec(await response.text())!
  const hash = new Bun.CryptoHasher('sha256').update(style!).digest('base64')
  expect(response.headers.get('content-security-policy')).toContain(`'sha256-${hash}'`)
})

test('A report has each field once: with its value and source, or with the reason why it has none', async () => {
  const text = textOf(await reportOf(`${denver}&fields=county,nearest_airport_distance_m,elevation`))
  expect(text).toContain('Denver County')
  expect(text).toContain(
    'US Census Bureau: Counties and county equivalents of TIGER/Line , boundaries of 2010 with the changes to 2023',
  )
  expect(text).toMatch(/Could not be answered Elevation: .*\(offline_no_data\)/)
  expect(text.indexOf('Key values')).toBeLessThan(text.indexOf('All values'))
  expect(text).toMatch(/Sources and licenses .*US Census Bureau: US government work, public domain\./)
})

test('The key values of a preset are its key fields, and those of named fields the first ones', async () => {
  const keyValuesOf = async (query: string) =>
    [...(await reportOf(`${denver}&${query}`)).matchAll(/<dt>([^<]*)<\/dt>/g)].map(([, title]) => title)
  expect(await keyValuesOf('preset=place_context')).toEqual([
    'County',
    'State',
    'Nearest town',
    'Nearest city of 250,000',
    'Nearest airport name',
    'Time zone',
  ])
  expect(await keyValuesOf('fields=county_fips,county')).toEqual(['County FIPS', 'County'])
})

test('A report names the command and the address that make it again', async () => {
  const path = `${denver}&vs=25.7907,-80.13&preset=place_context&units=metric&name=Bob%27s+site`
  const text = textOf(await reportOf(path))
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
  const command = 'fieldstone report --at 39.7392,-104.9903 --vs 25.7907,-80.13 --preset place_context --units metric'
  expect(text).toContain(`${command} --name 'Bob'\\''s site' --out report.html`)
  const url = /http:\/\/\S+\/report\?\S+/.exec(text)![0]
  expect(new URL(url).searchParams.get('name')).toBe("Bob's site")
})

test('A report of two places counts each field once at each place in the usage of the account', async () => {
  const fieldsUsed = async () => {
    const { items } = (await (await server.ask('/v1/users/me/usage')).json()) as {
      items: { endpoint: string; fields: number }[]
    }
    return items.find(({ endpoint }) => endpoint === '/report')?.fields ?? 0
  }
  const before = await fieldsUsed()
  await reportOf(`${denver}&vs=25.7907,-80.13&fields=county,timezone,nearest_airport_name`)
  expect((await fieldsUsed()) - before).toBe(6)
})

test('Two places stand side by side, each with its map and its reasons', async () => {
  const document = await reportOf(`${denver}&vs=25.7907,-80.13&fields=county,elevation`)
  expect(document.match(/<svg\s/g)).toHaveLength(2)
  expect(textOf(document)).toContain('Denver County, CO and Miami-Dade County, FL')
  expect(textOf(document)).toMatch(/Place A .*Place B .*Denver County Miami-Dade County/)
  expect(textOf(document)).toMatch(/Place A Could not be answered .* Place B Could not be answered/)
})

test('A shape is drawn if its outline is on the map, also if its corners are far outside', async () => {
  // The straight border of Kern County and San Bernardino County.
  const atBorder = await reportOf('/report?at=35.3,-117.66&fields=county')
  expect(textOf(atBorder)).toContain('Kern County')
  expect(textOf(atBorder)).toContain('Green: areas of the key values that contain the place.')
  expect(atBorder).toMatch(/<path class="area" d="M/)
  // The map is inside the county.
  expect(await reportOf('/report?at=34.8,-116.2&fields=county')).not.toContain('class="area" d=')
})

test('A name is text, whatever it contains', async () => {
  const document = await reportOf(`${denver}&fields=county&name=${encodeURIComponent('<b onload="x">&')}`)
  expect(document).toContain('<h1>&lt;b onload=&quot;x&quot;&gt;&amp;</h1>')
})

test('All fields of all publishers fit into one report, with the margins of error', async () => {
  const response = await online.send('/report?at=40.015,-105.2705&fields=all')
  const document = await response.text()
  const text = textOf(document)
  const free = [...online.app.catalog.fields.values()].filter(({ read }) => read.dataset !== 'regrid_parcels')
  const rows = document.match(/<th scope="row">/g)!.length
  expect(rows).toBeGreaterThan(free.length / 2)
  expect(rows).toBeLessThanOrEqual(free.length)
  expect(text).toMatch(/± [\d,.]+ \(90% confidence\)/)
  expect(online.upstreams.callsTo('app.regrid.com')).toBe(0)
})

describe('A report that cannot be made', () => {
  test.each([
    ['/report', 422, /at/],
    ['/report?at=40', 422, /Give a latitude and a longitude/],
    [`${denver}&vs=x&fields=county`, 422, /Give a latitude and a longitude/],
    [`${denver}&fields=county&units=feet`, 422, /us.* or .*metric/],
    [denver, 400, /No fields requested/],
    [`${denver}&fields=countie`, 400, /Unknown field/],
    ['/report?at=51.5,-0.1&fields=county', 400, /outside/],
  ])('%s is %d, as JSON for programs and as a page for people', async (path, status, message) => {
    const asJson = await server.ask(path)
    const asPage = await server.testService.send(path, { headers: { accept: 'text/html' } })
    expect([asJson.status, asPage.status]).toEqual([status, status])
    expect(asJson.headers.get('content-type')).toStartWith('application/json')
    expect(await asJson.text()).toMatch(message)
    expect(asPage.headers.get('content-type')).toStartWith('text/html')
    expect(await asPage.text()).toMatch(message)
  })

  test('without a token is 401 for programs; a browser is sent to sign in and back', async () => {
    const path = `${denver}&preset=flood_risk`
    expect((await server.ask(path, { headers: { authorization: null } })).status).toBe(401)
    const response = await server.testService.send(path, { headers: { authorization: '', accept: 'text/html' } })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
  })
})
