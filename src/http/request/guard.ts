import type { App } from '../../app.ts'
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts'
import type { Account } from '../../auth/accounts.ts'
import { ApiError } from '../../model/error.ts'
import { StorageError } from '../../store/storage-error.ts'
import { bodyMax_bytes, BodyQueue, requireSmallBody, runBodyMax_bytes } from './body.ts'
import { requireAllowedOrigin, requireSameOrigin } from './client-address.ts'
import type { AppliedLimits, RequiredScope } from './operation.ts'
import { createPublicPathCheck, pathOf } from './route-access.ts'
import type { PacedReader } from '../runs/paced-stream.ts'
import { ReaderSlots } from '../runs/reader-slots.ts'

/** Answers a request. */
export type RequestHandler = (request: Request) => MaybePromise<Response>

/** Creates the checks before every route: the host, then the body size, then the token. */
export function createGuard(app: App) {
  const check = createChecks(app)
  const errors = new WeakMap<Request, unknown>()
  return {
    /**
     * Checks each request before the handler gets it. The handler waits only if the account must be read from the
     * database. If Elysia checked the requests, it would make every request wait.
     */
    before: (handler: RequestHandler) => (request: Request) => {
      const pending = checkRequest(request)
      const response = pending ? pending.then(() => handler(request)) : handler(request)
      if (!app.access.rateLimiter.hasReservations) return response
      return Promise.resolve(response).finally(() => endReservation(request))
    },
    /** Throws the error of a request that did not pass. */
    requirePassed(request: Request) {
      if (errors.has(request)) throw errors.get(request)
    },
  }

  function checkRequest(request: Request): MaybePromise<void> {
    try {
      return check(request, pathOf(request.url))?.catch((error: unknown) => void errors.set(request, error))
    } catch (error) {
      errors.set(request, error)
    }
  }
}

function createChecks(app: App): (request: Request, path: string) => MaybePromise<void> {
  const allowedHosts = new Set(app.config.allowedHosts)
  const allowedPages = { hosts: allowedHosts, origins: app.config.cors_origins }
  const isPublic = createPublicPathCheck(app)
  const bodyQueue = new BodyQueue()
  const readerSlots = new ReaderSlots()
  return (request, path) => {
    requireAllowedHost(request.headers.get('host') ?? '', allowedHosts)
    requireSmallBody(request, path === '/v1/runs' ? runBodyMax_bytes : bodyMax_bytes)
    // Without authentication, a page of another site in the owner's browser must not act as the owner.
    if (path === '/mcp' || app.accounts.defaultAccount) requireAllowedOrigin(request, allowedPages)
    if (isPublic(path)) return
    return andThen(authenticateRequest(request, path, app), (account) => {
      authenticated.set(request, { account, path, app, bodyQueue, readerSlots, isCounted: false })
      return andThen(app.access.rateLimiter.prepare(account), (release) => {
        if (release) reservations.set(request, release)
      })
    })
  }
}

/** Reports whether a request has an account. Requests for public paths have none. */
export function isAuthenticated(request: Request): boolean {
  return authenticated.has(request)
}

/** Returns the account of an authenticated request. */
export function accountOf(request: Request): Account {
  return entryOf(request).account
}

/** Returns the queue in which the body of an authenticated request is received. */
export function bodyQueueOf(request: Request): BodyQueue {
  return entryOf(request).bodyQueue
}

/** Returns the reader of the response to an authenticated request. */
export function readerOf(request: Request): PacedReader {
  const { account, app, readerSlots } = entryOf(request)
  return { turns: app.runs.readerTurns, takeSlot: () => readerSlots.take(account.id) }
}

/** Rejects a request whose token does not have the scope. The rejected request counts against the rate limit. */
export function requireScope(request: Request, required: RequiredScope): void {
  const entry = entryOf(request)
  const { account, app } = entry
  requireConfirmedToken(request, entry)
  const scope = required === 'admin_or_session' ? 'admin' : required
  if (scope === 'any' || account.scopes.has(scope)) return
  if (required === 'admin_or_session' && account.via === 'session' && !account.token) return
  if (!entry.isCounted) app.access.rateLimiter.count(account)
  entry.isCounted = true
  if (required === 'admin_or_session')
    throw new ApiError(
      'auth_method_not_allowed',
      'To manage tokens, logins and sessions, sign in with your password in a browser, or use a token with the scope admin.',
      { required: [scope], granted: [...account.scopes] },
    )
  throw new ApiError(
    'insufficient_scope',
    `This token does not have the scope ${scope}. Create a token with that scope.`,
    { required: [scope], granted: [...account.scopes] },
  )
}

/** The paths of POST requests that only read. */
const readingPostPaths = new Set([
  '/v1/areas',
  '/v1/ask',
  '/v1/ask/stream',
  '/v1/fetch',
  '/v1/fetch/batch',
  '/v1/geocode',
  '/v1/lookup',
  '/v1/proximity',
])

/** @throws {StorageError} if a request may write, and its token may be revoked because the database does not answer. */
function requireConfirmedToken({ method }: Request, { account, path }: AuthenticatedRequest): void {
  const onlyReads = method === 'GET' || method === 'HEAD' || readingPostPaths.has(path)
  if (account.isUnconfirmed && !onlyReads) throw new StorageError('unavailable')
}

