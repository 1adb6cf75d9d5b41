import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasChromium, openChromium, type Chromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { windowOptions, expectAccessible, visitWithoutMap as visit } from './visit.ts'

describe.skipIf(!hasChromium)('the API documentation page', () => {
  let browser: Chromium
  let site: Site
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([openChromium(), openSite({ FIELDSTONE_OFFLINE: '1' })])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('an operation can be opened by keyboard and tried out, and is in the URL', () =>
    visit(browser, site, '/v1/docs', async (page) => {
      await page.locator('#operations-Fields-post_fetch .opblock-summary-control').first().focus()
      await page.keyboard.press('Enter')
      await page.locator('.btn.execute').click()
      await page.locator('.live-responses-table', { hasText: 'Denver County' }).waitFor()
      expect(new URL(page.url()).hash).toBe('#/Fields/post_fetch')
    }))

  test.each(windowOptions)(
    'axe finds no fault at $size size, $scheme, closed, opened and answered, and nothing is wider than the window',
    (options) =>
      visit(
        browser,
        site,
        '/v1/docs',
        async (page) => {
          await page.locator('.opblock').first().waitFor()
          await expectAccessible(page)
          await page.locator('.opblock-summary-control').first().click()
          await page.locator('.btn.execute').click()
          await page.locator('.live-responses-table').waitFor()
          await expectAccessible(page)
        },
        options,
      ),
  )
})
