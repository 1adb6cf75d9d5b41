import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { ApiError } from '../model/error.ts'
import { pagePaths } from '../web/paths.ts'
import { negotiateEncoding } from './static-body.ts'

/** Beside the bundle in the executable, among its other files; where scripts/web.ts puts it in the source. */
const assetFolder = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, '..', '..', 'dist', 'web')

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
}
const suffixes = { gzip: '.gz', zstd: '.zst' }
/** The hash of a file is in its name: what has the name is that file for ever. */
const immutableCacheControl = 'public, max-age=31536000, immutable'

/** The dashboard: one document at the address of every page, and the files that it loads. */
export const dashboardRoutes = (app: App) => {
  const names = new Set(existsSync(assetFolder) ? readdirSync(assetFolder) : [])
  const servePage = names.has('index.html') ? createPageHandler(app.config.tiles) : redirectToDocs
  const routes = new Elysia()
  for (const path of pagePaths) routes.get(path, ({ request }) => servePage(request))
  return routes.get('/assets/:name', async ({ request, params: { name } }) => {
    if (!names.has(`${name}.gz`) || !(extname(name) in contentTypes))
      throw new ApiError(
        'not_found',
        'There is no such file: the page that asks for it may be of an older version of this server. Reload it.',
      )
    const encoding = negotiateEncoding(request.headers.get('accept-encoding') ?? '')
    const file = Bun.file(join(assetFolder, name + suffixes[encoding === 'identity' ? 'gzip' : encoding]))
    // Only the compressed forms are kept: whoever takes neither is no browser.
    return new Response(encoding === 'identity' ? Bun.gunzipSync(await file.bytes()) : file, {
      headers: {
        'content-type': contentTypes[extname(name)]!,
        'cache-control': immutableCacheControl,
        vary: 'accept-encoding',
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
    })
  })
}

/** The one document of all pages; what loads it asks each time whether it is still the same. */
function createPageHandler(tiles: string | null): (request: Request) => Response {
  const policy = contentSecurityPolicy(tiles)
  const template = readFileSync(join(assetFolder, 'index.html'), 'utf8')
  const html =
    tiles === null
      ? template
      : template.replace('</head>', () => `<meta name="fieldstone-tiles" content="${Bun.escapeHTML(tiles)}"></head>`)
  const etag = `"${new Bun.CryptoHasher('sha256').update(html).update(policy).digest('hex').slice(0, 32)}"`
  const headers = {
    etag,
    'cache-control': 'no-cache',
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), payment=(), usb=()',
  }
  return ({ headers: requestHeaders }) =>
    requestHeaders.get('if-none-match') === etag
      ? new Response(null, { status: 304, headers })
      : new Response(html, { headers })
}

/** Nothing from elsewhere but the pictures of the map that the operator names; no text of the page can become a script. */
function contentSecurityPolicy(tiles: string | null): string {
  const tileOrigin = tiles === null ? '' : ` ${new URL(tiles).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${tileOrigin}`,
    `connect-src 'self'${tileOrigin}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')
}

/** A server that was started from source by hand, before anything was built. */
function redirectToDocs(): Response {
  return new Response(null, { status: 302, headers: { location: '/v1/docs' } })
}
