import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hasChromium, openBrowserPage } from './chromium.ts'
import { submitSignIn, windowOptions, expectAccessible, signIn, siteInBrowser } from './visit.ts'

const callback = 'http://127.0.0.1:33418/callback'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

describe.skipIf(!hasChromium)('the pages of the server', () => {
  const { browser, site, visit } = siteInBrowser({ FIELDSTONE_AUTH: 'on', FIELDSTONE_OFFLINE: '1' })
  const form = async (path: string, body: Record<string, string>) =>
    (
      await fetch(site.address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(body).toString(),
      })
    ).json() as Promise<Record<string, string>>
  const startDeviceFlow = () =>
    form('/oauth/device_authorization', { client_id: 'fieldstone-cli', scope: 'fetch runs' })
  const pollDeviceFlow = (device_code: string) =>
    form('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code,
      client_id: 'fieldstone-cli',
    })
  const consentUrl = async (client_name: string) => {
    const response = await fetch(`${site.address}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback], client_name, token_endpoint_auth_method: 'none' }),
    })
    const { client_id } = (await response.json()) as { client_id: string }
    return `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri: callback, state: 'the-state', scope: 'fetch lookup', code_challenge: challenge, code_challenge_method: 'S256' }).toString()}`
  }

  test('sign-in rejects a wrong password with a message and accepts the right one', () =>
    visit('/sign-in?next=/account', async (page) => {
      await page.fill('[name=name]', 'owner')
      await page.fill('[name=password]', 'wrong')
      await page.click('button')
      await page.locator('[role=alert]', { hasText: 'Wrong name or password' }).waitFor()
      await submitSignIn(page, site)
      await page.locator('.head__who', { hasText: 'owner' }).waitFor()
      expect(page.url()).toBe(`${site.address}/account`)
    }))

  test('the header links to the sign-in, which returns to the page', () =>
    visit('/sources', async (page) => {
      await page.locator('.head a', { hasText: 'Sign in' }).click()
      await submitSignIn(page, site)
      await page.waitForURL(`${site.address}/sources`)
      await page.locator('.head__who', { hasText: 'owner' }).waitFor()
    }))

  test('a device is approved by its code after a warning, is listed as a connected app, and can be disconnected', () =>
    visit('/device', { isSignedIn: true }, async (page) => {
      const { device_code, user_code } = await startDeviceFlow()
      expect(await page.locator('.notice').textContent()).toContain('your own device shows right now')
      await page.fill('[name=user_code]', user_code!.toLowerCase())
      await page.click('button')
      await page.locator('.code', { hasText: user_code! }).waitFor()
      expect(await page.locator('.notice').textContent()).toContain('If somebody sent you this code, choose Deny')
      expect(await page.locator('li').allTextContents()).toEqual([
        'read the fields of any location',
        'submit runs and read your own',
      ])
      await page.locator('button', { hasText: 'Allow' }).click()
      await page.locator('h1', { hasText: 'Device connected' }).waitFor()
      const { access_token } = await pollDeviceFlow(device_code!)
      const me = () => fetch(`${site.address}/v1/users/me`, { headers: { authorization: `Bearer ${access_token}` } })
      expect((await me()).status).toBe(200)
      await page.goto('/account')
      const program = page.locator('li', { hasText: 'Fieldstone command line' })
      await program.locator('button').click()
      await program.waitFor({ state: 'detached' })
      expect((await me()).status).toBe(401)
    }))

  test('a denied device gets an error', () =>
    visit('/device', { isSignedIn: true }, async (page) => {
      const { device_code, user_code } = await startDeviceFlow()
      await page.fill('[name=user_code]', user_code!)
      await page.click('button')
      await page.locator('button', { hasText: 'Deny' }).click()
      await page.locator('h1', { hasText: 'Device denied' }).waitFor()
      expect((await pollDeviceFlow(device_code!)).error).toBe('access_denied')
    }))

  test('the consent page names the client and its scopes; Deny returns an error to the client', () =>
    visit('/', { isSignedIn: true, allowedOrigin: callback }, async (page) => {
      await page.goto(await consentUrl('Field helper'))
      const words = (await page.locator('main').textContent())!
      for (const part of [
        'Field helper',
        'unverified name',
        'owner',
        'read the fields of any location',
        'look up jurisdictions, hazards and market data of locations',
        '127.0.0.1:33418',
        'The name is not verified',
      ])
        expect(words).toContain(part)
      await page.route(`${callback}**`, (route) => route.fulfill({ body: 'back' }))
      await page.locator('button', { hasText: 'Deny' }).click()
      await page.waitForURL(`${callback}**`)
      expect(page.url()).toContain('error=access_denied')
    }))

  test('markup in a client name is shown as text and does not run', () =>
    visit('/', { isSignedIn: true }, async (page) => {
      await page.goto(await consentUrl('<script>window.ran=1</script><img src=x onerror="window.ran=1">'))
      expect(await page.locator('main strong').first().textContent()).toStartWith('<script>window.ran=1</script>')
      expect([await page.evaluate('window.ran ?? null'), await page.locator('script, img').count()]).toEqual([null, 0])
    }))

  test('no page of another origin can frame them', async () => {
    const paths = ['/sign-in', '/device', '/account']
    const stranger = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(paths.map((path) => `<iframe src="${site.address}${path}"></iframe>`).join(''), {
          headers: { 'content-type': 'text/html' },
        }),
    })
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(stranger.url.href)
      for (const frame of page.frames().slice(1)) expect(await frame.locator('.head').count()).toBe(0)
      expect(page.frames()).toHaveLength(paths.length + 1)
    } finally {
      await context.close()
      await stranger.stop(true)
    }
  })

  test('they work without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: site.address })
    const page = await context.newPage()
    await page.goto('/sign-in?next=/device')
    await submitSignIn(page, site)
    await page.locator('[name=user_code]').waitFor()
    await context.close()
  })

  const shown: [name: string, at: (page: Page) => Promise<void>][] = [
    [
      'sign-in, refused',
      async (page) => {
        await page.goto('/sign-in')
        await page.fill('[name=name]', 'nobody')
        await page.fill('[name=password]', 'wrong')
        await page.click('button')
        await page.locator('[role=alert]').waitFor()
      },
    ],
    ['a link that is good no more', async (page) => void (await page.goto('/invitation/nothing'))],
    [
      'the code of a device',
      async (page) => {
        await signIn(page, site)
        await page.goto('/device')
      },
    ],
    [
      'a device',
      async (page) => {
        await page.fill('[name=user_code]', (await startDeviceFlow()).user_code!)
        await page.click('button')
        await page.locator('.code').waitFor()
      },
    ],
    [
      'consent',
      async (page) =>
        void (await page.goto(
          await consentUrl('A program with a name that is rather long, and goes on for more than one line'),
        )),
    ],
    ['a request that makes no sense', async (page) => void (await page.goto('/oauth/authorize?client_id=nobody'))],
  ]
  test.each(windowOptions)(
    'has no accessibility violation and no horizontal scrolling at $size size, $scheme',
    async (options) => {
      const { page, context, foreignRequests, errors } = await openBrowserPage(browser, site.address, options)
      for (const [, at] of shown) {
        await at(page)
        await expectAccessible(page)
      }
      expect([foreignRequests, errors]).toEqual([[], []])
      await context.close()
    },
  )
})
