import { brandSvg, pageStyle } from './page-style.ts'

/** Text that is HTML already: made by `html` alone. */
export type Html = { html: string }

/** HTML of a template; whatever is put in is text, and is escaped, unless it is HTML already. */
export function html(parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  const render = (value: string | Html | Html[]): string => {
    if (typeof value === 'string') return Bun.escapeHTML(value)
    return Array.isArray(value) ? value.map(render).join('') : value.html
  }
  return { html: parts.map((part, i) => part + (i < values.length ? render(values[i]!) : '')).join('') }
}

const styleHash = new Bun.CryptoHasher('sha256').update(pageStyle).digest('base64')

/** `formTo`: where a form of the page may lead beside this server. `cookie`: what the browser is to keep. */
export type PageOptions = {
  title: string
  status?: number
  formTarget?: string
  cookie?: string | null
  retry_after_s?: number
}

/** A page of our own: no script, nothing from elsewhere, in nobody's frame, kept by nobody. */
export function renderPage(
  { title, status = 200, formTarget = '', cookie = null, retry_after_s }: PageOptions,
  body: Html,
): Response {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Fieldstone</title>
        <link rel="icon" href="data:," />
        <style>
          ${{ html: pageStyle }}
        </style>
      </head>
      <body>
        <header class="head"><a href="/">${{ html: brandSvg }}Fieldstone</a></header>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `
  return new Response(document.html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      // A form of a page without a referrer would say that it comes from nowhere.
      'referrer-policy': 'same-origin',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action 'self'${formTarget === '' ? '' : ` ${formTarget}`}; base-uri 'none'; frame-ancestors 'none'`,
      ...(cookie !== null && { 'set-cookie': cookie }),
      ...(retry_after_s !== undefined && { 'retry-after': String(retry_after_s) }),
    },
  })
}

/** The addresses at which people look, and not programs. */
const pagePattern = /^\/(sign-in|sign-out|device|oauth\/authorize|invitation\/[^/]*)$/

export function isHtmlPage(path: string): boolean {
  return pagePattern.test(path)
}

/** A refusal, for people. */
export function errorPage(status: number, message: string): Response {
  return renderPage(
    { title: 'This did not work', status },
    html`<p role="alert">${message}</p>
      <p><a href="/">To the start page</a></p>`,
  )
}

/** To another page, by GET. */
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
