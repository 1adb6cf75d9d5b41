import * as oauth from 'oauth4webapi'
import { openTestService, type TestService, type TestServiceOptions } from '../support/test-service.ts'
import { createSender, openBrowser, type SendRequest, type Browser, type BrowserResponse } from './browser.ts'

/** The service with a strict OAuth client, and a browser in which the owner is signed in. */
export type OAuthService = {
  testService: TestService
  base_url: string
  ask: SendRequest
  browser: Browser
  server: oauth.AuthorizationServer
  /** The options of every oauth4webapi call. */
  options: {
    [oauth.allowInsecureRequests]: true
    [oauth.customFetch]: (url: string, init: RequestInit) => Promise<Response>
  }
  clock: { ahead_ms: number }
  form(
    path: string,
    body: Record<string, string> | [string, string][],
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>
  register(redirect_uris?: string[]): Promise<oauth.Client>
  /** Returns a browser in which the account is signed in. */
  signedIn(name: string, password: string): Promise<Browser>
  close(): Promise<void>
}

export const callbackUrl = 'http://127.0.0.1:33418/callback'
export const testPassword = 'correct horse battery staple'

export async function openOAuthService(
  env: Record<string, string> = {},
  options: TestServiceOptions = {},
): Promise<OAuthService> {
  const clock = { ahead_ms: 0 }
  const testService = openTestService(env, { now: () => new Date(Date.now() + clock.ahead_ms), ...options })
  await testService.ready
  const { base_url } = testService.app.config
  const ask = createSender(testService)
  const custom = {
    [oauth.allowInsecureRequests]: true as const,
    [oauth.customFetch]: (url: string, init: RequestInit) => ask(url, init),
  }
  const issuer = new URL(base_url)
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...custom }),
  )
  const signedIn = async (name: string, secret: string) => {
    const browser = openBrowser(ask, base_url)
    const page = await browser.submit(await browser.get('/sign-in'), { name, password: secret })
    if (page.status !== 303) throw new Error(`${name} could not sign in: ${page.status} ${page.text}`)
    return browser
  }
  return {
    testService,
    base_url,
    ask,
    server,
    clock,
    signedIn,
    options: custom,
    browser: await signedIn('owner', testService.token),
    close: testService.close,
    async form(path, body) {
      const response = await ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(body).toString(),
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      }
    },
    async register(redirect_uris = [callbackUrl]) {
      const metadata = { redirect_uris, client_name: 'A strict client', token_endpoint_auth_method: 'none' }
      return oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(server, metadata, custom),
      )
    },
  }
}

/** Returns the parameters of an authorization request. A change to null removes a parameter. */
export async function authorizationParameters(
  client: oauth.Client,
  verifier: string,
  otherwise: Record<string, string | null> = {},
): Promise<string> {
  const all = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: callbackUrl,
    state: 'the-state',
    scope: 'fetch lookup',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...otherwise,
  }
  return new URLSearchParams(Object.entries(all).filter((it): it is [string, string] => it[1] !== null)).toString()
}

/** Allows a request and returns the redirect URL. */
export async function allowRequest({ browser }: Pick<OAuthService, 'browser'>, parameters: string): Promise<URL> {
  const page: BrowserResponse = await browser.get(`/oauth/authorize?${parameters}`)
  const gone = page.status === 200 ? await browser.submit(page, { decision: 'yes' }) : page
  if (gone.location === null) throw new Error(`${gone.status}: ${gone.text}`)
  return new URL(gone.location)
}

/** Runs the code flow up to the first tokens. */
export async function logInWithCode(
  it: OAuthService,
  client: oauth.Client,
  otherwise: Record<string, string | null> = {},
) {
  const verifier = oauth.generateRandomCodeVerifier()
  const back = await allowRequest(it, await authorizationParameters(client, verifier, otherwise))
  const parameters = oauth.validateAuthResponse(it.server, client, back, 'the-state')
  const response = await oauth.authorizationCodeGrantRequest(
    it.server,
    client,
    oauth.None(),
    parameters,
    otherwise.redirect_uri ?? callbackUrl,
    verifier,
    it.options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(it.server, client, response)
  return {
    code: parameters.get('code')!,
    verifier,
    tokens,
    access: tokens.access_token,
    refresh: tokens.refresh_token!,
  }
}
