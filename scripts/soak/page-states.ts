import type { Page } from 'playwright-core'
import type { Site } from '../../test/web/site.ts'
import { signIn } from '../../test/web/visit.ts'

/** A page in one state. `reach` starts on any page of the site, and ends when the state is shown. */
export type PageState = { name: string; reach: (page: Page, site: Site) => Promise<unknown> }

const denver = '/?at=39.7392,-104.9903'
const boulder = 'at=40.015,-105.2705'
const both = `${denver}&vs=25.7907,-80.13&preset=flood_risk`
const polygon = 'polygon:39.9,-105.2;39.9,-104.8;40.05,-104.8;40.05,-105.2'
const line = 'line:39.9,-105.2;40.05,-104.8'
const question = '/ask?q=What+county+is+this+in+and+how+far+is+the+coast%3F&at=25.7907,-80.13&name=Miami+Beach'
const placesCsv =
  'name,city,lat,lng\nCivic Center,"Denver, CO",39.7392,-104.9903\nNowhere,nowhere,north,-80\nPike Place,Seattle,47.6097,-122.3425\n'

/** Opens a path, and waits for an element of the state. */
function shows(name: string, path: string, selector: string): PageState {
  return { name, reach: (page) => open(page, path, selector) }
}

async function open(page: Page, path: string, selector: string): Promise<void> {
  await page.goto(path)
  await page.locator(selector).first().waitFor()
}

async function openResults(page: Page, path: string): Promise<void> {
  await open(page, path, '.results[aria-busy=false] .fact')
  await page.locator('.map__regions').waitFor()
}

async function chooseFile(page: Page): Promise<void> {
  await open(page, '/runs', '.runs-drop')
  const file = { name: 'sites.csv', mimeType: 'text/csv', buffer: Buffer.from(placesCsv) }
  await page.setInputFiles('input[type=file]', file)
  await page.locator('.runs-estimate').waitFor()
}

async function openRun(page: Page, { address }: Site): Promise<void> {
  const response = await fetch(`${address}/v1/runs?kind=fetch_batch&fields=county,elevation,timezone`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: placesCsv,
  })
  const { run_id } = (await response.json()) as { run_id: string }
  await open(page, `/runs/${run_id}`, '.runs-table')
  await page.locator('.map__regions').waitFor()
}

