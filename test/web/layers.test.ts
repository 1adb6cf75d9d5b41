import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mapViewText, parseMapView } from '../../src/web/map/map-view.ts'
import { hasChromium, openChromium, type Chromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { expectAccessible, visit, windowOptions } from './visit.ts'

/** The center of the map is a place of the layer. */
const denver = '/?at=39.73915,-104.9847'
const panel = '.map-layers'

test.each([
  [null],
  [''],
  ['39.7,-104.9'],
  ['39.7,-104.9,x'],
  ['95,-104.9,5'],
  ['39.7,-190,5'],
  ['39.7,-104.9,30'],
  ['39.7,,5'],
  ['1,2,3,4'],
])('%p is no view of a map', (text) => {
  expect(parseMapView(text)).toBeNull()
})

test('A view is parsed as it was written, with a longitude between -180 and 180', () => {
  expect(parseMapView(mapViewText({ center: { lat: 39.73921, lng: -104.99 }, zoom: 8.46 }))).toEqual({
    center: { lat: 39.7392, lng: -104.99 },
    zoom: 8.5,
  })
  expect(mapViewText({ center: { lat: 1, lng: 190.5 }, zoom: 3 })).toBe('1,-169.5,3')
})

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

  test('the view of the map is in the URL, and a link opens it', () =>
    visit(browser, site, denver, async (page) => {
      const zoomIn = async () => {
        await page.getByRole('button', { name: 'Zoom in' }).focus()
        await page.keyboard.press('Enter')
      }
      const viewAt = async (zoom: number) => {
        await page.waitForURL((url) => parseMapView(url.searchParams.get('map'))?.zoom === zoom)
        return parseMapView(new URL(page.url()).searchParams.get('map'))!
      }
      await page.locator('.map__regions').waitFor()
      await zoomIn()
      const { center } = await viewAt(9.5)
      expect([center.lat, center.lng].map((it) => it.toFixed(2))).toEqual(['39.74', '-104.98'])
      await page.reload()
      await page.locator('.map__regions').waitFor()
      await zoomIn()
      expect((await viewAt(10.5)).center).toEqual(center)
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
