import type { PollDecision, PolledDevice } from '../store/accounts/devices.ts'
import type { GrantStore } from '../store/accounts/grants.ts'
import { accountFromStored, type Account } from './accounts.ts'
import type { Scope } from './scope.ts'
import { createThrottle } from './throttle.ts'
import { grantableScopes } from './authorization.ts'
import type { OAuthClient } from './client.ts'
import type { GrantManager, TokenResponse } from './grants.ts'
import { OAuthError } from './oauth-error.ts'
import { optionalParameter, requiredParameter, parseResources, parseScopes } from './oauth-parameters.ts'
import { tokenHash } from './token.ts'

/** The device authorization flow (RFC 8628): login on a device without a browser. */
export type DeviceFlow = {
  start(parameters: URLSearchParams, client: OAuthClient, address: string): Promise<Record<string, string | number>>
  /** Returns tokens for a device code. Throws `authorization_pending` until the user decides. */
  poll(parameters: URLSearchParams, client_id: string): Promise<TokenResponse>
  /** Returns the pending device of a user code. Returns `locked` when a throttle key has too many wrong codes. */
  findPending(input: string, throttleKeys: readonly string[]): Promise<PendingDevice | 'unknown' | 'locked'>
  decide(user_code: string, account: Account, decision: 'yes' | 'no'): Promise<void>
}

/**
 * A device that waits for approval, as the approval page shows it. `resource` is one resource or several, separated by
 * spaces.
 */
export type PendingDevice = { user_code: string; client_name: string; scopes: Scope[]; resource: string }