/** Counts a request against the limits that apply to it, and rejects it when one of them is reached. */
export function requireRateLimit(request: Request, limits: AppliedLimits): void {
  endReservation(request)
  if (limits === 'none') return
  const entry = entryOf(request)
  entry.app.access.rateLimiter.admit(entry.account, limits === 'both' ? 'both' : 'minute')
  entry.isCounted = true
}

/**
 * Counts the locations of a submission toward the daily quota, and rejects a submission that exceeds it. A submission
 * that fails is not counted.
 */
export async function withLocationQuota<T>(request: Request, locations: number, submit: () => Promise<T>): Promise<T> {
  const { account, app } = entryOf(request)
  const refund = await app.access.rateLimiter.admitLocations(account, locations)
  try {
    return await submit()
  } catch (error) {
    refund()
    throw error
  }
}

/** Counts a request in the usage of its account. */
export function recordUsage(request: Request): void {
  const { account, path, app } = entryOf(request)
  app.access.usage.recordRequest(account.id, path)
}

/** Returns the rate limit headers of a request, none for a public request. */
export function rateLimitHeaders(request: Request): Record<string, string> {
  const entry = authenticated.get(request)
  return entry ? entry.app.access.rateLimiter.headers(entry.account) : {}
}

/**
 * Reports whether a response is for one account only and says that it must not be cached. Responses to POST are never
 * cached, and GET /v1/fetch has no caching headers, like POST.
 */
export function isResponsePrivate(request: Request): boolean {
  const entry = authenticated.get(request)
  return entry !== undefined && entry.path !== '/v1/fetch' && (request.method === 'GET' || request.method === 'HEAD')
}

/** Returns the CSRF token of a browser session, null for a request with a token. */
export function csrfTokenOf(request: Request): string | null {
  const entry = authenticated.get(request)
  if (entry?.account.via !== 'session') return null
  return entry.app.access.sessions.csrfToken(sessionSecretOf(request, entry.app)!)
}

/** The secret of the session cookie of a request; null without one. */
export function sessionSecretOf({ headers }: Request, { access }: Pick<App, 'access'>): string | null {
  return access.sessions.secretFromCookie(headers.get('cookie'))
}

/** The functions that end the reservations of units for requests. */
const reservations = new WeakMap<Request, () => void>()

/** Ends the reservation of a request that is admitted or has ended. */
function endReservation(request: Request): void {
  reservations.get(request)?.()
  reservations.delete(request)
}

/** The authenticated requests. `isCounted`: the request counts against the rate limit. */
const authenticated = new WeakMap<Request, AuthenticatedRequest>()
type AuthenticatedRequest = {
  account: Account
  path: string
  app: App
  bodyQueue: BodyQueue
  readerSlots: ReaderSlots
  isCounted: boolean
}

function entryOf(request: Request): AuthenticatedRequest {
  const entry = authenticated.get(request)
  if (!entry) throw new Error('The request has no account: its path is public.')
  return entry
}

/**
 * Authenticates by token or, except at /mcp, by browser session. A request by session that changes data needs a CSRF
 * token.
 */
function authenticateRequest(request: Request, path: string, app: App): MaybePromise<Account> {
  const { accounts, access } = app
  const authorization = authorizationOf(request, path)
  const secret =
    authorization === null && path !== '/mcp' && !accounts.defaultAccount ? sessionSecretOf(request, app) : null
  const byToken = () => accounts.authenticate(authorization, path === '/mcp' ? 'mcp' : 'v1')
  if (secret === null) return byToken()
  return access.sessions.accountOf(secret).then((account) => {
    if (!account) return byToken()
    requireNoForgery(request, secret, app)
    return account
  })
}

/** The paths of maps and other data that programs such as QGIS read. */
const mapPaths = /^\/(?:ogc|edr|tiles)(?:\/|$)/

/**
 * Returns the header Authorization. QGIS 3.22 of Debian cannot send a bearer token, so at the paths of maps the token
 * may also be the password of Basic authentication, with any user name.
 */
function authorizationOf({ headers }: Request, path: string): string | null {
  const authorization = headers.get('authorization')
  const basic = authorization !== null && mapPaths.test(path) ? /^basic +([\w+/]+=*) *$/i.exec(authorization) : null
  if (!basic) return authorization
  const credentials = Buffer.from(basic[1]!, 'base64').toString()
  return `Bearer ${credentials.slice(credentials.indexOf(':') + 1)}`
}

/** Requires the CSRF token and our own origin for a request by session that changes data. */
function requireNoForgery(request: Request, secret: string, { access: { sessions }, config }: App): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    requireSameOrigin(request, config.base_url)
    if (!sessions.isCsrfToken(secret, request.headers.get('x-csrf-token') ?? ''))
      throw new ApiError(
        'origin_not_allowed',
        'A request that uses a browser session and changes data must send the header X-CSRF-Token. GET /v1/users/me returns its value.',
      )
  }
}

function requireAllowedHost(host: string, allowedHosts: ReadonlySet<string>): void {
  if (host.includes(',')) throw new ApiError('bad_request', 'The request has more than one Host header. Send one.')
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
  if (!allowedHosts.has(name))
    throw new ApiError(
      'host_not_allowed',
      `Unknown host ${JSON.stringify(name.slice(0, 100))}. If this server should answer to it, add it to FIELDSTONE_ALLOWED_HOSTS.`,
    )
}
