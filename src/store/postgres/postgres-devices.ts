import type { GrantStore, StoredDevice } from '../grants.ts'
import { findParent, issueGrant, recordClientUse } from './grant-issuance.ts'
import { lockAccount, takeAdvisoryLock } from './locks.ts'
import { findAccount } from './postgres-people.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'

type Devices = Pick<GrantStore, 'addDevice' | 'findPendingDevice' | 'decideDevice' | 'pollDevice'>

/** Creates the methods of the grant store for devices on PostgreSQL. */
export function createPostgresDevices({ query, transaction }: PostgresPools['quick']): Devices {
  return {
    addDevice: (hash, device, { now, pendingMax }) =>
      transaction(async (send) => {
        await takeAdvisoryLock(send, 'devices')
        const [counted] = await send<{ devices: number }>(
          'SELECT count(*)::int AS devices FROM oauth_devices WHERE expires_at > $1',
          now,
        )
        if (counted!.devices >= pendingMax) return false
        await send(
          `INSERT INTO oauth_devices (hash, user_code, client_id, client_name, scopes, resource, expires_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
          hash,
          device.user_code,
          device.client_id,
          device.client_name,
          device.scopes,
          device.resource,
          device.expires_at,
        )
        return true
      }),
    async findPendingDevice(user_code, now) {
      const [device] = await query<StoredDevice>(
        "SELECT * FROM oauth_devices WHERE user_code = $1 AND status = 'pending' AND expires_at > $2",
        user_code,
        now,
      )
      return device ? deviceOf(device) : null
    },
    decideDevice: (user_code, status, { account_id, token_id }, now) =>
      transaction(async (send) => {
        const [decided] = await send<{ client_id: string }>(
          `UPDATE oauth_devices SET status = $1, account_id = $2, token_id = $3
           WHERE user_code = $4 AND status = 'pending' RETURNING client_id`,
          status,
          account_id,
          token_id,
          user_code,
        )
        if (decided && status === 'approved') await recordClientUse(send, decided.client_id, now)
      }),
    pollDevice: (hash, now, decide) =>
      transaction(async (send) => {
        const [found] = await send<StoredDevice>('SELECT * FROM oauth_devices WHERE hash = $1 FOR UPDATE', hash)
        const device = found ? deviceOf(found) : null
        if (device?.account_id) await lockAccount(send, '$1', device.account_id)
        const account = device?.account_id
          ? await findAccount(send, 'accounts a WHERE a.id = $1', device.account_id)
          : null
        const parent = device && (await findParent(send, device.token_id, now))
        const decision = decide(device && { ...device, account, parent })
        if (decision.action === 'wait')
          await send(
            'UPDATE oauth_devices SET next_poll_at = $1, interval_s = $2 WHERE hash = $3',
            decision.next_poll_at,
            decision.interval_s,
            hash,
          )
        else await send('DELETE FROM oauth_devices WHERE hash = $1', hash)
        if (decision.action === 'issue') await issueGrant(send, decision.issue)
        return decision
      }),
  }
}

function deviceOf(row: StoredDevice): StoredDevice {
  return withIntegers(row, 'expires_at', 'next_poll_at', 'token_id')
}
