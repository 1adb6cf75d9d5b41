import { useEffect, useRef } from 'preact/hooks'
import { AccountMenu } from './account-menu.tsx'
import { Brand, Icon } from './components/icons.tsx'
import { Link } from './components/link.tsx'
import type { PageProps } from './dashboard.ts'
import { pages } from './pages.ts'
import { usePageTitle } from './use-page-title.ts'
import { colorSchemes, type Theme, type ColorScheme } from './theme.ts'

/** The frame of every page: navigation, theme switch and account menu. */
export function Shell({ dashboard }: PageProps) {
  const { page } = dashboard.router.location.value
  const entry = page === null ? undefined : pages[page]
  const main = useRef<HTMLElement>(null)
  const previousPage = useRef(page)
  const title = typeof entry?.title === 'function' ? entry.title(dashboard) : entry?.title
  usePageTitle(title ?? 'Page not found')
  useEffect(() => {
    // Announces page changes to screen readers.
    if (previousPage.current !== page) main.current?.focus({ preventScroll: true })
    previousPage.current = page
  }, [page])
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On narrow screens the navigation overflows, and its width depends on who is signed in.
    const observer = new ResizeObserver(() => nav.current && scrollToCurrent(nav.current))
    observer.observe(nav.current!)
    return () => observer.disconnect()
  }, [page])
  return (
    <>
      <a class="skip" href="#main">
        Skip to main content
      </a>
      <header class="head">
        <Link class="head__brand" to="/" dashboard={dashboard}>
          <Brand />
          Fieldstone
        </Link>
        <nav ref={nav} class="head__nav" aria-label="Pages">
          {navLinks().map(([path, name]) => (
            <Link key={path} to={path} dashboard={dashboard} isCurrent={isPageUnder(page, path)}>
              {name}
            </Link>
          ))}
          <a href="/guide">Guide</a>
          <a href="/v1/docs">API</a>
        </nav>
        <div class="head__side">
          <ThemeSwitch theme={dashboard.theme} />
          <AccountMenu dashboard={dashboard} />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} class={entry?.isWide ? 'main main--wide' : 'main'}>
        {entry ? <entry.Page dashboard={dashboard} /> : <NoSuchPage />}
      </main>
    </>
  )
}

function navLinks(): [string, string][] {
  return Object.entries(pages).flatMap(([path, { nav }]) => (nav === undefined ? [] : [[path, nav]]))
}

/** A subpage (such as one run) belongs to its parent page in the navigation. */
function isPageUnder(page: string | null, path: string): boolean {
  return page === path || (path !== '/' && page?.startsWith(`${path}/`) === true)
}

/** Scrolls the navigation until the current page is fully visible. */
function scrollToCurrent(nav: HTMLElement): void {
  const current = nav.querySelector('[aria-current]')?.getBoundingClientRect()
  if (!current) return
  const { left, right } = nav.getBoundingClientRect()
  nav.scrollLeft += Math.min(0, current.left - left) + Math.max(0, current.right - right)
}

function NoSuchPage() {
  return (
    <section class="empty">
      <h1>Page not found</h1>
      <p>The address may be mistyped, or it may belong to a newer version of this server.</p>
    </section>
  )
}

const schemeLabels: Record<ColorScheme, string> = { auto: 'system', light: 'light', dark: 'dark' }
const schemeIcons = { auto: 'contrast', light: 'sun', dark: 'moon' } as const

/** A button that cycles through the color schemes: system, light, dark. */
function ThemeSwitch({ theme }: { theme: Theme }) {
  const current = theme.scheme.value
  const next = colorSchemes[(colorSchemes.indexOf(current) + 1) % colorSchemes.length]!
  return (
    <button
      type="button"
      class="icon-button"
      onClick={() => theme.setScheme(next)}
      aria-label={`Color scheme: ${schemeLabels[current]}. Change to ${schemeLabels[next]}.`}
      title={`Color scheme: ${schemeLabels[current]}`}
    >
      <Icon name={schemeIcons[current]} />
    </button>
  )
}
