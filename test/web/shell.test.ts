import { describe, expect, test } from 'bun:test'
import { hasChromium, openBrowserPage } from './chromium.ts'
import { siteInBrowser } from './visit.ts'

describe.skipIf(!hasChromium)('the navigation', () => {
  const { browser, site } = siteInBrowser({ FIELDSTONE_OFFLINE: '1' })

  test('shows every page on a phone and a tablet, and leads to the API reference', async () => {
    const { context, page, errors } = await openBrowserPage(browser, site.address, { size: 'phone' })
    for (const width of [360, 390, 768]) {
      await page.setViewportSize({ width, height: 740 })
      await page.goto('/catalog')
      const bar = page.getByRole('navigation', { name: 'Pages' })
      const links = bar.getByRole('link')
      await links.last().waitFor()
      expect(await bar.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThanOrEqual(0)
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
