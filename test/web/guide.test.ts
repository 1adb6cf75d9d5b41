import { describe, expect, test } from 'bun:test'
import { hasChromium } from './chromium.ts'
import { windowOptions, expectAccessible, siteInBrowser } from './visit.ts'

describe.skipIf(!hasChromium)('the guide in a browser', () => {
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1' })

  test('a search leads to a section, and its heading is in view', () =>
    visit('/guide', async (page) => {
      await page.fill('[name=q]', 'exit codes')
      await page.keyboard.press('Enter')
      await page.locator('.results a[href="/guide/operate#exit-codes"]').click()
      await page.waitForURL(/\/guide\/operate#exit-codes$/)
      expect(await page.locator('#exit-codes').boundingBox()).not.toBeNull()
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    (options) =>
      visit('/guide', options, async (page) => {
        for (const path of ['/guide', '/guide/operate', '/guide/datasets', '/guide?q=backup']) {
          await page.goto(path)
          await expectAccessible(page)
        }
      }),
  )
})
