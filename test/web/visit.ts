import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { openChromium, openClearedPage, type Chromium, type BrowserPage } from './chromium.ts'
import { openSite, type Site } from './site.ts'

/** `beyond` is another origin that the page may request. */
type Options = Parameters<typeof openClearedPage>[2] & { isSignedIn?: boolean; allowedOrigin?: string }

type Check = (page: Page, opened: BrowserPage) => Promise<void>
type Visit = (path: string, ...rest: [check: Check] | [options: Options, check: Check]) => Promise<void>

/** A browser, and a site in it, of a suite: both are open from before its first test to after its last. */
export function siteInBrowser(
  env: Record<string, string> = {},
  defaults: Options = {},
): { browser: Chromium; site: Site; visit: Visit } {
  const browser = {} as Chromium
  beforeAll(async () => void Object.assign(browser, await openChromium()))
  afterAll(() => browser.close())
  const site = useSite(env)
  return { browser, site, visit: visitor(browser, site, defaults) }
}

/** A site that is open during the tests of a suite. */
export function useSite(env: Record<string, string> = {}): Site {
  const site = {} as Site
  beforeAll(async () => void Object.assign(site, await openSite(env)))
  afterAll(() => site.close())
  return site
}

/**
 * Returns a function that runs a check on a page of a site with cleared storage. It fails on requests to other origins,
 * exceptions, and policy violations.
 */
export function visitor(browser: Chromium, site: Site, defaults: Options = {}): Visit {
  return async (path, ...rest) => {
    const { isSignedIn = false, allowedOrigin, ...options } = { ...defaults, ...(rest.length === 2 && rest[0]) }
    const opened = await openClearedPage(browser, site.address, options)
    try {
      if (isSignedIn) await signIn(opened.page, site)
      await opened.page.goto(path)
      const check = rest.length === 2 ? rest[1] : rest[0]
      await check(opened.page, opened)
      expect([
        opened.foreignRequests.filter((it) => allowedOrigin === undefined || !it.startsWith(allowedOrigin)),
        opened.errors,
      ]).toEqual([[], []])
    } finally {
      await opened.page.close()
    }
  }
}

/** Signs the owner in with the first token, and ends on a page without a map. */
export async function signIn(page: Page, site: Site): Promise<void> {
  await page.goto('/sign-in?next=/device')
  await submitSignIn(page, site)
  await page.waitForURL(`${site.address}/device`)
}

/** Submits the sign-in form as the owner. */
export async function submitSignIn(page: Page, { token }: Site): Promise<void> {
  await page.fill('[name=name]', 'owner')
  await page.fill('[name=password]', token)
  await page.keyboard.press('Enter')
}

/** Expects no accessibility violation and no horizontal scrolling. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0)
}

/** Both sizes and both color schemes. Layout and contrast are independent, so two combinations suffice. */
export const windowOptions = [
  { size: 'phone', scheme: 'light' },
  { size: 'desktop', scheme: 'dark' },
] as const
