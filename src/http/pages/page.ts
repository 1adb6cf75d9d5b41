import { brandSvg, faviconHref, pageStyle } from './page-style.ts'

/** Safe HTML. Only `html` creates it. */
export type Html = { html: string }

/** Tagged template for HTML. Values are escaped unless they are `Html`. */
export function html(parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  const render = (value: string | Html | Html[]): string => {
    if (typeof value === 'string') return Bun.escapeHTML(value)
    return Array.isArray(value) ? value.map(render).join('') : value.html
  }
  return { html: parts.map((part, i) => part + (i < values.length ? render(values[i]!) : '')).join('') }
}

/** Documents with one style and no scripts, which load nothing. */
export type DocumentKind = {
  /** Returns a whole document. `title` is that of the browser tab, `head` more of the head. */
  render(title: string, body: Html, head?: Html): string
  /** Returns the policy. `formAction` are the origins that forms may be sent to. */
  policy(formAction: string): string
}

export function createDocumentKind(style: string): DocumentKind {
  // The hash covers every byte of the element, so no formatter may change the space around the style.
  const styleElement: Html = { html: `<style>${style}</style>` }
  const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
  return {
    render: (title, body, head = { html: '' }) =>
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>${title}</title>
            <link rel="icon" href="${faviconHref}" />
            ${head} ${styleElement}
          </head>
          <body>
            ${body}
          </body>
        </html> `.html,
    policy: (formAction) =>
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
  }
}

const smallPage = createDocumentKind(pageStyle)

/**
 * `formTarget` is another origin that a form may redirect to. `cookie` is the Set-Cookie header. `isWide` makes room
 * for a table.
 */
export type PageOptions = {
  title: string
  status?: number
  formTarget?: string
  cookie?: string | null
  retry_after_s?: number
  isWide?: boolean
}

/** Returns a server-rendered page: no scripts, no external content, no framing, no caching. */
export function renderPage(
  { title, status = 200, formTarget = '', cookie = null, retry_after_s, isWide = false }: PageOptions,
  body: Html,
): Response {
  const document = smallPage.render(
    `${title} · Fieldstone`,
    html`<header class="head"><a href="/">${{ html: brandSvg }}Fieldstone</a></header>
      <main ${isWide ? html`class="wide"` : html``}>
        <h1>${title}</h1>
        ${body}
      </main>`,
    html`<link rel="alternate" type="application/ld+json" href="/catalog.jsonld" />`,
  )
  return new Response(document, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      // With no-referrer, forms would send `Origin: null`.
      'referrer-policy': 'same-origin',
      'content-security-policy': smallPage.policy(`'self' ${formTarget}`.trimEnd()),
      ...(cookie !== null && { 'set-cookie': cookie }),
      ...(retry_after_s !== undefined && { 'retry-after': String(retry_after_s) }),
    },
  })
}

/** A table with the headings of its columns. */
export function renderTable(headings: readonly string[], rows: Html[], caption: Html[] = []): Html {
  return html`<table>
    ${caption}
    <thead>
      <tr>
        ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

/** The paths that serve HTML to users. */
const pagePattern =
  /^\/(sign-in(?:\/[^/]*)?|sign-out|device|oauth\/authorize|invitation\/[^/]*|shared\/[^/]*(?:\/(?:csv|geojson))?)$/

export function isHtmlPage(path: string): boolean {
  return pagePattern.test(path)
}

/** Whether a browser asks for a page: a path outside of the API, and HTML is accepted. */
export function wantsPage({ method, headers }: Request, path: string): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    !/^\/(?:v1|mcp|oauth|assets|\.well-known)(?:\/|$)/.test(path) &&
    (headers.get('accept') ?? '').includes('text/html')
  )
}

/** The page of a path that does not exist. */
export function notFoundPage(path: string): Response {
  return renderPage(
    { title: 'Page not found', status: 404 },
    html`<p>There is no page at <strong>${path.slice(0, 200)}</strong>. Check the address.</p>
      <p><a href="/">Start page</a> · <a href="/guide">Guide</a> · <a href="/v1/docs">API reference</a></p>`,
  )
}

/** Returns an error as a page. */
export function errorPage(status: number, message: string): Response {
  return renderPage(
    { title: status === 404 ? 'Not found' : 'Something went wrong', status },
    html`<p role="alert">${message}</p>
      <p><a href="/">Go to the start page</a></p>`,
  )
}

/** Redirects to another page with GET. */
export function redirectTo(location: string, cookie: string | null = null): Response {
  return new Response(null, {
    status: 303,
    headers: {
      location,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      ...(cookie !== null && { 'set-cookie': cookie }),
    },
  })
}
