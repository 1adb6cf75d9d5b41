import type { NewToken, StoredToken } from '../../src/store/accounts/access.ts'
import type { NewDevice } from '../../src/store/accounts/devices.ts'
import type { NewGrant, NewGrantTokens } from '../../src/store/accounts/grant-issuance.ts'
import type { NewCode } from '../../src/store/accounts/grants.ts'
import type { StoredPin } from '../../src/store/accounts/pins.ts'
import type { NewShare } from '../../src/store/accounts/shares.ts'
import { packLocations, type NewLocation } from '../../src/store/runs/packed-locations.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import type { LocationAttempt, LocationResult, RunWriter } from '../../src/store/runs/run-queue.ts'
import type { NewRun } from '../../src/store/runs/submissions.ts'
import type { Store } from '../../src/store/store.ts'

/** What the contract covers. */
export type ContractStore = Omit<Store, 'isReadOnly'>

/** A sentence of the contract. `check` fails on two stores that share a new database if the sentence is not true. */
export type ContractCase = { name: string; check: (first: ContractStore, second: ContractStore) => Promise<void> }

/** The time of all cases: 2026-11-23, in milliseconds since 1970. */
export const now = Date.UTC(2026, 10, 23)
/** The number of calls at the same time in cases that have only one winner. */
export const callers = 16

/** Calls a function for both stores in turn, all at the same time, and returns the results. */
export function callBoth<T>(
  stores: readonly [ContractStore, ContractStore],
  call: (store: ContractStore, index: number) => Promise<T>,
  calls = callers,
): Promise<T[]> {
  return Promise.all(Array.from({ length: calls }, (_, index) => call(stores[index % 2]!, index)))
}

/** The hash of a secret with this name. */
export function hashOf(name: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(name).digest()
}

/** Adds accounts whose names are their ids. */
export async function addAccounts({ people }: ContractStore, ...ids: string[]): Promise<void> {
  for (const id of ids) await people.addAccount({ id, name: id, created_at: now, scopes: null })
}

/** A new API token of the account `ada`. */
export function newToken(name: string, changes: Partial<NewToken> = {}): NewToken {
  return {
    account_id: 'ada',
    hash: hashOf(name),
    last_four: 'abcd',
    name,
    scopes: 'fetch runs',
    created_at: now,
    expires_at: null,
    parent_id: null,
    ...changes,
  }
}

/** Adds an API token of the account `ada`, and returns its id. */
export async function addToken(store: ContractStore, name: string, changes: Partial<NewToken> = {}): Promise<number> {
  return (await store.access.addToken(newToken(name, changes)))!
}

/** Whether the token with this name exists and is not revoked. */
export async function isTokenActive(store: ContractStore, name: string): Promise<boolean> {
  const token: StoredToken | null = await store.access.findToken(hashOf(name))
  return token !== null && token.revoked_at === null
}

const grantOf = (token_id: number | null) => ({
  account_id: 'ada',
  client_id: 'client',
  client_name: 'A client',
  scopes: 'fetch',
  resource: 'v1',
  token_id,
})

/** A new code of the account `ada`. */
export function newCode(changes: Partial<NewCode> = {}): NewCode {
  return {
    ...grantOf(null),
    redirect_uri: 'https://a.example/cb',
    challenge: 'abc',
    expires_at: now + 60_000,
    ...changes,
  }
}

/** New tokens of a grant: `<name> access` and `<name> refresh`. */
export function newTokens(name: string): NewGrantTokens {
  return {
    access: {
      hash: hashOf(`${name} access`),
      last_four: 'abcd',
      scopes: 'fetch',
      created_at: now,
      expires_at: now + 3_600_000,
    },
    refresh: { hash: hashOf(`${name} refresh`), expires_at: now + 86_400_000 },
  }
}

/** A new grant of the account `ada` with its first tokens. */
export function newGrant(name: string, token_id: number | null = null): NewGrant {
  return { grant: { ...grantOf(token_id), created_at: now }, tokens: newTokens(name) }
}

/** Adds a grant of the account `ada`, and returns its id. */
export async function addGrant(store: ContractStore, name: string, token_id: number | null = null): Promise<number> {
  await store.grants.addCode(hashOf(`${name} code`), newCode({ token_id }), now)
  await store.grants.redeemCode(hashOf(`${name} code`), now, () => ({
    action: 'redeem',
    issue: newGrant(name, token_id),
  }))
  return (await store.grants.listGrants('ada', now, 1))[0]!.id
}

/** A new device authorization. */
export function newDevice(user_code: string, changes: Partial<NewDevice> = {}): NewDevice {
  return {
    user_code,
    client_id: 'client',
    client_name: 'A client',
    scopes: 'fetch',
    resource: 'v1',
    expires_at: now + 600_000,
    ...changes,
  }
}

/** A link of the account `ada` to a run. */
export function newShare(name: string, changes: Partial<NewShare> = {}): NewShare {
  return {
    id: `share_${name}`,
    hash: hashOf(name),
    account_id: 'ada',
    token_id: null,
    title: name,
    content: { kind: 'run', run_id: 'run_1' },
    created_at: now,
    expires_at: now + 1000,
    ...changes,
  }
}

/** A pin of the account `ada`. */
export function newPin(name: string, changes: Partial<StoredPin> = {}): StoredPin {
  return {
    id: `pin_${name}`,
    account_id: 'ada',
    name,
    content: { preset: 'place_context' },
    created_at: now,
    ...changes,
  }
}

/** A new run of the account `ada`. Ids are in the order of their creation. */
export function newRun(id: string, changes: Partial<NewRun> = {}): NewRun {
  return {
    id,
    account_id: 'ada',
    scopes: 'fetch runs',
    kind: 'fetch_batch',
    created_at: now,
    expires_at: now + 1000,
    selection: '{"fields":["county","state"]}',
    fields: '["county","state"]',
    margin_fields: '[]',
    columns: '[]',
    catalog_version: '1',
    name: null,
    ...changes,
  }
}

/** Locations of a run. Their latitude is their index. */
export function newLocations(count: number): NewLocation[] {
  return Array.from({ length: count }, (_, lat) => ({ input: JSON.stringify({ lat, lng: 0 }) }))
}

/** Submits a run of the account `ada` with as many locations, and returns it as it is stored. */
export async function addRun(
  { submissions, runs }: ContractStore,
  id: string,
  locations: number,
  changes: Partial<NewRun> = {},
): Promise<StoredRun> {
  const run = newRun(id, changes)
  await submissions.submit(run, packLocations(newLocations(locations)), null)
  return (await runs.find(id, run.account_id))!
}

/** The answer of a location. */
export function newResult(idx: number, changes: Partial<LocationResult> = {}): LocationResult {
  return {
    idx,
    ok: true,
    retryable: false,
    failedFields: 0,
    entry: JSON.stringify({ index: idx, ok: true }),
    ...changes,
  }
}

/** The first attempts of locations. */
export function firstAttempts(...indexes: number[]): LocationAttempt[] {
  return indexes.map((idx) => ({ idx, attempts: 0 }))
}

/** Submits a run of the account `ada`, and takes it over under a new epoch. */
export async function holdRun(store: ContractStore, locations: number): Promise<{ run: StoredRun; writer: RunWriter }> {
  const { number } = await addRun(store, 'run_1', locations)
  const writer = await store.runQueue.beginEpoch(now)
  return { run: (await writer.takeOver(number, now))!, writer }
}
