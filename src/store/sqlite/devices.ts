import type { Database } from 'bun:sqlite'
import { storeWithStorageErrors } from './sqlite-errors.ts'

type DeviceStatus = 'pending' | 'approved' | 'denied'

/** A device authorization (RFC 8628). Only the hash of its device code is stored. */
export type StoredDevice = {
  user_code: string
  client_id: string
  client_name: string
  scopes: string
  resource: string
  expires_at: number
  status: DeviceStatus
  account_id: string | null
  /** The token of the session in which the user decided; null after a password. */
  token_id: number | null
  next_poll_at: number
  interval_s: number
}

/** The device authorizations. */
export type DeviceStore = {
  add(
    hash: Uint8Array,
    device: Pick<StoredDevice, 'user_code' | 'client_id' | 'client_name' | 'scopes' | 'resource' | 'expires_at'>,
  ): void
  find(hash: Uint8Array): StoredDevice | null
  /** Finds the pending device with this user code. */
  findPending(user_code: string, now: number): StoredDevice | null
  countPending(now: number): number
  decide(user_code: string, status: DeviceStatus, decider: Pick<StoredDevice, 'account_id' | 'token_id'>): void
  recordPoll(hash: Uint8Array, next_poll_at: number, interval_s: number): void
  remove(hash: Uint8Array): void
}

/** Creates the device store. All statements are prepared once. */
export function createDeviceStore(db: Database): DeviceStore {
  const add = db.query(
    'INSERT INTO oauth_devices (hash, user_code, client_id, client_name, scopes, resource, expires_at) VALUES ($hash, $user_code, $client_id, $client_name, $scopes, $resource, $expires_at)',
  )
  const find = db.query<StoredDevice, [Uint8Array]>('SELECT * FROM oauth_devices WHERE hash = ?')
  const findPending = db.query<StoredDevice, [string, number]>(
    "SELECT * FROM oauth_devices WHERE user_code = ? AND status = 'pending' AND expires_at > ?",
  )
  const countPending = db.query<{ devices: number }, [number]>(
    'SELECT count(*) AS devices FROM oauth_devices WHERE expires_at > ?',
  )
  const decide = db.query(
    "UPDATE oauth_devices SET status = $status, account_id = $account_id, token_id = $token_id WHERE user_code = $user_code AND status = 'pending'",
  )
  const recordPoll = db.query('UPDATE oauth_devices SET next_poll_at = ?, interval_s = ? WHERE hash = ?')
  const remove = db.query('DELETE FROM oauth_devices WHERE hash = ?')
  return storeWithStorageErrors({
    add: (hash, device) => void add.run({ ...device, hash }),
    find: (hash) => find.get(hash),
    findPending: (user_code, now) => findPending.get(user_code, now),
    countPending: (now) => countPending.get(now)!.devices,
    decide: (user_code, status, { account_id, token_id }) =>
      void decide.run({ user_code, status, account_id, token_id }),
    recordPoll: (hash, next_poll_at, interval_s) => void recordPoll.run(next_poll_at, interval_s, hash),
    remove: (hash) => void remove.run(hash),
  })
}
