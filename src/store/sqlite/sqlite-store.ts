import type { Database } from 'bun:sqlite'
import type { Store } from '../store.ts'
import { createAccessStore } from './access.ts'
import { createGrantStore } from './grants.ts'
import { createLimitStore } from './limits.ts'
import { createPeopleStore } from './people.ts'
import { isReadOnlyDatabase } from './read-only.ts'
import { createTransactions } from './transactions.ts'

/** Creates the store on an open `state.db`. */
export function createSqliteStore(db: Database): Store {
  const transactions = createTransactions(db)
  return {
    isReadOnly: isReadOnlyDatabase(db),
    access: createAccessStore(transactions),
    grants: createGrantStore(transactions),
    people: createPeopleStore(transactions),
    limits: createLimitStore(transactions),
  }
}
