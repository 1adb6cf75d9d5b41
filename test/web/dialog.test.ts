import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium, openChromium, type Chromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { visit } from './visit.ts'

describe.skipIf(!hasChromium)('a dialog', () => {
  let browser: Chromium
  let site: Site
  beforeAll(async () => {
    ;[browser, site] = await Promise.all([openChromium(), openSite({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_AUTH: 'on' })])
  })
  afterAll(async () => {
    await browser.close()
    await site.close()
  })

  /** The label, or else the text, of the element that has the focus. */
  const focused = (page: Page) =>
    page.evaluate(
      `(() => { const it = document.activeElement; return it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.textContent })()`,
    )

  test('focuses its first field, and its opener when it is closed', () =>
    visit(
      browser,
      site,
      '/?at=39.7392,-104.9903',
      async (page) => {
        await page.getByRole('button', { name: 'Choose fields' }).click()
        await page.locator('dialog[open] input[type=search]').waitFor()
        expect(await page.evaluate('document.activeElement.type')).toBe('search')
        await page.keyboard.press('Escape')
        await page.locator('dialog').waitFor({ state: 'detached' })
        expect(await focused(page)).toContain('Choose fields')
      },
      { isSignedIn: true },
    ))

  test('keeps the focus when its content changes, and returns it when its own button closes it', () =>
    visit(
      browser,
      site,
      '/account/tokens',
      async (page) => {
        await page.getByRole('button', { name: 'New token' }).click()
        await page.locator('dialog[open]').waitFor()
        expect(await focused(page)).toBe('Name')
        await page.keyboard.type('nightly')
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: 'I copied it' }).waitFor()
        expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true)
        await page.getByRole('button', { name: 'I copied it' }).click()
        await page.locator('dialog').waitFor({ state: 'detached' })
        expect(await focused(page)).toBe('New token')
        const revoke = page.getByRole('row', { name: 'nightly' }).getByRole('button', { name: /Revoke/ })
        await revoke.click()
        await page.locator('dialog[open]').waitFor()
        await page.locator('dialog .row button').last().click()
        await page.locator('dialog').waitFor({ state: 'detached' })
        expect(await focused(page)).toContain('Revoke')
      },
      { isSignedIn: true },
    ))
})
