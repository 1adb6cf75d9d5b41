import { ApiError } from '../model/error.ts'
import type { PinContent, PinStore, StoredPin } from '../store/accounts/pins.ts'
import type { Account } from './accounts.ts'

/** The pins that an account can have. */
export const pinsMax = 200

/** Creates, lists and removes the pins of an account. */
export type PinManager = {
  /** @throws {ApiError} `pin_limit_reached` */
  create(account: Account, pin: { name: string; content: PinContent }): Promise<StoredPin>
  list(account: Account): Promise<StoredPin[]>
  /** @throws {ApiError} `pin_not_found`, also for pins of other accounts. */
  remove(account: Account, id: string): Promise<void>
}

type Deps = { store: PinStore; now: () => Date; randomBytes: (size: number) => Uint8Array }

/** Creates the manager of pins. */
export function createPinManager({ store, now, randomBytes }: Deps): PinManager {
  return {
    async create(account, { name, content }) {
      const pin = {
        id: `pin_${randomBytes(10).toHex()}`,
        account_id: account.id,
        name,
        content,
        created_at: now().getTime(),
      }
      if (!(await store.addPin(pin, pinsMax)))
        throw new ApiError('pin_limit_reached', `You have ${pinsMax} pins. Remove one of them first.`, {
          limit: pinsMax,
        })
      return pin
    },
    list: (account) => store.listPins(account.id),
    async remove(account, id) {
      if (!(await store.removePin(account.id, id)))
        throw new ApiError('pin_not_found', 'Pin not found. It is unknown, removed, or belongs to another account.')
    },
  }
}
