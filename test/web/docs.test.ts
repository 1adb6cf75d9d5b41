import { describe, expect, test } from 'bun:test'
import { hasChromium } from './chromium.ts'
import { windowOptions, expectAccessible, siteInBrowser } from './visit.ts'

describe.skipIf(!hasChromium)('the API documentation page', () => {
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1' })

  test('an operation can be opened by keyboard and tried out, and is in the URL', () =>
    visit('/v1/docs', async (page) => {
      await page.locator('#operations-Fields-post_fetch .opblock-summary-control').first().focus()
      await page.keyboard.press('Enter')
      await page.locator('.btn.execute').click()
      await page.locator('.live-responses-table', { hasText: 'Denver County' }).waitFor()
      expect(new URL(page.url()).hash).toBe('#/Fields/post_fetch')
    }))

  test.each(windowOptions)(
    'axe finds no fault at $size size, $scheme, closed, opened and answered, and nothing is wider than the window',
    (options) =>
      visit('/v1/docs', options, async (page) => {
        await page.locator('.opblock').first().waitFor()
        await expectAccessible(page)
        await page.locator('.opblock-summary-control').first().click()
        await page.locator('.btn.execute').click()
        await page.locator('.live-responses-table').waitFor()
        await expectAccessible(page)
      }),
  )
})
