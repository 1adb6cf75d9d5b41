import { describe, expect, test } from 'bun:test'
import { hasChromium } from './chromium.ts'
import { expectAccessible, siteInBrowser } from './visit.ts'

const denver = '/?at=39.7392,-104.9903'

describe.skipIf(!hasChromium)('pins', () => {
  const { visit } = siteInBrowser({ FIELDSTONE_AUTH: 'on', FIELDSTONE_OFFLINE: '1' })

  test('the keyboard pins a place and fields, Explore offers them, and the same buttons remove them', () =>
    visit(`${denver}&fields=county,timezone`, { isSignedIn: true }, async (page) => {
      const pinPlace = page.getByRole('button', { name: 'Pin place' })
      await pinPlace.focus()
      await page.keyboard.press('Enter')
      await expectAccessible(page)
      await page.getByRole('textbox', { name: 'Name' }).fill('Denver office')
      await page.keyboard.press('Enter')
      await page.locator('[aria-pressed=true]', { hasText: 'Pin place' }).waitFor()
      const pinFields = page.getByRole('button', { name: 'Pin fields' })
      await pinFields.click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Where')
      await page.keyboard.press('Enter')
      await page.locator('.selection [aria-pressed=true]', { hasText: 'Where' }).waitFor()
      await expectAccessible(page)

      await page.goto('/')
      await page.getByRole('heading', { name: 'Pinned places' }).waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Denver office' }).click()
      await page.locator('.place h2', { hasText: 'Denver office' }).waitFor()
      await page.locator('.selection').getByRole('button', { name: 'Where' }).click()
      await page.waitForURL(/fields=county,timezone/)
      await pinFields.click()
      await page.getByRole('button', { name: 'Where' }).waitFor({ state: 'detached' })
      await pinPlace.click()
      await page.locator('[aria-pressed=false]', { hasText: 'Pin place' }).waitFor()
      await page.goto('/')
      await page.getByRole('heading', { name: 'Example places' }).waitFor()
      expect(await page.getByRole('button', { name: 'Denver office' }).count()).toBe(0)
    }))

  test('a visitor has no button to pin', () =>
    visit(denver, async (page) => {
      await page.getByRole('link', { name: /^Report/ }).waitFor()
      await page.locator('.head a', { hasText: 'Sign in' }).waitFor()
      expect(await page.getByRole('button', { name: /^Pin/ }).count()).toBe(0)
    }))
})
