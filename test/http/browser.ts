import { createHttpServer } from '../../src/http/server.ts'
import type { TestService } from '../support/test-service.ts'

/** A browser without scripts: it keeps cookies and submits the forms of the service. */
export type Browser = {
  get(address: string): Promise<BrowserResponse>
  /** Submits the form of a page with the typed values and the pressed button. */
  submit(
    page: BrowserResponse,
    typed?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<BrowserResponse>
  cookie(): string | null
}

export type BrowserResponse = {
  status: number
  headers: Headers
  text: string
  address: string
  location: string | null
}

/** Sends a request as any client on the network. */
export type SendRequest = (address: string, init?: RequestInit) => Promise<Response>

export function createSender({ app }: TestService): SendRequest {
  const http = createHttpServer(app)
  return (address, init = {}) => {
    const url = new URL(address, app.config.base_url)
    const headers = new Headers(init.headers)
    if (!headers.has('host')) headers.set('host', url.host)
    // TLS ends at the proxy.
    return http.handle(new Request(url.href.replace(/^https:/, 'http:'), { ...init, headers }))
  }
}

export function openBrowser(ask: SendRequest, base_url: string): Browser {
  let cookie: string | null = null
  const loaded = async (address: string, init: RequestInit = {}): Promise<BrowserResponse> => {
    const response = await ask(address, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), ...(cookie !== null && { cookie }) },
    })
    const set = response.headers.get('set-cookie')
    if (set !== null) cookie = set.includes('Max-Age=0') ? null : set.split(';')[0]!
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      address,
      location: response.headers.get('location'),
    }
  }
  return {
    get: (address) => loaded(address),
    submit(page, typed = {}, headers = {}) {
      const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? page.address
      const hidden = [
        ...page.text.matchAll(/<input type="hidden" name="(\w+)"(?: autocomplete="\w+")? value="([^"]*)"/g),
      ].map(([, name, value]) => [name!, unescaped(value!)])
      const body = new URLSearchParams({ ...(Object.fromEntries(hidden) as Record<string, string>), ...typed })
      return loaded(action, {
        method: 'POST',
        headers: { origin: new URL(base_url).origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: body.toString(),
      })
    },
    cookie: () => cookie,
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