/** The states that need no account, on a server with sources and without authentication. */
export const openPageStates: PageState[] = [
  shows('explore-start', '/', '.map__regions'),
  {
    name: 'explore-place',
    async reach(page) {
      await openResults(page, denver)
      await page.locator('.fact summary', { hasText: 'County' }).first().click()
      await page.locator('.map-legend').waitFor()
    },
  },
  { name: 'explore-two-places', reach: (page) => openResults(page, both) },
  {
    name: 'explore-fields',
    async reach(page) {
      await openResults(page, denver)
      await page.locator('.chip', { hasText: 'Choose fields' }).click()
      await page.locator('dialog').waitFor()
    },
  },
  {
    name: 'explore-layers',
    async reach(page) {
      await openResults(page, `${denver}&layers=census_counties`)
      await page.locator('.map-layers summary').click()
    },
  },
  {
    name: 'explore-search',
    async reach(page) {
      await open(page, '/', '.map__regions')
      await page.fill('.search__input', 'portland')
      await page.locator('[role=option]').first().waitFor()
    },
  },
  {
    name: 'explore-charts',
    async reach(page) {
      await openResults(page, `${denver}&preset=solar_siting`)
      await page.locator('.charts').scrollIntoViewIfNeeded()
    },
  },
  shows('explore-outside', '/?at=30,-40', '.explore__panel > .notice'),
  shows('areas-start', '/areas', '.map__regions'),
  {
    name: 'areas-polygon',
    async reach(page) {
      await open(page, `/areas?shape=${polygon}`, '.results[aria-busy=false]')
      await page.locator('.map__regions').waitFor()
      await page.locator('.area-field summary').first().click()
      await page.locator('.map-legend').waitFor()
    },
  },
  shows('areas-line', `/areas?shape=${line}`, '.results[aria-busy=false]'),
  {
    name: 'areas-drawing',
    async reach(page) {
      await open(page, '/areas?map=39.74,-104.99,12', '.map__regions')
      await page.getByRole('button', { name: 'Draw a polygon' }).click()
      for (const x of [100, 200]) await page.locator('.maplibregl-canvas').click({ position: { x, y: x } })
      await page.getByText('2 points').waitFor()
    },
  },
  shows('ask-start', '/ask', '.ask-example'),
  {
    name: 'ask-answer',
    async reach(page) {
      await open(page, question, '.ask-trace')
      await page.locator('.ask-trace summary').click()
    },
  },
  shows('runs', '/runs', '.runs-drop'),
  { name: 'runs-draft', reach: chooseFile },
  { name: 'run', reach: openRun },
  {
    name: 'run-row',
    async reach(page, site) {
      await openRun(page, site)
      await page.locator('.runs-table tr[aria-rowindex="2"] th button').click()
      await page.locator('dialog .fact').first().waitFor()
    },
  },
  shows('runs-list', '/runs', '.runs-list'),
  shows('run-unknown', '/runs/run_01ARZ3NDEKTSV4RRFFQ69G5FAV', '.empty'),
  shows('catalog', '/catalog', '.catalog-layer'),
  shows('catalog-search', '/catalog?q=flood', '.catalog-found li'),
  shows('catalog-presets', '/catalog?show=presets', '.catalog-preset'),
  shows('catalog-changes', '/catalog?show=changes', '.catalog-changes'),
  shows('catalog-field', '/catalog/plant_hardiness_zone', '.catalog-ways'),
  shows('catalog-unknown-field', '/catalog/nothing', '.empty h2'),
  shows('sources', '/sources', '.sources-table'),
  {
    name: 'sources-off',
    async reach(page) {
      await open(page, '/sources?state=off', '.sources-off')
      await page.locator('.sources-off tbody .plain-button').first().click()
      await page.locator('dialog').waitFor()
    },
  },
  shows('report', `/report?${boulder}&preset=flood_insurance`, 'h2'),
  shows('report-charts', `/report?at=39.7392,-104.9903&preset=solar_siting#charts`, '.chart'),
  shows('report-area', `/report?shape=${polygon}&fields=county,timezone,elevation`, 'h2'),
  shows('report-two-places', `/report?${boulder}&vs=39.7392,-104.9903&fields=all`, 'h2'),
  shows('not-found', '/nothing', 'h1'),
  shows('guide', '/guide', 'h1'),
  shows('guide-operate', '/guide/operate', 'h1'),
  shows('guide-datasets', '/guide/datasets', 'h1'),
  shows('guide-search', '/guide?q=backup', 'h1'),
  shows('docs', '/v1/docs', '.opblock'),
  {
    name: 'docs-answer',
    async reach(page) {
      await open(page, '/v1/docs', '.opblock')
      await page.locator('.opblock-summary-control').first().click()
      await page.locator('.btn.execute').click()
      await page.locator('.live-responses-table').waitFor()
    },
  },
]

async function openPinned(page: Page, path: string): Promise<void> {
  await openResults(page, path)
  for (const label of ['Pin place', 'Pin fields']) {
    const button = page.getByRole('button', { name: label, exact: true, pressed: false })
    if ((await button.count()) === 0) continue
    await button.click()
    await page.getByRole('textbox', { name: 'Name' }).fill(`${label}: a name of your own`)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: label, exact: true, pressed: true }).waitFor()
  }
}

const callback = 'http://127.0.0.1:33418/callback'

async function postForm<T>(url: string, body: Record<string, string>): Promise<T> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(body) })
  return response.json() as Promise<T>
}

