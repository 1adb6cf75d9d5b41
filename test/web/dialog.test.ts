import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium } from './chromium.ts'
import { siteInBrowser } from './visit.ts'

describe.skipIf(!hasChromium)('a dialog', () => {
  const { visit } = siteInBrowser({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_AUTH: 'on' })

  /** Waits until an element has the focus. */
  const waitForFocus = (page: Page, selector: string, text = '') =>
    page.locator(`${selector}:focus`, { hasText: text }).waitFor()

  test('focuses its first field, and its opener when it is closed', () =>
    visit('/?at=39.7392,-104.9903', { isSignedIn: true }, async (page) => {
      await page.getByRole('button', { name: 'Choose fields' }).click()
      await waitForFocus(page, 'dialog[open] input[type=search]')
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      await waitForFocus(page, 'button', 'Choose fields')
      expect(await page.locator('dialog').count()).toBe(0)
    }))

  test('keeps the focus when its content changes, and returns it when its own button closes it', () =>
    visit('/account/tokens', { isSignedIn: true }, async (page) => {
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
    }))
})
