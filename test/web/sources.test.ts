import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { CoverageDocument, SourcesDocument } from '../../src/catalog/meta-documents.ts'
import { hasChromium } from './chromium.ts'
import { windowOptions, expectAccessible, siteInBrowser, useSite, visitor } from './visit.ts'

describe.skipIf(!hasChromium)('the sources', () => {
  const { browser, site, visit } = siteInBrowser()
  const offline = useSite({ FIELDSTONE_OFFLINE: '1' })
  const visitOffline = visitor(browser, offline)
  const signedOut = useSite({ FIELDSTONE_AUTH: 'on' })
  const visitSignedOut = visitor(browser, signedOut)
  const readSources = async () => (await (await fetch(`${site.address}/v1/meta/sources`)).json()) as SourcesDocument
  const titles = (page: Page) => page.locator('.sources-table tbody .plain-button').allTextContents()

  test('are all listed, with a summary', () =>
    visit('/sources', async (page) => {
      await page.locator('.sources-table').waitFor()
      const { sources } = await readSources()
      expect((await titles(page)).toSorted()).toEqual(sources.map(({ title }) => title).toSorted())
      expect(await page.locator('.page-head__about').textContent()).toMatch(
        new RegExp(
          `^${sources.length} datasets: \\d+ ready, \\d+ not used yet, 0 failing, ${sources.filter(({ unavailable_reason }) => unavailable_reason !== null).length} not available\\.$`,
        ),
      )
    }))

  test('that are off are grouped by their missing setting', () =>
    visit('/sources?state=off', async (page) => {
      await page.locator('.sources-off').first().waitFor()
      const off = (await readSources()).sources.filter(({ unavailable_reason }) => unavailable_reason !== null)
      const settings = new Set(off.map(({ missing }) => missing!.setting))
      expect(settings).toEqual(new Set([null, 'FIELDSTONE_OVERPASS']))
      expect((await page.locator('.sources-off h2').allTextContents()).toSorted()).toEqual([
        `Available only as packs ${off.filter(({ missing }) => missing!.setting === null).length}`,
        `FIELDSTONE_OVERPASS is not set ${off.filter(({ missing }) => missing!.setting === 'FIELDSTONE_OVERPASS').length}`,
      ])
      expect((await page.locator('.sources-off tbody .plain-button').allTextContents()).toSorted()).toEqual(
        off.map(({ title }) => title).toSorted(),
      )
      const row = page.locator('.sources-off tr', { hasText: 'Plant Hardiness' }).first()
      const pack = (await row.locator('code').first().textContent())!
      expect(pack).toEndWith('.gpkg')
      await row.locator('button').click()
      await page.locator('dialog .notice--warn', { hasText: 'fieldstone pack fetch usda_phzm' }).waitFor()
    }))

  test('without a network, one heading says so, and each dataset has its host and its pack', () =>
    visitOffline('/sources?state=off', async (page) => {
      await page.locator('.sources-off').first().waitFor()
      expect(await page.locator('.sources-off h2', { hasText: 'Network access is off' }).count()).toBe(1)
      expect(await page.locator('.sources-off a', { hasText: 'Coverage page' }).count()).toBeGreaterThan(0)
      const row = page.locator('.sources-off tr', { hasText: 'flood hazard zones' })
      expect(await row.locator('td').allTextContents()).toEqual([
        'FEMA',
        'hazards.fema.gov',
        expect.stringMatching(/\.gpkg$/),
      ])
    }))

  test('can be sorted by a column in both directions, and searched', () =>
    visit('/sources', async (page) => {
      const head = page.locator('.sources-table thead button', { hasText: 'Dataset' })
      await head.click()
      const up = await titles(page)
      expect(up).toEqual(
        up.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : 0)),
      )
      await head.click()
      expect(await page.locator('th[aria-sort=descending]').textContent()).toBe('Dataset')
      expect((await titles(page))[0]).toBe(up.at(-1))
      await page.fill('input[type=search]', 'wetlands inventory')
      await page.locator('.sources-table tbody tr').first().waitFor()
      expect((await titles(page)).every((it) => /wetlands inventory/i.test(it))).toBe(true)
      await page.fill('input[type=search]', 'no such thing')
      await page.locator('.notice', { hasText: 'No datasets match' }).waitFor()
    }))

  test('a dataset shows its license, source options and fields, which link to the catalog', () =>
    visit('/sources?q=plant hardiness', async (page) => {
      await page.locator('.sources-table tbody .plain-button').first().click()
      const dialog = page.locator('dialog')
      for (const words of [
        'fieldstone pack fetch usda_phzm',
        'License',
        'Free with attribution',
        'pack, not available',
      ])
        await dialog.getByText(words, { exact: false }).first().waitFor()
      await dialog.locator('.chip', { hasText: 'plant_hardiness_zone' }).click()
      await page.locator('h1', { hasText: 'Plant hardiness zone' }).waitFor()
    }))

  test('have a map of the counties, shaded by what local data answers, and a table with the same numbers', () =>
    visit('/coverage', async (page) => {
      const document = (await (await fetch(`${site.address}/v1/meta/coverage`)).json()) as CoverageDocument
      const fieldsIn = (fips: string) => document.groups.find(({ counties }) => counties.includes(fips))!.fields
      await page.locator('.coverage-map path').first().waitFor()
      expect(await page.locator('.coverage-map path[data-fips="08013"] title').textContent()).toBe(
        `Boulder County, CO: ${fieldsIn('08013')} of ${document.fields} fields`,
      )
      await page.getByLabel('County', { exact: true }).fill('boulder county, co')
      await page.locator('.coverage [role=status]', { hasText: `${fieldsIn('08013')} of ${document.fields}` }).waitFor()
      expect(page.url()).toContain('county=08013')
      expect(await page.locator('.coverage-selected').count()).toBe(1)
      await page.locator('.coverage-map path[data-fips="08123"]').click()
      await page.locator('.coverage [role=status]', { hasText: 'Weld County, CO' }).waitFor()
      expect(await page.getByLabel('County', { exact: true }).inputValue()).toBe('Weld County, CO')
      const rows = await page.locator('.coverage tbody th').allTextContents()
      const table = (await page.textContent('.coverage table')) ?? ''
      expect([table.includes('Place context'), table.includes('place_context')]).toEqual([true, false])
      expect(rows.map(Number)).toEqual(document.groups.map(({ fields }) => fields))
    }))

  test('that a county lacks are planned, fetched and shown as done', () =>
    visit('/coverage?county=08013', async (page) => {
      const card = page.locator('section', { has: page.locator('#missing-title') })
      await card.getByRole('combobox', { name: 'Preset' }).selectOption('flood_risk')
      await card.getByText('fieldstone pack fetch --preset flood_risk --area "Boulder County, CO"').waitFor()
      await card.getByRole('button', { name: 'Show the plan' }).click()
      await card
        .locator('[role=status]', { hasText: /^Plan for Boulder County, CO: about [\d.]+ MB, \d+ (?:s|min)/ })
        .waitFor()
      expect(await card.locator('td[title*="wetland_type"]').count()).toBe(1)
      // Under the fixed head of the page, an input would count as too small.
      await page.evaluate('window.scrollTo(0, 0)')
      await expectAccessible(page)
      await card.getByLabel('Copy only from').fill('22:00')
      await card.getByRole('button', { name: 'Start' }).click()
      await card.getByText('Use two times of the day, such as 22:00-06:00.', { exact: false }).waitFor()
      const hour = new Date().getHours()
      const timeIn = (hours: number) => `${String((hour + hours) % 24).padStart(2, '0')}:00`
      await card.getByLabel('Copy only from').fill(timeIn(2))
      await card.getByLabel('to', { exact: true }).fill(timeIn(3))
      await card.getByRole('button', { name: 'Start' }).click()
      await card
        .locator('[role=status]', { hasText: `Fetching only in the hours ${timeIn(2)}-${timeIn(3)}: ` })
        .waitFor()
      await card
        .getByText(`Paused until ${timeIn(2)}`, { exact: false })
        .first()
        .waitFor()
      await card.getByRole('button', { name: 'Cancel' }).click()
      await card.locator('[role=status]', { hasText: 'Cancelled: Flood risk in ' }).waitFor()
      await card.getByLabel('Copy only from').fill('')
      await card.getByLabel('to', { exact: true }).fill('')
      await card.getByRole('button', { name: 'Start' }).click()
      await card.getByRole('button', { name: 'Cancel' }).waitFor()
      await card.locator('.status', { hasText: 'done' }).first().waitFor()
      await card.getByRole('button', { name: 'Cancel' }).click()
      await card.locator('[role=status]', { hasText: 'Cancelled: Flood risk in ' }).waitFor()
      await page.evaluate('window.scrollTo(0, 0)')
      await expectAccessible(page)
    }))

  test('that a county lacks are named with a command for a user who is no administrator', () =>
    visitSignedOut('/coverage?county=08013', async (page) => {
      const card = page.locator('section', { has: page.locator('#missing-title') })
      await card.getByText('An administrator can also start this here.').waitFor()
      expect(await card.getByRole('button', { name: 'Start' }).count()).toBe(0)
    }))

  test('a source that has just answered is ready after a refresh', () =>
    visit('/sources', async (page) => {
      const row = page.locator('.sources-table tbody tr', {
        hasText: '3D Elevation Program: catalog of the elevation service',
      })
      await row.waitFor()
      await fetch(`${site.address}/v1/fetch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ lat: 40.015, lng: -105.2705, fields: ['elevation_source_resolution_m'] }),
      })
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      await row.locator('.status--ok').waitFor()
      expect(await row.locator('td.number').textContent()).toMatch(/^[\d,]+ ms$/)
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    (options) =>
      visit('/sources?sort=publisher', options, async (page) => {
        await page.locator('.sources-table').waitFor()
        await expectAccessible(page)
        await page.locator('.chip', { hasText: /^Not available/ }).click()
        await page.locator('.sources-off').first().waitFor()
        await expectAccessible(page)
        await page.locator('.sources-off tbody .plain-button').first().click()
        await page.locator('dialog').waitFor()
        await expectAccessible(page)
      }),
  )
})
