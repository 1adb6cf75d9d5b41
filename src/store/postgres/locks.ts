import type { PostgresQuery } from './postgres-pool.ts'

/** `FSTN` in ASCII: the advisory locks of Fieldstone. */
const lockClass = 0x4653544e
const lockNumbers = { migration: 1, clients: 2, devices: 3, audit: 4, run_sweep: 5 }

/** Waits until no other transaction holds this lock, and holds it until the transaction ends. */
export async function takeAdvisoryLock(query: PostgresQuery, name: keyof typeof lockNumbers): Promise<void> {
  await query('SELECT pg_advisory_xact_lock($1::int, $2::int)', lockClass, lockNumbers[name])
}

/** Waits until no other transaction holds this lock alone, and shares it until the transaction ends. */
export async function shareAdvisoryLock(query: PostgresQuery, name: keyof typeof lockNumbers): Promise<void> {
  await query('SELECT pg_advisory_xact_lock_shared($1::int, $2::int)', lockClass, lockNumbers[name])
}

/**
 * Locks the row of an account until the transaction ends. Every transaction that adds or ends tokens of an account does
 * this before it reads what it decides about. So nothing is issued while it is revoked. `account`: an expression with the id.
 */
export async function lockAccount(query: PostgresQuery, account: string, value: string | Uint8Array): Promise<void> {
  await query(`SELECT id FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`, value)
}
