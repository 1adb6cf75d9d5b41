import { describe, expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import type { Page, Route } from 'playwright-core'
import { sleep } from '../../src/web/sleep.ts'
import { hasChromium } from './chromium.ts'
import { signIn, siteInBrowser } from './visit.ts'

test('a sleep removes its listener from the signal, both when it ends and when it is aborted', async () => {
  const controller = new AbortController()
  await sleep(0, controller.signal)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  const long = sleep(1e9, controller.signal)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  controller.abort()
  await long
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  await sleep(1e9, controller.signal)
})

describe.skipIf(!hasChromium)('the header of the dashboard', () => {
  const { site, visit } = siteInBrowser({ FIELDSTONE_AUTH: 'on', FIELDSTONE_OFFLINE: '1' })
  const busyResponse = {
    status: 503,
    json: { detail: { error: 'storage_busy', message: 'The data folder is busy.', retryable: true } },
  }
  /** Resolves when the page has this title. */
  const waitForTitle = (page: Page, title: string) =>
    page.evaluate(
      `new Promise((done) => { const look = () => (document.title === '${title}' ? done() : requestAnimationFrame(look)); look() })`,
    )
  /** Returns how much of the current navigation link is cut off after rendering. */
  const hidden_px = (page: Page) =>
    page.evaluate<number>(
      `(async () => { for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame); const [nav, here] = ['.head__nav', '.head__nav [aria-current]'].map((it) => document.querySelector(it).getBoundingClientRect()); return Math.max(0, nav.left - here.left, here.right - nav.right) })()`,
    )

  test.each([
    ['answers with an error', (route: Route) => route.fulfill(busyResponse)],
    ['answers with an HTML error page', (route: Route) => route.fulfill({ status: 500, body: '<h1>Oops</h1>' })],
    ['cannot be reached', (route: Route) => route.abort()],
  ])('when the server %s, the user is unknown, and the page offers a retry', (_, answer) =>
    visit('/device', { isSignedIn: true, size: 'phone' }, async (page) => {
      await page.route('**/v1/users/me', answer)
      await page.goto('/account')
      await page.locator('#main [role=alert]', { hasText: 'Your account could not be read. Try again.' }).waitFor()
      expect(await page.locator('a', { hasText: 'Sign in' }).count()).toBe(0)
      await page.goto('/catalog')
      const again = page.locator('.head button', { hasText: 'Try again' })
      await again.click()
      await again.waitFor()
      await page.unroute('**/v1/users/me')
      await again.click()
      await page.locator('.head__who', { hasText: 'owner' }).waitFor()
    }),
  )

  test('at 360 px the current page is fully visible in the navigation, signed in or not', () =>
    visit('/sources', { size: 'phone' }, async (page) => {
      await page.locator('.head a', { hasText: 'Sign in' }).waitFor()
      expect(await hidden_px(page)).toBeLessThan(1)
      await signIn(page, site)
      for (const path of ['/', '/ask', '/runs', '/catalog', '/coverage', '/sources']) {
        await page.goto(path)
        await page.locator('.head__who[href]').waitFor()
        expect(await hidden_px(page)).toBeLessThan(1)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      }
    }))

  test('the navigation has a link to the guide', () =>
    visit('/sources', async (page) => {
      await page.locator('.head__nav a', { hasText: 'Guide' }).click()
      await page.waitForURL(/\/guide$/)
    }))

  test('the tab title names the field', () =>
    visit('/catalog/nearest_airport_distance_m', async (page) => {
      await waitForTitle(page, 'Nearest airport distance · Fieldstone')
      await page.locator('.head__nav a', { hasText: 'Sources' }).click()
      await waitForTitle(page, 'Sources · Fieldstone')
    }))
})
