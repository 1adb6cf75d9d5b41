import { describe, expect, test } from 'bun:test'
import { hasChromium, openBrowserPage } from './chromium.ts'
import { expectAccessible, signIn, siteInBrowser } from './visit.ts'

const denver = '/?at=39.7392,-104.9903'

describe.skipIf(!hasChromium)('read-only links', () => {
  const { browser, site, visit } = siteInBrowser({ FIELDSTONE_AUTH: 'on', FIELDSTONE_OFFLINE: '1' })

  test('the keyboard creates a link to the report, a browser without an account reads it, and the account revokes it', async () => {
    const { page, context, errors } = await openBrowserPage(browser, site.address)
    await signIn(page, site)
    await page.goto(denver)
    await page.getByRole('button', { name: 'Share' }).focus()
    await page.keyboard.press('Enter')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create link' }).focus()
    await page.keyboard.press('Enter')
    const url = (await page.locator('dialog pre').textContent())!
    await expectAccessible(page)
    const other = await openBrowserPage(browser, site.address)
    await other.page.goto(url)
    await other.page.getByRole('heading', { name: 'Denver County, CO' }).waitFor()

    await page.goto('/account/links')
    await page.getByRole('rowheader', { name: /^Denver County, CO/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Revoke the link/ }).click()
    await page.getByRole('button', { name: 'Revoke link' }).click()
    await page.getByText('No links').waitFor()
    await other.page.reload()
    expect(await other.page.textContent('[role=alert]')).toContain('This link has expired, was revoked')
    expect([errors, other.errors]).toEqual([[], []])
    await Promise.all([context.close(), other.context.close()])
  })

  test('the page of a shared run has its rows and files, and no accessibility violation', () =>
    visit('/runs', { isSignedIn: true }, async (page, { context }) => {
      await page.getByRole('button', { name: 'Use sample data' }).click()
      await page.getByRole('button', { name: /^Start with/ }).click()
      await page.waitForURL(/\/runs\/run_/)
      await page.locator('.runs-table').waitFor()
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.goto((await page.locator('dialog pre').textContent())!)
      await page.getByRole('columnheader', { name: 'County', exact: true }).waitFor()
      for (const width of [360, 1400]) {
        await page.setViewportSize({ width, height: 800 })
        await expectAccessible(page)
      }
      const response = await context.request.get(`${page.url()}/csv`)
      expect((await response.text()).split('\r\n')[0]).toContain('county')
    }))

  test('a visitor has no button to share', () =>
    visit(denver, async (page) => {
      await page.getByRole('link', { name: /^Report/ }).waitFor()
      await page.locator('.head a', { hasText: 'Sign in' }).waitFor()
      expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0)
    }))
})