type Deps = {
  store: GrantStore
  grants: Pick<GrantManager, 'createGrant'>
  base_url: string
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const interval_s = 5
const lifetime_s = 600
const slowDown_s = 5
/** A poll may arrive this much before the interval ends. Timers are not exact. */
const tolerance_ms = 500
const pendingMax = 1000
/** The limit per address. Without it one address could block all other logins. */
const pendingPerAddressMax = 60
const wrongCodesMax = 5
const wrongCodesWindow_ms = 15 * 60_000
const code_bytes = 32
/** No vowels (no words) and no look-alikes. 20^8 codes, 34.6 bits. */
const userCodeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLength = 8

/** Creates the flow. It bounds the pending devices in total and per address. */
export function createDeviceFlow(deps: Deps): DeviceFlow {
  const { store, base_url, now, randomBytes } = deps
  const startThrottle = createThrottle({ limit: pendingPerAddressMax, window_ms: lifetime_s * 1000, now })
  const wrongCodeThrottle = createThrottle({ limit: wrongCodesMax, window_ms: wrongCodesWindow_ms, now })
  return {
    async start(parameters, { id, name }, address) {
      const scopes = parseScopes(optionalParameter(parameters, 'scope'))
      const resource = parseResources(parameters, base_url).join(' ') || 'v1'
      if (!startThrottle.allows(address)) throw tooManyPending()
      startThrottle.record(address)
      const device_code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      const user_code = generateUserCode(randomBytes)
      const time = now().getTime()
      const device = {
        user_code,
        client_id: id,
        client_name: name,
        scopes: scopes.join(' '),
        resource,
        expires_at: time + lifetime_s * 1000,
      }
      if (!(await store.addDevice(tokenHash(device_code), device, { now: time, pendingMax }))) throw tooManyPending()
      return startResponseOf(device_code, user_code, base_url)
    },
    async poll(parameters, client_id) {
      const hash = tokenHash(requiredParameter(parameters, 'device_code'))
      const time = now().getTime()
      let answer: TokenResponse | OAuthError | undefined
      await store.pollDevice(hash, time, (device): PollDecision => {
        if (!device || device.client_id !== client_id)
          throw new OAuthError('invalid_grant', 'Unknown device_code. It was used, or belongs to another client.')
        if (device.expires_at <= time) throw new OAuthError('expired_token', 'Device code expired. Start again.')
        const decided = decidePoll(device, time, deps.grants)
        answer = decided.answer
        return decided.decision
      })
      if (answer instanceof OAuthError) throw answer
      return answer!
    },
    async findPending(input, throttleKeys) {
      if (throttleKeys.some((key) => !wrongCodeThrottle.allows(key))) return 'locked'
      const user_code = normalizeUserCode(input)
      const pending = await store.findPendingDevice(user_code, now().getTime())
      if (!pending) {
        for (const key of throttleKeys) wrongCodeThrottle.record(key)
        return 'unknown'
      }
      return {
        user_code,
        client_name: pending.client_name,
        scopes: pending.scopes.split(' ') as Scope[],
        resource: pending.resource,
      }
    },
    async decide(user_code, account, decision) {
      const time = now().getTime()
      const pending = await store.findPendingDevice(user_code, time)
      const isGrantable = pending !== null && grantableScopes(account, pending.scopes.split(' ') as Scope[]).length > 0
      const decider = { account_id: account.id, token_id: account.token?.id ?? null }
      await store.decideDevice(user_code, decision === 'yes' && isGrantable ? 'approved' : 'denied', decider, time)
    },
  }
}

function tooManyPending(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many device logins are pending. Try again in a few minutes.')
}

/** Decides about a poll of a device: it waits, or it gets its tokens, or it is denied. The last two use up the code. */
function decidePoll(
  { account, parent, ...device }: PolledDevice,
  time: number,
  grants: Deps['grants'],
): { decision: PollDecision; answer: TokenResponse | OAuthError } {
  const isEarly = time < device.next_poll_at - tolerance_ms
  const interval_s = device.interval_s + (isEarly ? slowDown_s : 0)
  const wait: PollDecision = { action: 'wait', next_poll_at: time + interval_s * 1000, interval_s }
  if (isEarly)
    return { decision: wait, answer: new OAuthError('slow_down', `Polled too often. Poll every ${interval_s} s.`) }
  if (device.status === 'pending')
    return { decision: wait, answer: new OAuthError('authorization_pending', 'The user has not decided yet.') }
  const approver = device.status === 'approved' ? accountFromStored(account) : null
  if (!approver)
    return { decision: { action: 'end' }, answer: new OAuthError('access_denied', 'The user denied the request.') }
  const { client_id, client_name, resource, token_id } = device
  const scopes = grantableScopes(approver, device.scopes.split(' ') as Scope[]).join(' ')
  try {
    const grant = { account_id: approver.id, client_id, client_name, scopes, resource, token_id }
    const { issue, response } = grants.createGrant(grant, parent)
    return { decision: { action: 'issue', issue }, answer: response }
  } catch (error) {
    // The token that the user signed in with has ended.
    if (error instanceof OAuthError) return { decision: { action: 'end' }, answer: error }
    throw error
  }
}

/** Returns the response of the device authorization endpoint. */
function startResponseOf(device_code: string, user_code: string, base_url: string) {
  const displayCode = `${user_code.slice(0, 4)}-${user_code.slice(4)}`
  const verificationUrl = `${base_url}/device`
  return {
    device_code,
    user_code: displayCode,
    verification_uri: verificationUrl,
    verification_uri_complete: `${verificationUrl}?user_code=${displayCode}`,
    expires_in: lifetime_s,
    interval: interval_s,
  }
}

/** Returns the letters of an entered code. */
function normalizeUserCode(input: string): string {
  return input.toUpperCase().replace(/[^A-Z]/g, '')
}

function generateUserCode(randomBytes: (size: number) => Uint8Array): string {
  const code: string[] = []
  while (code.length < userCodeLength) {
    // 240 = 12 * 20. Higher bytes would make the first letters more likely.
    for (const byte of randomBytes(userCodeLength))
      if (byte < 240 && code.length < userCodeLength) code.push(userCodeAlphabet[byte % userCodeAlphabet.length]!)
  }
  return code.join('')
}
