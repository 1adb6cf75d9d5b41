import type { PinStore, StoredPin } from '../pins.ts'
import type { SqliteTransactions } from './transactions.ts'

type PinRow = Omit<StoredPin, 'content'> & { content: string }

/** Creates the pin store. All statements are prepared once. */
export function createPinStore({ db, read, write }: SqliteTransactions): PinStore {
  const add = db.query<unknown, [PinRow]>(
    `INSERT INTO pins (id, account_id, name, content, created_at)
     VALUES ($id, $account_id, $name, $content, $created_at)`,
  )
  const count = db.query<{ pins: number }, [string]>('SELECT count(*) AS pins FROM pins WHERE account_id = ?')
  const list = db.query<PinRow, [string]>(
    'SELECT id, account_id, name, content, created_at FROM pins WHERE account_id = ? ORDER BY created_at, id',
  )
  const remove = db.query('DELETE FROM pins WHERE account_id = ? AND id = ?')
  return {
    addPin: (pin, maximum) =>
      write(() => {
        const hasRoom = count.get(pin.account_id)!.pins < maximum
        if (hasRoom) add.run({ ...pin, content: JSON.stringify(pin.content) })
        return hasRoom
      }),
    listPins: (account_id) =>
      read(() => list.all(account_id).map((row) => ({ ...row, content: JSON.parse(row.content) }))),
    removePin: (account_id, id) => write(() => remove.run(account_id, id).changes > 0),
  }
}
