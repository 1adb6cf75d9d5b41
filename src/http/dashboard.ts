import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { ApiError } from '../model/error.ts'
import { pagePaths } from '../web/paths.ts'
import { codingOf } from './frozen.ts'

/** Beside the bundle in the executable, among its other files; where scripts/web.ts puts it in the source. */
const folder = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, '..', '..', 'dist', 'web')

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.json': 'application/json',
}
const suffixes = { gzip: '.gz', zstd: '.zst' }
/** The hash of a file is in its name: what has the name is that file for ever. */
const forEver = 'public, max-age=31536000, immutable'

/** The dashboard: one document at the address of every page, and the files that it loads. */
export const dashboardRoutes = (app: App) => {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : [])
  const page = names.has('index.html') ? documentOf(app.config.tiles) : notBuilt
  const routes = new Elysia()
  for (const path of pagePaths) routes.get(path, ({ request }) => page(request))
  return routes
    .get('/assets/:name', async ({ request, params: { name } }) => {
      if (!names.has(`${name}.gz`) || !(extname(name) in types)) throw new ApiError('not_found', 'There is no such file: the page that asks for it may be of an older version of this server. Reload it.')
      const coding = codingOf(request.headers.get('accept-encoding') ?? '')
      const file = Bun.file(join(folder, name + suffixes[coding === 'identity' ? 'gzip' : coding]))
      // Only the compressed forms are kept: whoever takes neither is no browser.
      return new Response(coding === 'identity' ? Bun.gunzipSync(await file.bytes()) : file, {
        headers: { 'content-type': types[extname(name)]!, 'cache-control': forEver, vary: 'accept-encoding', ...(coding !== 'identity' && { 'content-encoding': coding }) },
      })
    })
}

/** The one document of all pages; what loads it asks each time whether it is still the same. */
function documentOf(tiles: string | null): (request: Request) => Response {
  const policy = policyFor(tiles)
  const built = readFileSync(join(folder, 'index.html'), 'utf8')
  const html = tiles === null ? built : built.replace('</head>', () => `<meta name="fieldstone-tiles" content="${Bun.escapeHTML(tiles)}"></head>`)
  const etag = `"${new Bun.CryptoHasher('sha256').update(html).update(policy).digest('hex').slice(0, 32)}"`
  const headers = {
    etag, 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin', 'permissions-policy': 'camera=(), microphone=(), payment=(), usb=()',
  }
  return ({ headers: asked }) => (asked.get('if-none-match') === etag ? new Response(null, { status: 304, headers }) : new Response(html, { headers }))
}

/** Nothing from elsewhere but the pictures of the map that the operator names; no text of the page can become a script. */
function policyFor(tiles: string | null): string {
  const from = tiles === null ? '' : ` ${new URL(tiles).origin}`
  return [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", `img-src 'self' data: blob:${from}`, `connect-src 'self'${from}`, "worker-src 'self'",
    "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types default",
  ].join('; ')
}

/** A server that was started from source by hand, before anything was built. */
function notBuilt(): Response {
  return new Response(null, { status: 302, headers: { location: '/v1/docs' } })
}
