import type { Point } from '../model/place.ts'

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
