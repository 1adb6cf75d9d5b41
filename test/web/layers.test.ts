import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasChromium, openChromium, type Chromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { expectAccessible, visit, windowOptions } from './visit.ts'

/** The center of the map is a place of the layer. */
const denver = '/?at=39.73915,-104.9847'
const panel = '.map-layers'

describe.skipIf(!hasChromium)('layers of the map', () => {
  let browser: Chromium
  let site: Site
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([openChromium(), openSite({ FIELDSTONE_OFFLINE: '1' })])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('a layer is switched on with the keyboard, is loaded as tiles, and is in the URL', () =>
    visit(browser, site, denver, async (page) => {
      await page.locator(`${panel} summary`).focus()
      await page.keyboard.press('Enter')
      const tile = page.waitForResponse((it) => /\/tiles\/geonames_places\/\d+\/\d+\/\d+\.mvt$/.test(it.url()))
      await page.getByLabel(/^Populated places of GeoNames/).focus()
      await page.keyboard.press('Space')
      expect((await tile).status()).toBe(200)
      expect(new URL(page.url()).searchParams.get('layers')).toBe('geonames_places')
      await page.reload()
      await page.locator(`${panel} summary`, { hasText: 'Layers (1)' }).waitFor()
    }))

  test('a click on a feature shows its attributes with its source', () =>
    visit(browser, site, `${denver}&layers=geonames_places`, async (page) => {
      const isLoaded = page.waitForResponse((it) => it.url().includes('/tiles/geonames_places/'))
      await page.locator(`${panel} summary`).click()
      await isLoaded
      const facts = page.locator('.map-layers__feature')
      const { x, y, width, height } = (await page.locator('.map').boundingBox())!
      // The tile is drawn some frames after it was loaded.
      while ((await facts.count()) === 0) await page.mouse.click(x + width / 2, y + height / 2)
      expect(await facts.first().textContent()).toContain('Denver')
      expect(await facts.first().textContent()).toContain('GeoNames, CC BY 4.0')
    }))

  test('the list of layers has no accessibility fault', async () => {
    for (const options of windowOptions)
      await visit(
        browser,
        site,
        denver,
        async (page) => {
          await page.locator(`${panel} summary`).click()
          await page.getByLabel(/^Populated places of GeoNames/).waitFor()
          await expectAccessible(page)
        },
        options,
      )
  })
})