async function openConsent(page: Page, { address }: Site): Promise<void> {
  const client_name = 'A program with a name that is rather long, and goes on for more than one line'
  const response = await fetch(`${address}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback], client_name, token_endpoint_auth_method: 'none' }),
  })
  const { client_id } = (await response.json()) as { client_id: string }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: callback,
    scope: 'fetch lookup',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  await open(page, `/oauth/authorize?${query.toString()}`, 'form')
}

async function openDeviceCode(page: Page, { address }: Site): Promise<void> {
  const body = { client_id: 'fieldstone-cli', scope: 'fetch runs' }
  const { user_code } = await postForm<{ user_code: string }>(`${address}/oauth/device_authorization`, body)
  await open(page, '/device', '[name=user_code]')
  await page.fill('[name=user_code]', user_code)
  await page.click('button')
  await page.locator('.code').waitFor()
}

async function openSharedRun(page: Page, { address, token }: Site): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const run = await fetch(`${address}/v1/runs?kind=fetch_batch&fields=county,elevation,timezone`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv', prefer: 'wait=30' },
    body: placesCsv,
  })
  const { run_id } = (await run.json()) as { run_id: string }
  const share = await fetch(`${address}/v1/users/me/shares`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ run_id }),
  })
  const { url } = (await share.json()) as { url: string }
  await open(page, new URL(url).pathname, 'table')
}

/** The states of a server with a base map and without a network. */
export const basemapPageStates: PageState[] = [
  {
    name: 'explore-basemap',
    async reach(page) {
      await openResults(page, `${denver}&map=39.7402,-104.985,15`)
      await page.getByText('© OpenStreetMap').first().waitFor()
    },
  },
]

/** The states of a server with authentication and without a network. From `device` on, the owner is signed in. */
export const accountPageStates: PageState[] = [
  shows('visitor-explore', denver, '.notice a'),
  shows('visitor-account', '/account', '.empty a'),
  shows('sign-in', '/sign-in', '[name=name]'),
  { name: 'shared-run', reach: openSharedRun },
  shows('shared-unknown', '/shared/nothing', 'h1'),
  {
    name: 'sign-in-rejected',
    async reach(page) {
      await open(page, '/sign-in', '[name=name]')
      await page.fill('[name=name]', 'nobody')
      await page.fill('[name=password]', 'wrong')
      await page.click('button')
      await page.locator('[role=alert]').waitFor()
    },
  },
  shows('invitation-unknown', '/invitation/nothing', 'h1'),
  {
    name: 'device',
    async reach(page, site) {
      await signIn(page, site)
      await open(page, '/device', '[name=user_code]')
    },
  },
  { name: 'device-code', reach: openDeviceCode },
  { name: 'consent', reach: openConsent },
  shows('consent-invalid', '/oauth/authorize?client_id=nobody', 'h1'),
  { name: 'explore-offline', reach: (page) => openResults(page, `${denver}&preset=terrain`) },
  shows('account', '/account', '.account-list'),
  shows('account-tokens', '/account/tokens', '.account-tokens'),
  {
    name: 'account-new-token',
    async reach(page) {
      await open(page, '/account/tokens', '.account-tokens')
      await page.locator('button', { hasText: 'New token' }).click()
      await page.locator('dialog').waitFor()
    },
  },
  {
    name: 'account-links',
    async reach(page) {
      await openResults(page, denver)
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.locator('dialog pre').waitFor()
      await open(page, '/account/links', '.account-links')
    },
  },
  {
    name: 'explore-share',
    async reach(page) {
      await openResults(page, denver)
      await page.getByRole('button', { name: 'Share' }).click()
      await page.locator('dialog').waitFor()
    },
  },
  { name: 'explore-pins', reach: (page) => openPinned(page, `${denver}&fields=county,timezone`) },
  {
    name: 'explore-pinned-places',
    async reach(page) {
      await openPinned(page, `${denver}&preset=flood_risk`)
      await open(page, '/', '.map__regions')
      await page.getByRole('heading', { name: 'Pinned places' }).waitFor()
    },
  },
  shows('account-usage', '/account/usage', '.account-chart'),
  shows('account-people', '/account/people', '.account-people'),
  {
    name: 'account-invite',
    async reach(page) {
      await open(page, '/account/people', '.account-people')
      await page.locator('button', { hasText: 'Invite a person' }).click()
      await page.locator('dialog').waitFor()
    },
  },
]
