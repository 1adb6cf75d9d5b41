import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { seriousFaults } from './axe.ts'
import { openClearedWindow, type Chromium, type Seen } from './chromium.ts'
import type { Site } from './site.ts'

/** `beyond`: the site of somebody else that the page is to lead to. */
type Options = Parameters<typeof openClearedWindow>[2] & { isSignedIn?: boolean; beyond?: string }

/** Looks at a site with a cleared window, and holds that nothing left the site, nothing was thrown and nothing was refused. */
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

/** The owner comes in with the first token, and is at a page that has no map to draw. */
export async function signIn(page: Page, site: Site): Promise<void> {
  await page.goto('/sign-in?next=/device')
  await enter(page, site)
  await page.waitForURL(`${site.address}/device`)
}

/** Fills in the sign-in that is shown, as the owner. */
export async function enter(page: Page, { token }: Site): Promise<void> {
  await page.fill('[name=name]', 'owner')
  await page.fill('[name=password]', token)
  await page.keyboard.press('Enter')
}

/** Axe finds nothing serious, and nothing is wider than the window. */
export async function mustBeSound(page: Page): Promise<void> {
  // What is being drawn anew can be caught between two styles: a fault is one that stays.
  const faults = await seriousFaults(page)
  expect(faults.length === 0 ? faults : await seriousFaults(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0)
}

/** Both sizes and both schemes: where things stand does not hang on the colours, nor the contrast on the size. */
export const looks = [
  { size: 'phone', scheme: 'light' },
  { size: 'desk', scheme: 'dark' },
] as const
