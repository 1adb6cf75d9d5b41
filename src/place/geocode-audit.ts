import type { Log } from '../log.ts'
import type { GeocodeAuditRecord } from '../store/audit.ts'
import { StorageError } from '../store/storage-error.ts'
import type { Store } from '../store/store.ts'

/** What the audit records about a geocoded address. */
export type GeocodeAuditResult = { outcome: string; provider: string | null; cached: boolean }

/** The result for an address. `key`: the normalized address. */
export type GeocodedAddress = GeocodeAuditResult & { key: string }

/** Records every address that is geocoded, with a keyed hash instead of the address. No request waits for it. */
export type GeocodeAudit = {
  /** Adds a record. `key`: the normalized address. */
  add(key: string, account: string, result: GeocodeAuditResult): void
  /** Waits until the records are written. Reports how many were lost if the storage does not answer. */
  flush(): Promise<void>
}

type Deps = {
  store: Pick<Store, 'isReadOnly' | 'access' | 'audit'>
  now: () => Date
  randomBytes: (size: number) => Uint8Array
  log: Log
}
type UnhashedRecord = Omit<GeocodeAuditRecord, 'address_hash'> & { key: string }

const secretName = 'geocode_audit'
const secret_bytes = 32
const maxWaiting = 10_000
const maxWritten = 1000
const retryPause_ms = 50

/**
 * Creates the audit. Records are written in order. While the storage does not answer, they wait, and a limited number
 * of them is kept. Other errors are logged, and their records dropped. The log does not contain the address.
 */
export function createGeocodeAudit({ store, now, randomBytes, log }: Deps): GeocodeAudit {
  const waiting: UnhashedRecord[] = []
  let writing: Promise<void> | null = null
  let isFlushing = false
  return {
    add(key, account, result) {
      if (store.isReadOnly) return
      if (waiting.length >= maxWaiting) return reportLoss(1, new Error(`${maxWaiting} records are waiting.`))
      waiting.push({ key, account, at: now().getTime(), ...result })
      writing ??= writeAll().finally(() => (writing = null))
    },
    async flush() {
      isFlushing = true
      await writing
      isFlushing = false
    },
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxWritten)
      try {
        await store.audit.add(await withHashes(batch))
      } catch (error) {
        if (isFlushing || !mayAnswerLater(error)) {
          reportLoss(batch.length, error)
          continue
        }
        waiting.unshift(...batch)
        await Bun.sleep(retryPause_ms)
      }
    }
  }

  /** Hashes the addresses with the key in the database. Without the key, nobody can find an address by trying many. */
  async function withHashes(batch: UnhashedRecord[]): Promise<GeocodeAuditRecord[]> {
    const secret = await store.access.secret(secretName, randomBytes(secret_bytes))
    return batch.map(({ key, ...record }) => ({
      ...record,
      address_hash: new Bun.CryptoHasher('sha256', secret).update(key).digest(),
    }))
  }

  function reportLoss(lost_records: number, error: unknown): void {
    log.error('geocode_audit', { lost_records, error })
  }
}

function mayAnswerLater(error: unknown): boolean {
  return error instanceof StorageError && (error.reason === 'busy' || error.reason === 'unavailable')
}
