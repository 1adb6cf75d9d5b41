import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { ApiError } from '../../model/error.ts'
import { pagePaths } from '../../web/paths.ts'
import { hasEtag, negotiateEncoding } from './static-body.ts'

/** The executable embeds the assets beside the bundle. From source, scripts/web.ts writes them to dist/web. */
export const assetFolder = Bun.isStandaloneExecutable
  ? import.meta.dir
  : join(import.meta.dir, '..', '..', '..', 'dist', 'web')

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
}
/** File names contain the hash of the content, so a cached file never goes stale. */
const immutableCacheControl = 'public, max-age=31536000, immutable'

/** Serves the dashboard: one HTML document at every page path, and its assets. */
export const dashboardRoutes = (app: App) => {
  const names = new Set(existsSync(assetFolder) ? readdirSync(assetFolder) : [])
  const servePage = names.has('index.html') ? createPageHandler(app.config.tiles) : redirectToDocs
  const zipped = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  const routes = new Elysia()
  for (const path of pagePaths) routes.get(path, ({ request }) => servePage(request))
  return routes.get('/assets/:name', async ({ request, params: { name } }) => {
    if (!names.has(`${name}.zst`) || !(extname(name) in contentTypes))
      throw new ApiError(
        'not_found',
        'Asset not found. The page may be from an older version of this server. Reload it.',
      )
    const encoding = negotiateEncoding(request.headers.get('accept-encoding') ?? '')
    const file = Bun.file(join(assetFolder, `${name}.zst`))
    const unpack = async () => Bun.zstdDecompress(await file.bytes())
    // The executable holds only zstd. For browsers without it, the gzip of a file is made once.
    const zip = async () => new Uint8Array(await promisify(gzip)(await unpack()))
    if (encoding === 'gzip' && !zipped.has(name)) zipped.set(name, zip())
    const body = encoding === 'zstd' ? file : await (encoding === 'gzip' ? zipped.get(name)! : unpack())
    return new Response(body, {
      headers: {
        'content-type': contentTypes[extname(name)]!,
        'cache-control': immutableCacheControl,
        vary: 'accept-encoding',
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
    })
  })
}

/** Returns a handler that serves the HTML document with an ETag, for revalidation on every load. */
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
