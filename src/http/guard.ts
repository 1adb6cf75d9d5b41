import type { Account, Accounts, Scope } from '../auth/accounts.ts'
import type { App } from '../app.ts'
import { ApiError } from '../model/error.ts'
import { mustBeSmall } from './body.ts'

/** The wall in front of every route, in the order of judgement: host, size, token. Throws the refusal. */
export function wallOf({ config, accounts }: App): (request: Request, path: string) => void {
  const hosts = new Set(config.allowedHosts)
  return (request, path) => {
    mustBeOurHost(request.headers.get('host') ?? '', hosts)
    mustBeSmall(request)
    if (!isOpen(path)) accountOf(request, accounts)
  }
}

/** The account that a request is made for; its token must allow what is needed. */
export function allowing(request: Request, needed: Scope, accounts: Accounts): Account {
  const account = accountOf(request, accounts)
  if (account.scopes.has(needed)) return account
  throw new ApiError('insufficient_scope', `This token does not allow ${needed}: make one with that scope.`, { required: [needed], granted: [...account.scopes] })
}

function accountOf({ headers }: Request, accounts: Accounts): Account {
  return accounts.account(headers.get('authorization'))
}

const openPaths = new Set(['/', '/healthz', '/readyz', '/v1/docs', '/v1/openapi.json'])

function isOpen(path: string): boolean {
  return openPaths.has(path) || path.startsWith('/v1/meta/') || path.startsWith('/v1/docs/')
}

function mustBeOurHost(host: string, allowed: ReadonlySet<string>): void {
  if (host.includes(',')) throw new ApiError('bad_request', 'The request has more than one Host header.')
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
  if (!allowed.has(name)) throw new ApiError('host_not_allowed', `This server does not answer to the name ${JSON.stringify(name.slice(0, 100))}: add it to FIELDSTONE_ALLOWED_HOSTS if it is its own.`)
}
