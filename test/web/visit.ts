import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { seriousFaults } from './axe.ts'
import { openClearedWindow, type Chromium, type Seen } from './chromium.ts'
import type { Site } from './site.ts'

/** `beyond` is another origin that the page may request. */
type Options = Parameters<typeof openClearedWindow>[2] & { isSignedIn?: boolean; beyond?: string }

/**
 * Runs a check on a page with cleared storage. It fails on requests to other origins, exceptions, and policy
 * violations.
 */
export async function visit(
  browser: Chromium,
  site: Site,
  path: string,
  look: (page: Page, seen: Seen) => Promise<void>,
  { isSignedIn = false, beyond, ...options }: Options = {},
): Promise<void> {
  const seen = await openClearedWindow(browser, site.address, options)
  try {
    if (isSignedIn) await signIn(seen.page, site)
    await seen.page.goto(path)
    await look(seen.page, seen)
    expect([seen.strays.filter((it) => beyond === undefined || !it.startsWith(beyond)), seen.faults]).toEqual([[], []])
  } finally {
    await seen.page.close()
  }
}

/** Signs the owner in with the first token, and ends on a page without a map. */
export async function signIn(page: Page, site: Site): Promise<void> {
  await page.goto('/sign-in?next=/device')
  await enter(page, site)
  await page.waitForURL(`${site.address}/device`)
}

/** Submits the sign-in form as the owner. */
export async function enter(page: Page, { token }: Site): Promise<void> {
  await page.fill('[name=name]', 'owner')
  await page.fill('[name=password]', token)
  await page.keyboard.press('Enter')
}

/** Expects no serious accessibility violation and no horizontal scrolling. */
export async function mustBeSound(page: Page): Promise<void> {
  // A page caught while rendering can report a passing violation, so a violation must occur twice.
  const faults = await seriousFaults(page)
  expect(faults.length === 0 ? faults : await seriousFaults(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0)
}

/** Both sizes and both color schemes. Layout and contrast are independent, so two combinations suffice. */
export const looks = [
  { size: 'phone', scheme: 'light' },
  { size: 'desk', scheme: 'dark' },
] as const
