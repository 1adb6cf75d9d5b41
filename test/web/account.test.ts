import { describe, expect, test } from 'bun:test'
import { hasChromium, openBrowserPage } from './chromium.ts'
import { submitSignIn, windowOptions, expectAccessible, signIn, siteInBrowser } from './visit.ts'

const maliciousName = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>'
const parts = [
  ['/account', '.account-list'],
  ['/account/tokens', '.account-tokens'],
  ['/account/usage', '.account-chart'],
  ['/account/people', '.account-people'],
] as const

describe.skipIf(!hasChromium)('the account', () => {
  const { browser, site, visit } = siteInBrowser({ FIELDSTONE_AUTH: 'on', FIELDSTONE_OFFLINE: '1' })
  const statusOf = (token: string) =>
    fetch(`${site.address}/v1/fetch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"lat":39.7392,"lng":-104.9903,"fields":["county_fips"]}',
    })

  test('asks visitors to sign in and returns to the page', () =>
    visit('/account/tokens', async (page) => {
      await page.locator('.empty a', { hasText: 'Sign in' }).click()
      await submitSignIn(page, site)
      await page.locator('.account-tokens tr', { hasText: 'first token' }).waitFor()
      expect(page.url()).toBe(`${site.address}/account/tokens`)
    }))

  test('a new token has the selected scopes, is shown once, works, and stops working when it is revoked', () =>
    visit('/account/tokens', { isSignedIn: true }, async (page) => {
      await page.locator('button', { hasText: 'New token' }).click()
      await page.fill('#token-name', 'nightly script')
      await page.locator('dialog label', { hasText: 'runs' }).click()
      await page.selectOption('#token-days', '30')
      await page.locator('dialog button', { hasText: 'Create token' }).click()
      const token = (await page.locator('dialog pre').first().textContent())!
      expect(token).toMatch(/^fst_pat_\w{36}$/)
      expect((await page.locator('dialog pre').allTextContents()).filter((text) => text.includes(token))).toHaveLength(
        3,
      )
      expect((await statusOf(token)).status).toBe(200)
      await page.locator('dialog button', { hasText: 'I copied it' }).click()
      await page.locator('dialog').waitFor({ state: 'detached' })
      const row = page.locator('.account-tokens tr', { hasText: 'nightly script' })
      expect(await row.locator('.tag').allTextContents()).toEqual(['fetch', 'runs'])
      expect(await row.locator('code').textContent()).toBe(`…${token.slice(-4)}`)
      expect(await row.locator('time').first().textContent()).toBe('in 30 days')
      expect(await page.content()).not.toContain(token)
      await row.locator('button').click()
      await page.locator('dialog button', { hasText: 'Keep token' }).click()
      expect((await statusOf(token)).status).toBe(200)
      await row.locator('button').click()
      await page.locator('dialog button', { hasText: 'Revoke token' }).click()
      await row.waitFor({ state: 'detached' })
      expect(((await (await statusOf(token)).json()) as { detail: { error: string } }).detail.error).toBe(
        'auth_revoked',
      )
    }))

  test('markup in a token name is shown as text and does not run', () =>
    visit('/account/tokens', { isSignedIn: true }, async (page) => {
      await page.locator('button', { hasText: 'New token' }).click()
      await page.fill('#token-name', maliciousName)
      await page.locator('dialog button', { hasText: 'Create token' }).click()
      await page.locator('dialog .notice', { hasText: '<script>' }).waitFor()
      await page.keyboard.press('Escape')
      await page.locator('.account-tokens th', { hasText: '<img' }).waitFor()
      expect(await page.evaluate('window.ran ?? null')).toBeNull()
      expect(await page.locator('#main img, #main script').count()).toBe(0)
    }))

  test('usage is shown by day, endpoint and source', () =>
    visit('/account', { isSignedIn: true }, async (page) => {
      await statusOf(site.token)
      await page.locator('.tabs a', { hasText: 'Usage' }).click()
      await page.locator('.table th', { hasText: /^\/v1\/fetch$/ }).waitFor()
      await page.locator('.table th', { hasText: 'census_tiger_counties' }).waitFor()
      await page.locator('.chip', { hasText: 'Fields' }).click()
      expect(await page.locator('.account-chart figcaption').textContent()).toMatch(/^\d+ fields, at most \d+ per day$/)
      await page.locator('.chip', { hasText: '7 days' }).click()
      await page.locator('.account-chart svg g:nth-child(7)').waitFor({ state: 'attached' })
      expect(await page.locator('.account-chart svg g').count()).toBe(7)
    }))

  test('an invited person sets a password, has exactly the selected permissions, and loses access when removed', () =>
    visit('/account/people', { isSignedIn: true }, async (page) => {
      await page.locator('button', { hasText: 'Invite a person' }).click()
      await page.fill('#person-name', 'ada')
      for (const scope of ['geocode', 'lookup', 'ask', 'runs'])
        await page.locator('dialog label', { has: page.locator('code', { hasText: scope }) }).click()
      await page.locator('dialog button', { hasText: 'Create invitation link' }).click()
      const link = (await page.locator('dialog pre').textContent())!
      await page.keyboard.press('Escape')
      await page.locator('.account-people tr', { hasText: 'ada' }).getByText('not set').waitFor()

      const theirs = await openBrowserPage(browser, site.address)
      await theirs.page.goto(link)
      await theirs.page.fill('[name=password]', 'correct horse battery staple')
      await theirs.page.click('button')
      await theirs.page.waitForURL(`${site.address}/`)
      await theirs.page.locator('.head__who', { hasText: 'ada' }).click()
      await theirs.page.locator('.account-may').waitFor()
      expect(await theirs.page.locator('.account-may code').allTextContents()).toEqual(['fetch'])
      expect(await theirs.page.locator('.tabs a').allTextContents()).toEqual(['Profile', 'Tokens', 'Usage', 'Links'])

      await page.reload()
      await page.locator('button[aria-label="Remove ada"]').click()
      await page.locator('dialog button', { hasText: 'Remove account' }).click()
      await page.locator('.account-people tr', { hasText: 'ada' }).waitFor({ state: 'detached' })
      await theirs.page.reload()
      await theirs.page.locator('.empty', { hasText: 'You are not signed in' }).waitFor()
      expect([theirs.foreignRequests, theirs.errors]).toEqual([[], []])
      await theirs.context.close()
    }))

  test('a name that is taken or invalid is rejected with a message', () =>
    visit('/account/people', { isSignedIn: true }, async (page) => {
      await page.locator('button', { hasText: 'Invite a person' }).click()
      await page.fill('#person-name', 'owner')
      await page.locator('dialog button', { hasText: 'Create invitation link' }).click()
      await page.locator('dialog [role=alert]', { hasText: 'user_exists' }).waitFor()
      await page.fill('#person-name', 'no name')
      await page.locator('dialog button', { hasText: 'Create invitation link' }).click()
      await page.locator('dialog [role=alert]', { hasText: 'letters, digits' }).waitFor()
    }))

  test('a user can sign out other browsers and this one', () =>
    visit('/account', { isSignedIn: true }, async (page) => {
      const other = await openBrowserPage(browser, site.address)
      await signIn(other.page, site)
      await page.reload()
      await page.locator('button', { hasText: 'Sign out all other browsers' }).click()
      await page.locator('button', { hasText: 'Sign out all other browsers' }).waitFor({ state: 'detached' })
      expect(await page.locator('.account-list li').first().textContent()).toStartWith('This browser, signed in')
      await other.page.goto('/account')
      await other.page.locator('.empty', { hasText: 'You are not signed in' }).waitFor()
      await other.context.close()
      await page.locator('form button', { hasText: 'Sign out' }).click()
      await page.waitForURL('**/sign-in')
      await page.goto('/account')
      await page.locator('.empty', { hasText: 'You are not signed in' }).waitFor()
    }))

  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    (options) =>
      visit('/account', { ...options, isSignedIn: true }, async (page) => {
        for (const [path, there] of parts) {
          await page.goto(path)
          await page.locator(there).first().waitFor()
          await expectAccessible(page)
        }
        await page.locator('button', { hasText: 'Invite a person' }).click()
        await expectAccessible(page)
        await page.goto('/account/tokens')
        await page.locator('button', { hasText: 'New token' }).click()
        await expectAccessible(page)
      }),
  )
})
