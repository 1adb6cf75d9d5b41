import type { CredentialStore } from './credentials.ts'
import { exitCodes } from '../exit-codes.ts'
import { clientId, discoverServer, loginFromResponse, LoginError, postForm, type HttpFetch } from './oauth-client.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const slowDown_s = 5

/** The dependencies of the login flow. */
export type LoginDeps = {
  credentials: CredentialStore
  httpFetch: HttpFetch
  wait(ms: number): Promise<void>
  now(): Date
  print(line: string): void
  printError(line: string): void
}

/** Logs in to a server with the OAuth device flow: prints a code, waits for approval, and stores the login. */
export async function loginCommand(server: string, scope: string | null, deps: LoginDeps): Promise<number> {
  try {
    await logIn(server, scope, deps)
    deps.print(`Logged in to ${server}. Commands with --server ${server} use the login.`)
    return 0
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    deps.printError(error.message)
    return exitCodes.failure
  }
}

async function logIn(
  server: string,
  scope: string | null,
  { credentials, httpFetch, wait, now, print }: LoginDeps,
): Promise<void> {
  const metadata = await discoverServer(server, httpFetch)
  const authorization = await postForm(
    metadata.device_authorization_endpoint,
    [
      ['client_id', clientId],
      ['resource', metadata.resource],
      ['resource', metadata.api],
      ...(scope === null ? [] : [['scope', scope] as [string, string]]),
    ],
    httpFetch,
  )
  const {
    device_code,
    user_code,
    verification_uri,
    verification_uri_complete: complete = verification_uri,
  } = authorization
  print(`Open ${String(complete)} and check that it shows this code: ${String(user_code)}`)
  for (let interval_s = Number(authorization.interval ?? slowDown_s); ;) {
    await wait(interval_s * 1000)
    const response = await postForm(
      metadata.token_endpoint,
      { grant_type: deviceGrant, device_code: String(device_code), client_id: clientId },
      httpFetch,
    ).catch(pendingCode)
    if (response === 'slow_down') interval_s += slowDown_s
    else if (response !== 'authorization_pending')
      return credentials.save(server, loginFromResponse(response, metadata, now()))
  }
}

function pendingCode(error: unknown): 'authorization_pending' | 'slow_down' {
  if (error instanceof LoginError && (error.code === 'authorization_pending' || error.code === 'slow_down'))
    return error.code
  throw error
}
