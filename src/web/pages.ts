import type { ComponentType } from 'preact'
import { fieldTitle } from './catalog/field-title.ts'
import type { Dashboard, PageProps } from './dashboard.ts'
import { later } from './later.tsx'
import type { PagePath } from './paths.ts'

/** How a page is shown. `title`: what the tab is called. `nav`: its name in the head of the dashboard, for those that stand there. `isWide`: it fills the window. */
export type PageEntry = {
  title: string | ((dashboard: Dashboard) => string)
  nav?: string
  isWide?: true
  Page: ComponentType<PageProps>
}

/** The pages, in the order of the head. Each is a chunk of its own. */
export const pages: Partial<Record<PagePath, PageEntry>> = {
  '/': {
    title: 'Explore',
    nav: 'Explore',
    isWide: true,
    Page: later(() => import('./explore/explore.tsx').then((it) => it.Explore)),
  },
  '/ask': { title: 'Ask', nav: 'Ask', Page: later(() => import('./ask/ask.tsx').then((it) => it.Ask)) },
  '/runs': { title: 'Runs', nav: 'Runs', Page: later(() => import('./runs/runs.tsx').then((it) => it.Runs)) },
  '/runs/:run_id': { title: 'Run', Page: later(() => import('./runs/run.tsx').then((it) => it.Run)) },
  '/catalog': {
    title: 'Catalog',
    nav: 'Catalog',
    Page: later(() => import('./catalog/catalog.tsx').then((it) => it.Catalog)),
  },
  '/catalog/:field': {
    title: fieldTitle,
    Page: later(() => import('./catalog/field-page.tsx').then((it) => it.FieldPage)),
  },
  '/sources': {
    title: 'Sources',
    nav: 'Sources',
    Page: later(() => import('./sources/sources.tsx').then((it) => it.Sources)),
  },
  '/account': { title: 'Account', Page: later(() => import('./account/account.tsx').then((it) => it.Account)) },
  '/account/:part': { title: 'Account', Page: later(() => import('./account/account.tsx').then((it) => it.Account)) },
}
