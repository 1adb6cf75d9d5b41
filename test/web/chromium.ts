import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

const executables = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** Playwright's default of 30 s is too short on a busy machine. */
const timeout_ms = 100_000
const executablePath = executables.find((path) => existsSync(path))

/** Whether Chromium is installed. A warning says once when it is not. */
export const hasChromium = executablePath !== undefined
if (!hasChromium) console.warn(`The tests of the dashboard are skipped: there is no ${executables.join(', ')}.`)

/** Draws maps in software, and resolves no host but localhost. */
const launchFlags = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader-webgl',
  '--enable-unsafe-swiftshader',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
]

/** A browser with one cached profile per site. `newContext` creates a fresh profile. */
export type Chromium = Pick<Browser, 'newContext' | 'close'> & { profileOf(site: string): Promise<BrowserContext> }

export async function openChromium(): Promise<Chromium> {
  const browser = await chromium.launch({ executablePath: executablePath!, args: launchFlags })
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

const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1400, height: 900 } }

export type BrowserPage = {
  context: BrowserContext
  page: Page
  /** URLs outside the site that were requested. */
  foreignRequests: string[]
  /** Exceptions in the page, and violations of its content security policy. */
  errors: string[]
}

/** Only with `drawsMap` has the browser WebGL 2: software draws each map for seconds, and most tests look elsewhere. */
type WindowOptions = { size?: keyof typeof sizes; scheme?: 'light' | 'dark'; drawsMap?: boolean }

/** Opens a page in a fresh profile, in a window size and color scheme. */
export async function openBrowserPage(
  browser: Pick<Browser, 'newContext'>,
  site: string,
  options: WindowOptions = {},
): Promise<BrowserPage> {
  return openPageIn(await newProfile(browser, site), site, options)
}

/** Opens a page in the cached profile of a site, with cookies and storage cleared. Only the HTTP cache remains. */
export async function openClearedPage(
  browser: Chromium,
  site: string,
  options: WindowOptions = {},
): Promise<BrowserPage> {
  const opened = await openPageIn(await browser.profileOf(site), site, options)
  const devtools = await opened.context.newCDPSession(opened.page)
  await devtools.send('Storage.clearDataForOrigin', {
    origin: site,
    storageTypes: 'cookies,local_storage,indexeddb,service_workers,cache_storage',
  })
  await devtools.detach()
  return opened
}

async function newProfile(browser: Pick<Browser, 'newContext'>, site: string): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: sizes.desktop,
    locale: 'en-US',
    timezoneId: 'America/Denver',
    baseURL: site,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(timeout_ms)
  context.setDefaultNavigationTimeout(timeout_ms)
  return context
}

/** Runs in the page. A worker has no canvas of the page, so this is all that asks for a context. */
const withoutWebGl = `{
  const contextOf = HTMLCanvasElement.prototype.getContext
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind.startsWith('webgl') ? null : contextOf.call(this, kind, ...rest)
  }
}`

async function openPageIn(
  context: BrowserContext,
  site: string,
  { size = 'desktop', scheme = 'light', drawsMap = false }: WindowOptions,
): Promise<BrowserPage> {
  const [foreignRequests, errors]: [string[], string[]] = [[], []]
  const page = await context.newPage()
  if (!drawsMap) await page.addInitScript(withoutWebGl)
  await page.setViewportSize(sizes[size])
  await page.emulateMedia({ colorScheme: scheme })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== new URL(site).origin && !/^(data|blob|about|chrome-error):$/.test(protocol))
      foreignRequests.push(request.url())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) errors.push(message.text())
  })
  return { context, page, foreignRequests, errors }
}
