import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { pagePaths } from '../../web/paths.ts'
import { assetFolder, createAssetHandler } from './assets.ts'
import { hasEtag } from './static-body.ts'

const indexFile = join(assetFolder, 'index.html')
/** File names contain the hash of the content, so a cached file never goes stale. */
const immutableCacheControl = 'public, max-age=31536000, immutable'

/** Serves the dashboard: one HTML document at every page path, and its assets. */
export const dashboardRoutes = (app: App) => {
  const servePage = existsSync(indexFile) ? createPageHandler(app.config.tiles) : redirectToDocs
  const serveAsset = createAssetHandler(immutableCacheControl)
  const routes = new Elysia()
  for (const path of pagePaths) routes.get(path, ({ request }) => servePage(request))
  return routes.get('/assets/:name', ({ request, params: { name } }) => serveAsset(request, name))
}

/** Returns a handler that serves the HTML document with an ETag, for revalidation on every load. */
function createPageHandler(tiles: string | null): (request: Request) => Response {
  const policy = contentSecurityPolicy(tiles)
  const template = readFileSync(indexFile, 'utf8')
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
    hasEtag(requestHeaders, [etag]) ? new Response(null, { status: 304, headers }) : new Response(html, { headers })
}

/** Returns a policy that allows only this origin and the configured map tiles, with Trusted Types. */
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

/** Used when the service runs from source and the dashboard is not built. */
function redirectToDocs(): Response {
  return new Response(null, { status: 302, headers: { location: '/v1/docs' } })
}
