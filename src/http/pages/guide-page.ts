import { guideSections, type GuidePage } from '../../web/guide/pages.ts'
import type { GuideHit } from './guide-search.ts'
import { guideStyle } from './guide-style.ts'
import { createDocumentKind, html, type Html } from './page.ts'
import { brandSvg } from './page-style.ts'

const guideDocument = createDocumentKind(guideStyle)
const brand: Html = { html: brandSvg }

/** The headers of every HTML page of the guide. */
export const guideHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'content-security-policy': guideDocument.policy("'self'"),
}

export type GuidePages = ReadonlyMap<string, GuidePage>

/** A page with its headings, and links to its neighbors and its Markdown. */
export function guidePageHtml(page: GuidePage, pages: GuidePages): string {
  const names = [...pages.keys()]
  const at = names.indexOf(page.name)
  const [previous, next] = [pages.get(names[at - 1] ?? ''), pages.get(names[at + 1] ?? '')]
  return layout({
    title: page.title,
    pages,
    current: page.name,
    side: headingList(page),
    body: html`${{ html: page.html }}
      <footer class="foot">
        ${previous ? [html`<a href="/guide/${previous.name}" rel="prev">← ${previous.title}</a>`] : []}
        ${next ? [html`<a href="/guide/${next.name}" rel="next">${next.title} →</a>`] : []}
        <a href="/guide/${page.name}.md">Markdown</a>
      </footer>`,
  })
}

/** The contents: every page with its first paragraph. */
export function guideContentsHtml(pages: GuidePages): string {
  return layout({
    title: 'Guide',
    pages,
    body: html`<h1>Guide</h1>
      ${contentsList(pages)}`,
  })
}

export function guideSearchHtml(query: string, hits: GuideHit[], pages: GuidePages): string {
  const body = html`<h1>Search</h1>
    <p>
      ${hits.length === 0 ? 'No section of the guide has these words: ' : `Sections of the guide for: `}<b>${query}</b>
    </p>
    ${
      hits.length === 0
        ? contentsList(pages)
        : html`<ul class="results">
            ${hits.map(hitItem)}
          </ul>`
    }`
  return layout({ title: 'Search', pages, query, body })
}

export function guideNotFoundHtml(pages: GuidePages): string {
  const body = html`<h1>This page does not exist</h1>
    <p>The <a href="/guide">guide</a> has these pages:</p>
    ${contentsList(pages)}`
  return layout({ title: 'Page not found', pages, body })
}

function hitItem({ page, title, anchor, heading, excerpt }: GuideHit): Html {
  const parts = excerpt.map((text, i) => (i % 2 === 1 ? html`<mark>${text}</mark>` : html`${text}`))
  const name = heading === title ? title : `${title}: ${heading}`
  return html`<li>
    <a href="/guide/${page}#${anchor}">${name}</a>
    <p class="soft">${parts}</p>
  </li>`
}

function contentsList(pages: GuidePages): Html[] {
  return guideSections.map(
    ({ title, pages: names }) =>
      html`<h2>${title}</h2>
        <ul class="results">
          ${pagesNamed(names, pages).map(
            (page) =>
              html`<li>
                <a href="/guide/${page.name}">${page.title}</a>
                <p class="soft">${page.blocks[0]?.text ?? ''}</p>
              </li>`,
          )}
        </ul>`,
  )
}

function headingList({ headings }: GuidePage): Html {
  const items = headings
    .filter(({ level }) => level === 2 || level === 3)
    .map(({ id, level, text }) => html`<li><a href="#${id}" class="${level === 3 ? 'sub' : 'top'}">${text}</a></li>`)
  return html`<nav class="here" aria-label="On this page">
    <h2>On this page</h2>
    <ul>
      ${items}
    </ul>
  </nav>`
}

function pageList(pages: GuidePages, current: string): Html {
  const link = ({ name, title }: GuidePage) =>
    name === current
      ? html`<li><a href="/guide/${name}" aria-current="page">${title}</a></li>`
      : html`<li><a href="/guide/${name}">${title}</a></li>`
  const parts = guideSections.map(
    ({ title, pages: names }) =>
      html`<h2>${title}</h2>
        <ul>
          ${pagesNamed(names, pages).map(link)}
        </ul>`,
  )
  return html`<nav class="pages" aria-label="Guide">${parts}</nav>`
}

function pagesNamed(names: readonly string[], pages: GuidePages): GuidePage[] {
  return names.flatMap((name) => pages.get(name) ?? [])
}

type Layout = { title: string; pages: GuidePages; body: Html; current?: string; query?: string; side?: Html }

function layout({ title, pages, body, current = '', query = '', side }: Layout): string {
  return guideDocument.render(
    `${title} · Fieldstone guide`,
    html`<a class="skip" href="#content">Skip to the content</a>
      <header class="head">
        <a class="home" href="/">${brand}Fieldstone</a>
        <a href="/guide">Guide</a>
        <a href="/v1/docs">API</a>
        <form role="search" action="/guide">
          <input
            type="search"
            name="q"
            value="${query}"
            placeholder="Search"
            aria-label="Search the guide"
            maxlength="200"
            required
          />
          <button>Search</button>
        </form>
      </header>
      <div class="columns">
        <main id="content">${body}</main>
        ${pageList(pages, current)} ${side ?? []}
      </div>`,
  )
}
