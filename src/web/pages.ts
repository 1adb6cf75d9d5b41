import type { ComponentType } from 'preact'
import { fieldTitle } from './catalog-store.ts'
import type { Dashboard, PageProps } from './dashboard.ts'
import { lazyPage } from './lazy.tsx'
import type { PagePath } from './paths.ts'

/**
 * How a page is shown. `title` is the tab title, `nav` the label in the navigation (pages without it are not listed),
 * and `isWide` makes the page fill the window.
 */
export type PageEntry = {
  title: string | ((dashboard: Dashboard) => string)
  nav?: string
  isWide?: true
  Page: ComponentType<PageProps>
}

/** The pages in navigation order. Each is a separate chunk. */
export const pages: Partial<Record<PagePath, PageEntry>> = {
  '/': {
    title: 'Explore',
    nav: 'Explore',
    isWide: true,
    Page: lazyPage(() => import('./explore/explore.tsx').then((it) => it.ExplorePage)),
  },
  '/areas': {
    title: 'Areas',
    nav: 'Areas',
    isWide: true,
    Page: lazyPage(() => import('./areas/areas.tsx').then((it) => it.AreasPage)),
  },
  '/ask': { title: 'Ask', nav: 'Ask', Page: lazyPage(() => import('./ask/ask.tsx').then((it) => it.AskPage)) },
  '/runs': { title: 'Runs', nav: 'Runs', Page: lazyPage(() => import('./runs/runs.tsx').then((it) => it.RunsPage)) },
  '/runs/:run_id': { title: 'Run', Page: lazyPage(() => import('./runs/run.tsx').then((it) => it.RunDetailPage)) },
  '/catalog': {
    title: 'Catalog',
    nav: 'Catalog',
    Page: lazyPage(() => import('./catalog/catalog.tsx').then((it) => it.CatalogPage)),
  },
  '/catalog/:field': {
    title: ({ router, catalogStore }) => fieldTitle(router.location.value.parts.field ?? '', catalogStore),
    Page: lazyPage(() => import('./catalog/field-page.tsx').then((it) => it.FieldPage)),
  },
  '/coverage': {
    title: 'Coverage',
    nav: 'Coverage',
    Page: lazyPage(() => import('./sources/coverage.tsx').then((it) => it.CoveragePage)),
  },
  '/sources': {
    title: 'Sources',
    nav: 'Sources',
    Page: lazyPage(() => import('./sources/sources.tsx').then((it) => it.SourcesPage)),
  },
  '/account': { title: 'Account', Page: lazyPage(() => import('./account/account.tsx').then((it) => it.AccountPage)) },
  '/account/:part': {
    title: 'Account',
    Page: lazyPage(() => import('./account/account.tsx').then((it) => it.AccountPage)),
  },
}
