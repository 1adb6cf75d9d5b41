import type { GrantStore, NewDevice, StoredDevice } from '../grants.ts'
import type { StoredAccount } from '../people.ts'
import type { GrantIssuer } from './grant-issuer.ts'
import type { SqliteTransactions } from './transactions.ts'

type DeviceMethods = Pick<GrantStore, 'addDevice' | 'findPendingDevice' | 'decideDevice' | 'pollDevice'>

/** Creates the methods of the grant store for devices. All statements are prepared once. */
export function createDeviceMethods({ db, read, write }: SqliteTransactions, issuer: GrantIssuer): DeviceMethods {
  const add = db.query<unknown, [NewDevice & { hash: Uint8Array }]>(
    `INSERT INTO oauth_devices (hash, user_code, client_id, client_name, scopes, resource, expires_at)
     VALUES ($hash, $user_code, $client_id, $client_name, $scopes, $resource, $expires_at)`,
  )
  const find = db.query<StoredDevice, [Uint8Array]>('SELECT * FROM oauth_devices WHERE hash = ?')
  const findPending = db.query<StoredDevice, [string, number]>(
    "SELECT * FROM oauth_devices WHERE user_code = ? AND status = 'pending' AND expires_at > ?",
  )
  const count = db.query<{ devices: number }, [number]>(
    'SELECT count(*) AS devices FROM oauth_devices WHERE expires_at > ?',
  )
  const decide = db.query<
    { client_id: string },
    [Pick<StoredDevice, 'user_code' | 'status' | 'account_id' | 'token_id'>]
  >(
    `UPDATE oauth_devices SET status = $status, account_id = $account_id, token_id = $token_id
     WHERE user_code = $user_code AND status = 'pending' RETURNING client_id`,
  )
  const recordPoll = db.query('UPDATE oauth_devices SET next_poll_at = ?, interval_s = ? WHERE hash = ?')
  const remove = db.query<unknown, [Uint8Array]>('DELETE FROM oauth_devices WHERE hash = ?')
  const findAccount = db.query<StoredAccount, [string]>('SELECT * FROM accounts WHERE id = ?')
  return {
    addDevice: (hash, device, { now, pendingMax }) =>
      write(() => {
        if (count.get(now)!.devices >= pendingMax) return false
        add.run({ ...device, hash })
        return true
      }),
    findPendingDevice: (user_code, now) => read(() => findPending.get(user_code, now)),
    decideDevice: (user_code, status, decider, now) =>
      write(() => {
        const decided = decide.get({ user_code, status, ...decider })
        if (decided && status === 'approved') issuer.recordClientUse(decided.client_id, now)
      }),
    pollDevice: (hash, now, decide) =>
      write(() => {
        const device = find.get(hash)
        const account = device?.account_id ? findAccount.get(device.account_id) : null
        const decision = decide(device && { ...device, account, parent: issuer.parentOf(device, now) })
        if (decision.action === 'wait') recordPoll.run(decision.next_poll_at, decision.interval_s, hash)
        else remove.run(hash)
        if (decision.action === 'issue') issuer.issue(decision.issue)
        return decision
      }),
  }
}
