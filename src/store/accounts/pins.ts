import type { Point } from '../../model/place.ts'
import type { SqlPools } from '../sql.ts'
import { parseStored } from '../storage-error.ts'

/** What a pin refers to: a place, a preset of the catalog, or a list of fields. */
export type PinContent = { place: Point } | { preset: string } | { fields: string[] }

/** A pin of an account. `created_at` is in milliseconds since 1970. */
export type StoredPin = { id: string; account_id: string; name: string; content: PinContent; created_at: number }

/** The pinned places and fields of accounts. */
export type PinStore = {
  /** Adds a pin. Resolves with false, and adds nothing, if the account has `maximum` pins. */
  addPin(pin: StoredPin, maximum: number): Promise<boolean>
  /** The pins of an account, oldest first. */
  listPins(account_id: string): Promise<StoredPin[]>
  /** Deletes a pin of an account. Resolves with false if the account has no such pin. */
  removePin(account_id: string, id: string): Promise<boolean>
}

type PinRow = Omit<StoredPin, 'content'> & { content: string }

/** Creates the pin store. */
export function createPins({ quick }: SqlPools): PinStore {
  return {
    addPin: (pin, maximum) =>
      quick.write(function* (sql) {
        const { account_id } = pin
        // Otherwise two processes could both count before either adds a pin.
        yield* sql.dialect.lockAccount(sql, '$account_id', { account_id })
        const counted = yield* sql.get<{ pins: number }>(countPins, { account_id })
        if (counted!.pins >= maximum) return false
        yield* sql.run(
          `INSERT INTO pins (id, account_id, name, content, created_at)
           VALUES ($id, $account_id, $name, $content, $created_at)`,
          { ...pin, content: JSON.stringify(pin.content) },
        )
        return true
      }),
    async listPins(account_id) {
      const rows = await quick.all<PinRow>(
        'SELECT id, account_id, name, content, created_at FROM pins WHERE account_id = $account_id ORDER BY created_at, id',
        { account_id },
      )
      return rows.map((row) => ({ ...row, content: parseStored(row.content, `The pin ${row.id}`) as PinContent }))
    },
    async removePin(account_id, id) {
      return (await quick.run('DELETE FROM pins WHERE account_id = $account_id AND id = $id', { account_id, id })) > 0
    },
  }
}

const countPins = 'SELECT count(*) AS pins FROM pins WHERE account_id = $account_id'
