import type { App } from '../app.ts'
import type { Account, Accounts, Scope } from '../auth/accounts.ts'
import { ApiError } from '../model/error.ts'
import { pageOf } from '../web/paths.ts'
import { isAtHome, metricsPath } from './at-home.ts'
import { bodyMax_bytes, mustBeSmall, runBodyMax_bytes } from './body.ts'
import { mustBeOurOrigin, mustBeSameOrigin } from './origin.ts'

/** The wall in front of every route, in the order of judgement: host, size, token. Throws the refusal. */
export function wallOf(app: App): (request: Request, path: string) => void {
  const hosts = new Set(app.config.allowedHosts)
  const isReadOnItsOwnMachine = isAtHome(app.config)
  return (request, path) => {
    mustBeOurHost(request.headers.get('host') ?? '', hosts)
    mustBeSmall(request, path === '/v1/runs' ? runBodyMax_bytes : bodyMax_bytes)
    // Where nobody has to sign in, the page of a stranger in the owner's browser must not ask in the owner's name.
    if (path === '/mcp' || app.accounts.everybody) mustBeOurOrigin(request, hosts)
    if (!isOpen(path) && !(path === metricsPath && isReadOnItsOwnMachine)) entered.set(request, { account: accountOf(request, path, app), path, app, isCounted: false })
  }
}

/** The account that a request is made for; its token must allow what is needed, and it must not have asked too often. */
export function allowing(request: Request, needed: Scope | 'any', accounts: Accounts): Account {
  const entry = entered.get(request)
  const account = entry?.account ?? accounts.account(request.headers.get('authorization'))
  if (needed !== 'any' && !account.scopes.has(needed)) {
    throw new ApiError('insufficient_scope', `This token does not allow ${needed}: make one with that scope.`, { required: [needed], granted: [...account.scopes] })
  }
  if (entry && !entry.isCounted) count(entry)
  return account
}

/** Where the account of a request stands with what it may ask for. */
export function standingOf(request: Request): Record<string, string> {
  const entry = entered.get(request)
  return entry ? entry.app.access.rate.headers(entry.account) : {}
}

/** Whether an answer is for one account alone, so that nobody on the way may keep it. What is asked by POST is kept by nobody anyway. */
export function isPrivate(request: Request): boolean {
  return entered.has(request) && (request.method === 'GET' || request.method === 'HEAD')
}

/** What the X-CSRF-Token of a browser's session must be; null for who came with a token. */
export function csrfTokenOf(request: Request): string | null {
  const entry = entered.get(request)
  if (entry?.account.via !== 'session') return null
  const { sessions } = entry.app.access
  return sessions.formToken(sessions.secretIn(request.headers.get('cookie'))!)
}

/** Those who came through the wall with an account: it is asked for once a request. */
const entered = new WeakMap<Request, Entry>()
type Entry = { account: Account; path: string; app: App; isCounted: boolean }

/** Once a request, however often it is asked what it may do. */
function count(entry: Entry): void {
  entry.isCounted = true
  const { account, path, app: { access } } = entry
  access.rate.admit(account)
  access.usage.request(account.id, path)
}

/** By the token; under /v1 also by the session of a browser, which must show that it is our own page that writes. */
function accountOf(request: Request, path: string, { accounts, access: { sessions }, config }: App): Account {
  const authorization = request.headers.get('authorization')
  const secret = authorization === null && path !== '/mcp' && !accounts.everybody ? sessions.secretIn(request.headers.get('cookie')) : null
  const signedIn = secret === null ? null : sessions.accountOf(secret)
  if (!signedIn) return accounts.account(authorization, path === '/mcp' ? 'mcp' : 'v1')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    mustBeSameOrigin(request, config.base_url)
    if (!sessions.isFormToken(secret, request.headers.get('x-csrf-token') ?? '')) throw new ApiError('origin_not_allowed', 'A request with a session that writes carries the X-CSRF-Token that GET /v1/users/me gives.')
  }
  return signedIn
}

const openPaths = new Set([
  '/healthz', '/readyz', '/v1/docs', '/v1/openapi.json', '/sign-in', '/sign-out', '/device',
  '/oauth/authorize', '/oauth/token', '/oauth/revoke', '/oauth/register', '/oauth/device_authorization',
])
const openFolders = ['/v1/meta/', '/v1/docs/', '/.well-known/', '/invitation/', '/assets/']

function isOpen(path: string): boolean {
  return openPaths.has(path) || openFolders.some((folder) => path.startsWith(folder)) || (!path.startsWith('/v1/') && pageOf(path) !== null)
}

function mustBeOurHost(host: string, allowed: ReadonlySet<string>): void {
  if (host.includes(',')) throw new ApiError('bad_request', 'The request has more than one Host header.')
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
  if (!allowed.has(name)) throw new ApiError('host_not_allowed', `This server does not answer to the name ${JSON.stringify(name.slice(0, 100))}: add it to FIELDSTONE_ALLOWED_HOSTS if it is its own.`)
}
