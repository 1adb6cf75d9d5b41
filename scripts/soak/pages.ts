import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { sampleBasemap } from '../../test/support/sample-basemap.ts'
import { accessibilityViolations } from '../../test/web/axe.ts'
import { hasChromium, openBrowserPage, openChromium, type Chromium } from '../../test/web/chromium.ts'
import { openSite } from '../../test/web/site.ts'
import { takeSettledScreenshot } from '../../test/web/settled-screenshot.ts'
import { findMouseOnlyElements, markClickListeners } from './keyboard-reach.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { accountPageStates, basemapPageStates, openPageStates, type PageState } from './page-states.ts'

const widths_px = [360, 768, 1400]
const heights_px: Record<number, number> = { 360: 740, 768: 1024, 1400: 900 }
const schemes = ['light', 'dark'] as const

/** The faults of the pages that were visited. */
type Visited = { screens: number; faults: string[] }

/**
 * Shows every page in every state at three widths and in both color schemes, and with forced colors. Lists what axe
 * finds, what only a mouse can use, scrolling to the side, exceptions, and requests to other servers. If
 * FIELDSTONE_SCREENSHOTS names a folder, it receives a picture of each screen. FIELDSTONE_PAGES selects states by a
 * regular expression.
 */
export async function soakPages(): Promise<Finding[]> {
  if (!hasChromium) throw new Error('Chromium is not installed. The suite "pages" needs it.')
  const selected = new RegExp(process.env.FIELDSTONE_PAGES ?? '')
  const visited: Visited = { screens: 0, faults: [] }
  const browser = await openChromium()
  const packs = mkdtempSync(join(tmpdir(), 'fieldstone-pages-'))
  writeFileSync(join(packs, 'basemap.pmtiles'), sampleBasemap())
  try {
    await visitStates(browser, {}, openPageStates, { selected, visited })
    const withBasemap = { FIELDSTONE_OFFLINE: '1', FIELDSTONE_PACKS: packs }
    await visitStates(browser, withBasemap, basemapPageStates, { selected, visited })
    const withAccounts = { FIELDSTONE_AUTH: 'on', FIELDSTONE_OFFLINE: '1' }
    await visitStates(browser, withAccounts, accountPageStates, { selected, visited })
  } finally {
    await browser.close()
    rmSync(packs, { recursive: true })
  }
  for (const fault of visited.faults) console.error(fault)
  return [
    atLeast('pages', 'screens shown', visited.screens, 1),
    atMost('pages', `faults on ${visited.screens} screens`, visited.faults.length, 0),
  ]
}

type Visit = { selected: RegExp; visited: Visited }

async function visitStates(
  browser: Chromium,
  env: Record<string, string>,
  states: PageState[],
  { selected, visited }: Visit,
): Promise<void> {
  const site = await openSite(env)
  const { page, context, foreignRequests, errors } = await openBrowserPage(browser, site.address, { drawsMap: true })
  await page.addInitScript(markClickListeners)
  try {
    for (const state of states) {
      // Later states need the session that this one begins.
      if (!selected.test(state.name) && state.name !== 'device') continue
      await page.setViewportSize({ width: 1400, height: 900 })
      await state.reach(page, site)
      await visitScreens(page, state.name, visited)
      const mouseOnly = await findMouseOnlyElements(page)
      visited.faults.push(...mouseOnly.map((fault) => `${state.name}: ${fault}`))
    }
    visited.faults.push(...foreignRequests.map((url) => `request to ${url}`), ...errors)
  } finally {
    await context.close()
    await site.close()
  }
}

async function visitScreens(page: Page, state: string, visited: Visited): Promise<void> {
  for (const width of widths_px) {
    await page.setViewportSize({ width, height: heights_px[width]! })
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, forcedColors: 'none' })
      await visitScreen(page, `${state}-${width}-${colorScheme}`, visited)
    }
  }
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
  await takePicture(page, `${state}-forced`)
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
}

async function visitScreen(page: Page, name: string, visited: Visited): Promise<void> {
  visited.screens++
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))')
  const faults = await accessibilityViolations(page)
  const overflow_px = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  if (overflow_px > 0) faults.push(`is ${overflow_px} px wider than the window`)
  visited.faults.push(...faults.map((fault) => `${name}: ${fault}`))
  await takePicture(page, name)
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.FIELDSTONE_SCREENSHOTS
  if (folder === undefined) return
  // The map is drawn again for the width and the colors.
  const hasMap = (await page.locator('.maplibregl-canvas').count()) > 0
  await Bun.write(
    join(folder, `${name}.png`),
    await takeSettledScreenshot(page, hasMap ? { same: 2, pause_ms: 400 } : { same: 1, pause_ms: 50 }),
  )
}
