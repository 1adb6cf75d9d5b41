import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityViolations } from './axe.ts'
import { openClearedPage, type Chromium, type BrowserPage } from './chromium.ts'
import type { Site } from './site.ts'

/** `beyond` is another origin that the page may request. */
type Options = Parameters<typeof openClearedPage>[2] & { isSignedIn?: boolean; allowedOrigin?: string }

/**
 * Runs a check on a page with cleared storage. It fails on requests to other origins, exceptions, and policy
 * violations.
 */
export async function visit(
  browser: Chromium,
  site: Site,
  path: string,
  check: (page: Page, opened: BrowserPage) => Promise<void>,
  { isSignedIn = false, allowedOrigin, ...options }: Options = {},
): Promise<void> {
  const opened = await openClearedPage(browser, site.address, options)
  try {
    if (isSignedIn) await signIn(opened.page, site)
    await opened.page.goto(path)
    await check(opened.page, opened)
    expect([
      opened.foreignRequests.filter((it) => allowedOrigin === undefined || !it.startsWith(allowedOrigin)),
      opened.errors,
    ]).toEqual([[], []])
  } finally {
    await opened.page.close()
  }
}

/** As `visit`, for what is not on a map. */
export const visitWithoutMap: typeof visit = (browser, site, path, check, options) =>
  visit(browser, site, path, check, { ...options, drawsMap: false })

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
