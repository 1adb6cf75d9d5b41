import type { Database } from 'bun:sqlite'
import type { Store } from '../store.ts'
import { createAccessStore } from './access.ts'
import { createArtifactStore } from './artifacts.ts'
import { createAuditStore } from './geocode-audit.ts'
import { createGrantStore } from './grants.ts'
import { createLimitStore } from './limits.ts'
import { createPeopleStore } from './people.ts'
import { createPinStore } from './pins.ts'
import { isReadOnlyDatabase } from './read-only.ts'
import { createRunReader } from './run-reader.ts'
import { createShareStore } from './shares.ts'
import { createTransactions } from './transactions.ts'

/** Creates the store on an open `state.db`. The geocodes are in `cache.db`: see `openGeocodeCache`. */
export function createSqliteStore(db: Database): Omit<Store, 'geocodes'> {
  const transactions = createTransactions(db)
  return {
    isReadOnly: isReadOnlyDatabase(db),
    access: createAccessStore(transactions),
    grants: createGrantStore(transactions),
    people: createPeopleStore(transactions),
    limits: createLimitStore(transactions),
    audit: createAuditStore(transactions),
    shares: createShareStore(transactions),
    pins: createPinStore(transactions),
    runs: createRunReader(transactions),
    artifacts: createArtifactStore(transactions),
  }
}
