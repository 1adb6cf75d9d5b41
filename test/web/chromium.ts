import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** Playwright's default of 30 s is too short on a busy machine. */
const patience_ms = 100_000
const executablePath = places.find((path) => existsSync(path))

/** Whether Chromium is installed. A warning says once when it is not. */
export const hasChromium = executablePath !== undefined
if (!hasChromium) console.warn(`The tests of the dashboard are skipped: there is no ${places.join(', ')}.`)

/** Draws maps in software, and resolves no host but localhost. */
const flags = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader-webgl',
  '--enable-unsafe-swiftshader',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
]

/** A browser with one cached profile per site. `newContext` creates a fresh profile. */
export type Chromium = Pick<Browser, 'newContext' | 'close'> & { profileOf(site: string): Promise<BrowserContext> }

export async function openChromium(): Promise<Chromium> {
  const browser = await chromium.launch({ executablePath: executablePath!, args: flags })
  const profiles = new Map<string, Promise<BrowserContext>>()
  return {
    newContext: (options) => browser.newContext(options),
    close: () => browser.close(),
    profileOf(site) {
      const profile = profiles.get(site) ?? newProfile(browser, site)
      profiles.set(site, profile)
      return profile
    },
  }
}

const sizes = { phone: { width: 360, height: 740 }, desk: { width: 1400, height: 900 } }

export type Seen = {
  context: BrowserContext
  page: Page
  /** URLs outside the site that were requested. */
  strays: string[]
  /** Exceptions in the page, and violations of its content security policy. */
  faults: string[]
}

type Looks = { size?: keyof typeof sizes; scheme?: 'light' | 'dark' }

/** Opens a page in a fresh profile, in a window size and color scheme. */
export async function openWindow(browser: Pick<Browser, 'newContext'>, site: string, looks: Looks = {}): Promise<Seen> {
  return seenIn(await newProfile(browser, site), site, looks)
}

/** Opens a page in the cached profile of a site, with cookies and storage cleared. Only the HTTP cache remains. */
export async function openClearedWindow(browser: Chromium, site: string, looks: Looks = {}): Promise<Seen> {
  const seen = await seenIn(await browser.profileOf(site), site, looks)
  const devtools = await seen.context.newCDPSession(seen.page)
  await devtools.send('Storage.clearDataForOrigin', {
    origin: site,
    storageTypes: 'cookies,local_storage,indexeddb,service_workers,cache_storage',
  })
  await devtools.detach()
  return seen
}

async function newProfile(browser: Pick<Browser, 'newContext'>, site: string): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: sizes.desk,
    locale: 'en-US',
    timezoneId: 'America/Denver',
    baseURL: site,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(patience_ms)
  context.setDefaultNavigationTimeout(patience_ms)
  return context
}

async function seenIn(
  context: BrowserContext,
  site: string,
  { size = 'desk', scheme = 'light' }: Looks,
): Promise<Seen> {
  const [strays, faults]: [string[], string[]] = [[], []]
  const page = await context.newPage()
  await page.setViewportSize(sizes[size])
  await page.emulateMedia({ colorScheme: scheme })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== new URL(site).origin && !/^(data|blob|about|chrome-error):$/.test(protocol))
      strays.push(request.url())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text())
  })
  return { context, page, strays, faults }
}
