import type { Credentials } from './credentials.ts'
import { exits } from './exits.ts'
import { clientId, described, loginOf, LoginRefused, posted, type Fetch } from './oauth-client.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const slower_s = 5

/** What a login takes of the world outside. */
export type LoginMeans = { credentials: Credentials; ask: Fetch; wait(ms: number): Promise<void>; now(): Date; print(line: string): void; complain(line: string): void }

/** Logs in at a server by the device flow: shows a code, waits for a person to let it in, and keeps the login. */
export async function login(server: string, scope: string | null, means: LoginMeans): Promise<number> {
  try {
    await loggedIn(server, scope, means)
    means.print(`Logged in at ${server}: \`fieldstone mcp --server ${server}\` uses it.`)
    return 0
  } catch (error) {
    if (!(error instanceof LoginRefused)) throw error
    means.complain(error.message)
    return exits.refused
  }
}

async function loggedIn(server: string, scope: string | null, { credentials, ask, wait, now, print }: LoginMeans): Promise<void> {
  const at = await described(server, ask)
  const begun = await posted(at.device_authorization_endpoint, { client_id: clientId, resource: at.resource, ...(scope !== null && { scope }) }, ask)
  const { device_code, user_code, verification_uri, verification_uri_complete: complete = verification_uri } = begun
  print(`Open ${String(complete)} and compare the code: ${String(user_code)}`)
  for (let interval_s = Number(begun.interval ?? slower_s); ;) {
    await wait(interval_s * 1000)
    const answer = await posted(at.token_endpoint, { grant_type: deviceGrant, device_code: String(device_code), client_id: clientId }, ask).catch(whileWaiting)
    if (answer === 'slow_down') interval_s += slower_s
    else if (answer !== 'authorization_pending') return credentials.keep(server, loginOf(answer, at, now()))
  }
}

function whileWaiting(error: unknown): 'authorization_pending' | 'slow_down' {
  if (error instanceof LoginRefused && (error.code === 'authorization_pending' || error.code === 'slow_down')) return error.code
  throw error
}
