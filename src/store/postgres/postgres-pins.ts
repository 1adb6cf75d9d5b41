import type { PinStore } from '../pins.ts'
import { lockAccount } from './locks.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'

type PinRow = { id: string; account_id: string; name: string; content: string; created_at: number }

/** Creates the pin store on PostgreSQL. */
export function createPostgresPinStore({ quick: { query, transaction } }: PostgresPools): PinStore {
  return {
    addPin: ({ id, account_id, name, content, created_at }, maximum) =>
      transaction(async (send) => {
        // Otherwise two processes could both count before either adds a pin.
        await lockAccount(send, '$1', account_id)
        const [counted] = await send<{ pins: string }>(
          'SELECT count(*) AS pins FROM pins WHERE account_id = $1',
          account_id,
        )
        if (Number(counted!.pins) >= maximum) return false
        await send(
          'INSERT INTO pins (id, account_id, name, content, created_at) VALUES ($1, $2, $3, $4, $5)',
          id,
          account_id,
          name,
          JSON.stringify(content),
          created_at,
        )
        return true
      }),
    async listPins(account_id) {
      const rows = await query<PinRow>(
        'SELECT id, account_id, name, content, created_at FROM pins WHERE account_id = $1 ORDER BY created_at, id',
        account_id,
      )
      return rows.map((row) => ({ ...withIntegers(row, 'created_at'), content: JSON.parse(row.content) }))
    },
    async removePin(account_id, id) {
      const removed = await query('DELETE FROM pins WHERE account_id = $1 AND id = $2 RETURNING id', account_id, id)
      return removed.length > 0
    },
  }
}
