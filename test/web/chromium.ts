import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** Playwright's own 30 s are too few where the machine has other things to do. */
const patience_ms = 100_000
const executablePath = places.find((path) => existsSync(path))

/** Whether there is a browser to test with; said once where there is none. */
export const hasChromium = executablePath !== undefined
if (!hasChromium) console.warn(`The tests of the dashboard are skipped: there is no ${places.join(', ')}.`)

/** The browser, without a window, drawing maps by the processor. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] })
}

export const sizes = { phone: { width: 360, height: 740 }, desk: { width: 1400, height: 900 } }

export type Seen = {
  context: BrowserContext
  page: Page
  /** Addresses outside the site that something asked for. */
  strays: string[]
  /** What was thrown in the page, and what its policy refused. */
  faults: string[]
}

/** A window on a site: at a size, light or dark. Nothing outside the site is let through. */
export async function openWindow(browser: Browser, site: string, { size = 'desk', scheme = 'light' }: { size?: keyof typeof sizes; scheme?: 'light' | 'dark' } = {}): Promise<Seen> {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme: scheme, locale: 'en-US', timezoneId: 'America/Denver', baseURL: site, reducedMotion: 'reduce' })
  context.setDefaultTimeout(patience_ms)
  context.setDefaultNavigationTimeout(patience_ms)
  const [strays, faults]: [string[], string[]] = [[], []]
  await context.route((url) => url.origin !== new URL(site).origin && !/^(data|blob):$/.test(url.protocol), (route) => {
    strays.push(route.request().url())
    return route.abort()
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text())
  })
  return { context, page, strays, faults }
}
