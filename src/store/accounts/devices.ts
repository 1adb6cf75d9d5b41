import type { ParentToken } from './access.ts'
import { findParent, issueGrant, recordClientUse, type NewGrant } from './grant-issuance.ts'
import { findAccount, type StoredAccount } from './people.ts'
import type { Sql } from '../sql.ts'

type DeviceStatus = 'pending' | 'approved' | 'denied'

/** A new device authorization (RFC 8628). */
export type NewDevice = {
  user_code: string
  client_id: string
  client_name: string
  scopes: string
  resource: string
  expires_at: number
}

/** A device authorization. Only the hash of its device code is stored. */
type StoredDevice = NewDevice & {
  status: DeviceStatus
  account_id: string | null
  /** The token of the session in which the user decided; null after a password. */
  token_id: number | null
  next_poll_at: number
  interval_s: number
}

/** A polled device with the account that decided, and the active token of `token_id`. */
export type PolledDevice = StoredDevice & { account: StoredAccount | null; parent: ParentToken | null }

/** What to do with a polled device: wait for the user, end it, or end it and issue tokens. */
export type PollDecision =
  | { action: 'wait'; next_poll_at: number; interval_s: number }
  | { action: 'end' }
  | { action: 'issue'; issue: NewGrant }

/** The device authorizations, which are a part of the grant store. */
export type DeviceStore = {
  /** Adds a device. Resolves with false if `pendingMax` unexpired devices exist. */
  addDevice(hash: Uint8Array, device: NewDevice, limit: { now: number; pendingMax: number }): Promise<boolean>
  /** Finds the pending device with this user code. */
  findPendingDevice(user_code: string, now: number): Promise<StoredDevice | null>
  /**
   * Records the decision about the pending device with this user code, and marks the client of an approved one as used.
   */
  decideDevice(
    user_code: string,
    status: 'approved' | 'denied',
    decider: { account_id: string; token_id: number | null },
    now: number,
  ): Promise<void>
  /** Reads a device, and carries out what `decide` returns for it. */
  pollDevice(
    hash: Uint8Array,
    now: number,
    decide: (device: PolledDevice | null) => PollDecision,
  ): Promise<PollDecision>
}

/** Creates the methods of the grant store for devices. */
export function createDevices(quick: Sql): DeviceStore {
  return {
    addDevice: (hash, device, { now, pendingMax }) =>
      quick.write(function* (sql) {
        yield* sql.dialect.takeLock(sql, 'devices')
        const counted = yield* sql.get<{ devices: number }>(countDevices, { now })
        if (counted!.devices >= pendingMax) return false
        yield* sql.run(addDevice, { ...device, hash })
        return true
      }),
    findPendingDevice: (user_code, now) =>
      quick.get(
        "SELECT * FROM oauth_devices WHERE user_code = $user_code AND status = 'pending' AND expires_at > $now",
        { user_code, now },
      ),
    decideDevice: (user_code, status, decider, now) =>
      quick.write(function* (sql) {
        const decided = yield* sql.get<{ client_id: string }>(decideDevice, { user_code, status, ...decider })
        if (decided && status === 'approved') yield* recordClientUse(sql, decided.client_id, now)
      }),
    pollDevice: (hash, now, decide) =>
      quick.write(function* (sql) {
        const find = `SELECT * FROM oauth_devices WHERE hash = $hash ${sql.dialect.forUpdate}`
        const device = yield* sql.get<StoredDevice>(find, { hash })
        const id = device?.account_id ?? null
        if (id !== null) yield* sql.dialect.lockAccount(sql, '$id', { id })
        const account = id === null ? null : yield* sql.get<StoredAccount>(findAccount, { id })
        const parent = device && (yield* findParent(sql, device.token_id, now))
        const decision = decide(device && { ...device, account, parent })
        if (decision.action === 'wait') {
          const { next_poll_at, interval_s } = decision
          yield* sql.run(recordPoll, { next_poll_at, interval_s, hash })
        } else yield* sql.run('DELETE FROM oauth_devices WHERE hash = $hash', { hash })
        if (decision.action === 'issue') yield* issueGrant(sql, decision.issue)
        return decision
      }),
  }
}

const countDevices = 'SELECT count(*) AS devices FROM oauth_devices WHERE expires_at > $now'
const addDevice = `INSERT INTO oauth_devices (hash, user_code, client_id, client_name, scopes, resource, expires_at)
  VALUES ($hash, $user_code, $client_id, $client_name, $scopes, $resource, $expires_at)`
const decideDevice = `UPDATE oauth_devices SET status = $status, account_id = $account_id, token_id = $token_id
  WHERE user_code = $user_code AND status = 'pending' RETURNING client_id`
const recordPoll = 'UPDATE oauth_devices SET next_poll_at = $next_poll_at, interval_s = $interval_s WHERE hash = $hash'
