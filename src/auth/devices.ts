import type { DeviceStore, StoredDevice } from '../store/devices.ts'
import type { Account, Accounts, Resource, Scope } from './accounts.ts'
import { openAttempts } from './attempts.ts'
import { allowedTo } from './authorization.ts'
import type { Client } from './client.ts'
import type { Clients } from './clients.ts'
import type { Grants, TokenAnswer } from './grants.ts'
import { OAuthError } from './oauth-error.ts'
import { only, required, resourceOf, scopesOf } from './parameters.ts'
import { tokenHash } from './token.ts'

/** Login on a device without a browser: RFC 8628. */
export type Devices = {
  start(parameters: URLSearchParams, client: Client, address: string): Record<string, string | number>
  /** The token endpoint; throws `authorization_pending` until a person has decided. */
  poll(parameters: URLSearchParams, client_id: string): TokenAnswer
  /** The device that shows a code. A name with too many wrong codes sees none: `locked`. */
  find(typed: string, names: readonly string[]): Waiting | 'unknown' | 'locked'
  decide(user_code: string, account: Account, isYes: 'yes' | 'no'): void
}

/** A device that waits for a person, as the person is shown it. */
export type Waiting = { user_code: string; client_name: string; scopes: Scope[]; resource: Resource }

type Means = { store: DeviceStore; accounts: Pick<Accounts, 'byId'>; clients: Clients; grants: Grants; base_url: string; now: () => Date; randomBytes: (size: number) => Uint8Array }

const interval_s = 5
const lifetime_s = 600
const slower_s = 5
/** A client that waits the interval to the millisecond may arrive a little early. */
const tolerance_ms = 500
const waitingMax = 1000
/** Of those, how many from one address: else one could keep all others from logging in. */
const perAddressMax = 60
const wrongMax = 5
const wrongWithin_ms = 15 * 60_000
const code_bytes = 32
/** No vowels, so that no words come about, and nothing that looks like another: 20 to the 8th, 34.6 bits. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** Lets a bounded number of devices wait, in all and from one address. */
export function openDevices({ store, accounts, clients, grants, base_url, now, randomBytes }: Means): Devices {
  const begun = openAttempts({ most: perAddressMax, within_ms: lifetime_s * 1000, now })
  const wrong = openAttempts({ most: wrongMax, within_ms: wrongWithin_ms, now })
  return {
    start(parameters, { id, name }, address) {
      const scopes = scopesOf(only(parameters, 'scope'))
      const resource = resourceOf(parameters, base_url, 'v1')
      if (!begun.has(address) || store.waitingCount(now().getTime()) >= waitingMax) throw new OAuthError('temporarily_unavailable', 'Too many devices are waiting at this moment: try again in a few minutes.')
      begun.count(address)
      const device_code = randomBytes(code_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      const user_code = newUserCode(randomBytes)
      store.add(tokenHash(device_code), { user_code, client_id: id, client_name: name, scopes: scopes.join(' '), resource, expires_at: now().getTime() + lifetime_s * 1000 })
      const shown = `${user_code.slice(0, 4)}-${user_code.slice(4)}`
      const page = `${base_url}/device`
      return { device_code, user_code: shown, verification_uri: page, verification_uri_complete: `${page}?user_code=${shown}`, expires_in: lifetime_s, interval: interval_s }
    },
    poll(parameters, client_id) {
      const hash = tokenHash(required(parameters, 'device_code'))
      const device = store.find(hash)
      const time = now().getTime()
      if (!device || device.client_id !== client_id) throw new OAuthError('invalid_grant', 'This device code is not known, was used, or belongs to another client.')
      if (device.expires_at <= time) throw new OAuthError('expired_token', 'Nobody let the device in within its time: begin again.')
      const isEarly = time < device.next_poll_at - tolerance_ms
      const wait_s = device.interval_s + (isEarly ? slower_s : 0)
      store.polled(hash, time + wait_s * 1000, wait_s)
      if (isEarly) throw new OAuthError('slow_down', `Ask every ${wait_s} s, and no oftener.`)
      return decided(hash, device)
    },
    find(typed, names) {
      if (names.some((name) => !wrong.has(name))) return 'locked'
      const user_code = typed.toUpperCase().replace(/[^A-Z]/g, '').slice(0, length + 1)
      const found = store.waiting(user_code, now().getTime())
      if (!found) {
        for (const name of names) wrong.count(name)
        return 'unknown'
      }
      return { user_code, client_name: found.client_name, scopes: found.scopes.split(' ') as Scope[], resource: found.resource as Resource }
    },
    decide(user_code, account, isYes) {
      const waiting = store.waiting(user_code, now().getTime())
      const isPossible = waiting !== null && allowedTo(account, waiting.scopes.split(' ') as Scope[]).length > 0
      store.decide(user_code, isYes === 'yes' && isPossible ? 'approved' : 'denied', account.id)
      if (waiting && isYes === 'yes') clients.used(waiting.client_id)
    },
  }

  function decided(hash: Uint8Array, { status, account_id, client_id, client_name, scopes, resource }: StoredDevice): TokenAnswer {
    if (status === 'pending') throw new OAuthError('authorization_pending', 'Nobody has decided yet.')
    store.spend(hash)
    const account = status === 'approved' && account_id !== null ? accounts.byId(account_id) : null
    if (!account) throw new OAuthError('access_denied', 'The device was not let in.')
    return grants.begin({ account_id: account.id, client_id, client_name, scopes: allowedTo(account, scopes.split(' ') as Scope[]).join(' '), resource })
  }
}

function newUserCode(randomBytes: (size: number) => Uint8Array): string {
  const code: string[] = []
  while (code.length < length) {
    // 240 = 12 * 20: what is above would make the first letters likelier.
    for (const byte of randomBytes(length)) if (byte < 240 && code.length < length) code.push(letters[byte % letters.length]!)
  }
  return code.join('')
}
