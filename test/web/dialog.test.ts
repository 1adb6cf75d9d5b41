import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium, openChromium, type Chromium } from './chromium.ts'
import { openSite, type Site } from './site.ts'
import { visitWithoutMap as visit } from './visit.ts'

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

  /** Waits until an element has the focus. */
  const waitForFocus = (page: Page, selector: string, text = '') =>
    page.locator(`${selector}:focus`, { hasText: text }).waitFor()

  test('focuses its first field, and its opener when it is closed', () =>
    visit(
      browser,
      site,
      '/?at=39.7392,-104.9903',
      async (page) => {
        await page.getByRole('button', { name: 'Choose fields' }).click()
        await waitForFocus(page, 'dialog[open] input[type=search]')
        await page.keyboard.press('Escape')
        await page.locator('dialog').waitFor({ state: 'detached' })
        await waitForFocus(page, 'button', 'Choose fields')
        expect(await page.locator('dialog').count()).toBe(0)
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
        await waitForFocus(page, 'dialog[open] #token-name')
        await page.keyboard.type('nightly')
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: 'I copied it' }).waitFor()
        await waitForFocus(page, 'dialog[open] .dialog__body button')
        await page.getByRole('button', { name: 'I copied it' }).click()
        await page.locator('dialog').waitFor({ state: 'detached' })
        await waitForFocus(page, 'button', 'New token')
        const revoke = page.getByRole('row', { name: 'nightly' }).getByRole('button', { name: /Revoke/ })
        await revoke.click()
        await page.locator('dialog[open]').waitFor()
        await page.locator('dialog .row button').last().click()
        await page.locator('dialog').waitFor({ state: 'detached' })
        await waitForFocus(page, 'tr button', 'Revoke')
        expect(await page.locator('dialog').count()).toBe(0)
      },
      { isSignedIn: true },
    ))
})
