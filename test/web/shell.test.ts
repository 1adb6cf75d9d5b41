import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasChromium, openBrowserPage, openChromium, type Chromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'

describe.skipIf(!hasChromium)('the navigation', () => {
  let browser: Chromium
  let site: Site
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([openChromium(), openSite({ FIELDSTONE_OFFLINE: '1' })])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('shows every page on a phone, and leads to the API reference', async () => {
    const { context, page, errors } = await openBrowserPage(browser, site.address, { size: 'phone' })
    for (const width of [360, 390]) {
      await page.setViewportSize({ width, height: 740 })
      await page.goto('/catalog')
      const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
      await links.last().waitFor()
      const boxes = await Promise.all((await links.all()).map((link) => link.boundingBox()))
      expect(boxes.length).toBeGreaterThan(5)
      for (const box of boxes) {
        expect(box!.x).toBeGreaterThanOrEqual(0)
        expect(box!.x + box!.width).toBeLessThanOrEqual(width)
      }
    }
    await page.getByRole('link', { name: 'API', exact: true }).click()
    await page.waitForURL('**/v1/docs')
    expect(errors).toEqual([])
    await context.close()
  })
})
