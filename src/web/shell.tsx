import { useEffect, useRef } from 'preact/hooks'
import { Button } from './components/buttons.tsx'
import { Brand, Icon } from './components/icons.tsx'
import type { PageProps, Dashboard } from './dashboard.ts'
import { usePageTitle } from './use-page-title.ts'
import { colorSchemes, type Theme, type ColorScheme } from './theme.ts'
import { signInUrl } from './session.ts'
import type { ComponentType } from 'preact'
import { fieldTitle } from './catalog-store.ts'
import { lazyPage } from './lazy.tsx'
import type { PagePath } from './paths.ts'

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
        <a class="head__brand" href="/">
          <Brand />
          Fieldstone
        </a>
        <nav ref={nav} class="head__nav" aria-label="Pages">
          {navLinks().map(([path, name]) => (
            <a key={path} href={path} aria-current={isPageUnder(page, path) ? 'page' : undefined}>
              {name}
            </a>
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

function navLinks(): [path: string, name: string][] {
  return Object.entries(pages).flatMap(([path, { title, isInNav }]) => (isInNav ? [[path, String(title)]] : []))
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
    <Button
      look="icon"
      icon={schemeIcons[current]}
      onClick={() => theme.setScheme(next)}
      aria-label={`Color scheme: ${schemeLabels[current]}. Change to ${schemeLabels[next]}.`}
      title={`Color scheme: ${schemeLabels[current]}`}
    />
  )
}

/** Shows the signed-in user, a sign-in link, or a retry button when the user could not be read. */
function AccountMenu({ dashboard }: PageProps) {
  const { router, session } = dashboard
  const user = session.user.value
  if (user.status === 'loading') return <span class="head__who" aria-hidden="true" />
  if (user.status === 'failed')
    return (
      <Button
        key="again"
        look="small"
        icon="refresh"
        title={`Your account could not be read. ${user.error.message}`}
        onClick={() => session.refresh()}
      >
        Try again<span class="unseen"> to read your account</span>
      </Button>
    )
  // Reads the location so that the sign-in link always returns to the current page.
  if (user.value === null && router.location.value)
    return (
      <a class="button button--small" href={signInUrl(window.location)}>
        Sign in
      </a>
    )
  if (user.value === null) return null
  return (
    <a
      class="head__who"
      href="/account"
      aria-label={`Account: ${user.value.name}`}
      aria-current={(router.location.value.page?.startsWith('/account') ?? false) ? 'page' : undefined}
    >
      <Icon name="person" />
      <span>{user.value.name}</span>
    </a>
  )
}

/**
 * How a page is shown. `title` is the tab title. Pages with `isInNav` are listed in the navigation, and `isWide` makes
 * the page fill the window.
 */
type PageEntry = {
  title: string | ((dashboard: Dashboard) => string)
  isInNav?: true
  isWide?: true
  Page: ComponentType<PageProps>
}

const AccountPage = lazyPage(() => import('./account/account.tsx'), 'AccountPage')

/** The pages in navigation order. Each is a separate chunk. */
const pages: Partial<Record<PagePath, PageEntry>> = {
  '/': {
    title: 'Explore',
    isInNav: true,
    isWide: true,
    Page: lazyPage(() => import('./explore/explore.tsx'), 'ExplorePage'),
  },
  '/areas': {
    title: 'Areas',
    isInNav: true,
    isWide: true,
    Page: lazyPage(() => import('./areas/areas.tsx'), 'AreasPage'),
  },
  '/ask': { title: 'Ask', isInNav: true, Page: lazyPage(() => import('./ask/ask.tsx'), 'AskPage') },
  '/runs': { title: 'Runs', isInNav: true, Page: lazyPage(() => import('./runs/runs.tsx'), 'RunsPage') },
  '/runs/:run_id': { title: 'Run', Page: lazyPage(() => import('./runs/run.tsx'), 'RunDetailPage') },
  '/catalog': { title: 'Catalog', isInNav: true, Page: lazyPage(() => import('./catalog/catalog.tsx'), 'CatalogPage') },
  '/catalog/:field': {
    title: ({ router, catalogStore }) => fieldTitle(router.location.value.parts.field ?? '', catalogStore),
    Page: lazyPage(() => import('./catalog/field-page.tsx'), 'FieldPage'),
  },
  '/coverage': {
    title: 'Coverage',
    isInNav: true,
    Page: lazyPage(() => import('./sources/coverage.tsx'), 'CoveragePage'),
  },
  '/sources': { title: 'Sources', isInNav: true, Page: lazyPage(() => import('./sources/sources.tsx'), 'SourcesPage') },
  '/account': { title: 'Account', Page: AccountPage },
  '/account/:part': { title: 'Account', Page: AccountPage },
}
