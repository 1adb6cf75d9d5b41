import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { hasChromium, openChromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { looks, mustBeSound, visit } from './visit.ts'

type Sources = { sources: { dataset: string; title: string; lack: string | null }[] }

describe.skipIf(!hasChromium)('the sources', () => {
  let browser: Browser
  let site: Site
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([openChromium(), openSite()])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })
  const said = async () => (await (await fetch(`${site.address}/v1/meta/sources`)).json()) as Sources
  const titles = (page: Page) => page.locator('.sources-table tbody .plain-button').allTextContents()

  test('are all there, summed up in a sentence', () => visit(browser, site, '/sources', async (page) => {
    await page.locator('.sources-table').waitFor()
    const { sources } = await said()
    expect((await titles(page)).toSorted()).toEqual(sources.map(({ title }) => title).toSorted())
    expect(await page.locator('.page-head__about').textContent()).toMatch(new RegExp(`^${sources.length} datasets: \\d+ ready, \\d+ not asked yet, 0 degraded, ${sources.filter(({ lack }) => lack !== null).length} off\\.$`))
  }))

  test('that are off say what would make them answer', () => visit(browser, site, '/sources?state=off', async (page) => {
    await page.locator('.sources-table').waitFor()
    const off = (await said()).sources.filter(({ lack }) => lack !== null)
    expect(off.length).toBeGreaterThan(5)
    expect((await page.locator('.sources-lack').allTextContents()).toSorted()).toEqual(off.map(({ lack }) => lack!).toSorted())
  }))

  test('are sorted by a column and back, and found by a word', () => visit(browser, site, '/sources', async (page) => {
    const head = page.locator('.sources-table thead button', { hasText: 'Dataset' })
    await head.click()
    const up = await titles(page)
    expect(up).toEqual(up.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : 0)))
    await head.click()
    expect(await page.locator('th[aria-sort=descending]').textContent()).toBe('Dataset')
    expect((await titles(page))[0]).toBe(up.at(-1))
    await page.fill('input[type=search]', 'wetlands inventory')
    await page.locator('.sources-table tbody tr').first().waitFor()
    expect((await titles(page)).every((it) => /wetlands inventory/i.test(it))).toBe(true)
    await page.fill('input[type=search]', 'no such thing')
    await page.locator('.notice', { hasText: 'No dataset is left' }).waitFor()
  }))

  test('one is opened with its licence, its ways and its fields, which lead to the catalog', () => visit(browser, site, '/sources?q=plant hardiness', async (page) => {
    await page.locator('.sources-table tbody .plain-button').first().click()
    const dialog = page.locator('dialog')
    for (const words of ['phzm.gpkg', 'Licence', 'Free with attribution', 'pack, not at hand']) await dialog.getByText(words, { exact: false }).first().waitFor()
    await dialog.locator('.chip', { hasText: 'plant_hardiness_zone' }).click()
    await page.locator('h1', { hasText: 'Plant hardiness zone' }).waitFor()
  }))

  test('a source that has just answered is ready when the page is looked at again', () => visit(browser, site, '/sources', async (page) => {
    const row = page.locator('.sources-table tbody tr', { hasText: 'National Flood Hazard Layer, flood hazard zones' })
    await row.waitFor()
    await fetch(`${site.address}/v1/fetch`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ lat: 40.015, lng: -105.2705, fields: ['fema_flood_zone'] }) })
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await row.locator('.status--ok').waitFor()
    expect(await row.locator('td.number').textContent()).toMatch(/^[\d,]+ ms$/)
  }))

  test.each(looks)('axe finds no serious fault at $size size, $scheme, and nothing is wider than the window', (options) => visit(browser, site, '/sources?state=off&sort=publisher', async (page) => {
    await page.locator('.sources-table').waitFor()
    await mustBeSound(page)
    await page.locator('.sources-table tbody .plain-button').first().click()
    await page.locator('dialog').waitFor()
    await mustBeSound(page)
  }, options))
})
