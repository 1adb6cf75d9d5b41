import type { App } from '../app.ts'
import type { Account, AccountManager, Scope } from '../auth/accounts.ts'
import { ApiError } from '../model/error.ts'
import { matchPage } from '../web/paths.ts'
import { areMetricsPublic, metricsPath } from './metrics-access.ts'
import { bodyMax_bytes, requireSmallBody, runBodyMax_bytes } from './body.ts'
import { requireAllowedOrigin, requireSameOrigin } from './origin.ts'

/** The wall in front of every route, in the order of judgement: host, size, token. Throws the refusal. */
export function createGuard(app: App): (request: Request, path: string) => void {
  const allowedHosts = new Set(app.config.allowedHosts)
  const isMetricsPublic = areMetricsPublic(app.config)
  return (request, path) => {
    requireAllowedHost(request.headers.get('host') ?? '', allowedHosts)
    requireSmallBody(request, path === '/v1/runs' ? runBodyMax_bytes : bodyMax_bytes)
    // Where nobody has to sign in, the page of a stranger in the owner's browser must not ask in the owner's name.
    if (path === '/mcp' || app.accounts.defaultAccount) requireAllowedOrigin(request, allowedHosts)
    if (!isPublicPath(path) && !(path === metricsPath && isMetricsPublic))
      authenticated.set(request, { account: authenticateRequest(request, path, app), path, app, isCounted: false })
  }
}

/** The account that a request is made for; its token must allow what is needed, and it must not have asked too often. */
export function requireScope(request: Request, scope: Scope | 'any', accounts: AccountManager): Account {
  const authenticatedRequest = authenticated.get(request)
  const account = authenticatedRequest?.account ?? accounts.authenticate(request.headers.get('authorization'))
  if (scope !== 'any' && !account.scopes.has(scope)) {
    throw new ApiError('insufficient_scope', `This token does not allow ${scope}: make one with that scope.`, {
      required: [scope],
      granted: [...account.scopes],
    })
  }
  if (authenticatedRequest && !authenticatedRequest.isCounted) countRequest(authenticatedRequest)
  return account
}

/** Where the account of a request stands with what it may ask for. */
export function rateLimitHeaders(request: Request): Record<string, string> {
  const entry = authenticated.get(request)
  return entry ? entry.app.access.rateLimiter.headers(entry.account) : {}
}

/** Whether an answer is for one account alone, so that nobody on the way may keep it. What is asked by POST is kept by nobody anyway. */
export function isResponsePrivate(request: Request): boolean {
  return authenticated.has(request) && (request.method === 'GET' || request.method === 'HEAD')
}

/** What the X-CSRF-Token of a browser's session must be; null for who came with a token. */
export function csrfTokenOf(request: Request): string | null {
  const entry = authenticated.get(request)
  if (entry?.account.via !== 'session') return null
  const { sessions } = entry.app.access
  return sessions.csrfToken(sessions.secretFromCookie(request.headers.get('cookie'))!)
}

/** Those who came through the wall with an account: it is asked for once a request. */
const authenticated = new WeakMap<Request, AuthenticatedRequest>()
type AuthenticatedRequest = { account: Account; path: string; app: App; isCounted: boolean }

/** Once a request, however often it is asked what it may do. */
function countRequest(entry: AuthenticatedRequest): void {
  entry.isCounted = true
  const {
    account,
    path,
    app: { access },
  } = entry
  access.rateLimiter.admit(account)
  access.usage.recordRequest(account.id, path)
}

/** By the token; under /v1 also by the session of a browser, which must show that it is our own page that writes. */
function authenticateRequest(request: Request, path: string, { accounts, access: { sessions }, config }: App): Account {
  const authorization = request.headers.get('authorization')
  const secret =
    authorization === null && path !== '/mcp' && !accounts.defaultAccount
      ? sessions.secretFromCookie(request.headers.get('cookie'))
      : null
  const sessionAccount = secret === null ? null : sessions.accountOf(secret)
  if (!sessionAccount) return accounts.authenticate(authorization, path === '/mcp' ? 'mcp' : 'v1')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    requireSameOrigin(request, config.base_url)
    if (!sessions.isCsrfToken(secret, request.headers.get('x-csrf-token') ?? ''))
      throw new ApiError(
        'origin_not_allowed',
        'A request with a session that writes carries the X-CSRF-Token that GET /v1/users/me gives.',
      )
  }
  return sessionAccount
}

const publicPaths = new Set([
  '/healthz',
  '/readyz',
  '/v1/docs',
  '/v1/openapi.json',
  '/sign-in',
  '/sign-out',
  '/device',
  '/oauth/authorize',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/register',
  '/oauth/device_authorization',
])
const publicPrefixes = ['/v1/meta/', '/v1/docs/', '/.well-known/', '/invitation/', '/assets/']

function isPublicPath(path: string): boolean {
  return (
    publicPaths.has(path) ||
    publicPrefixes.some((folder) => path.startsWith(folder)) ||
    (!path.startsWith('/v1/') && matchPage(path) !== null)
  )
}

function requireAllowedHost(host: string, allowedHosts: ReadonlySet<string>): void {
  if (host.includes(',')) throw new ApiError('bad_request', 'The request has more than one Host header.')
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
  if (!allowedHosts.has(name))
    throw new ApiError(
      'host_not_allowed',
      `This server does not answer to the name ${JSON.stringify(name.slice(0, 100))}: add it to FIELDSTONE_ALLOWED_HOSTS if it is its own.`,
    )
}
