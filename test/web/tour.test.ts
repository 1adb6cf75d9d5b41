import { describe, expect, test } from 'bun:test'
import { hasChromium, openBrowserPage } from './chromium.ts'
import { expectAccessible, windowOptions, siteInBrowser } from './visit.ts'

describe.skipIf(!hasChromium)('the tour', () => {
  const { browser, site } = siteInBrowser({ FIELDSTONE_OFFLINE: '1' })

  test.each(windowOptions)(
    'has three steps, works with the keyboard, and is not shown again once it is finished, at $size size, $scheme',
    async (options) => {
      const { page, context, errors } = await openBrowserPage(browser, site.address, { ...options, drawsMap: true })
      await page.goto('/')
      const tour = page.getByRole('region', { name: 'Tour' })
      const titles: (string | null)[] = []
      for (const button of ['Next', 'Next', 'Done']) {
        titles.push(await tour.locator('h3').textContent())
        await expectAccessible(page)
        await tour.getByRole('button', { name: button }).focus()
        await page.keyboard.press('Enter')
      }
      expect(titles).toEqual(['Find a place', 'Choose what you want to know', 'Use the answer'])
      await tour.waitFor({ state: 'detached' })
      await page.reload()
      await page.getByRole('heading', { name: 'Example places' }).waitFor()
      expect([await tour.count(), errors]).toEqual([0, []])
      await context.close()
    },
  )

  test('can be closed for good at its first step', async () => {
    const { page, context } = await openBrowserPage(browser, site.address)
    await page.goto('/')
    await page.getByRole('button', { name: 'Close the tour for good' }).click()
    await page.reload()
    await page.getByRole('heading', { name: 'Example places' }).waitFor()
    expect(await page.getByRole('region', { name: 'Tour' }).count()).toBe(0)
    await context.close()
  })
})
