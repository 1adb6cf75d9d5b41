import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasChromium, openChromium, type Chromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { windowOptions, expectAccessible, visitWithoutMap as visit } from './visit.ts'

describe.skipIf(!hasChromium)('the guide in a browser', () => {
  let browser: Chromium
  let site: Site
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([openChromium(), openSite({ FIELDSTONE_OFFLINE: '1' })])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  test('a search leads to a section, and its heading is in view', () =>
    visit(browser, site, '/guide', async (page) => {
      await page.fill('[name=q]', 'exit codes')
      await page.keyboard.press('Enter')
      await page.locator('.results a[href="/guide/operate#exit-codes"]').click()
      await page.waitForURL(/\/guide\/operate#exit-codes$/)
      expect(await page.locator('#exit-codes').boundingBox()).not.toBeNull()
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    (options) =>
      visit(
        browser,
        site,
        '/guide',
        async (page) => {
          for (const path of ['/guide', '/guide/operate', '/guide/datasets', '/guide?q=backup']) {
            await page.goto(path)
            await expectAccessible(page)
          }
        },
        options,
      ),
  )
})
