import { edenGC } from 'bun:jsc'
import { openAccounts, type Accounts } from './auth/accounts.ts'
import { cryptoBytes } from './auth/token.ts'
import { openCatalog, type Catalog } from './catalog/catalog.ts'
import type { Contents } from './catalog/entry.ts'
import type { Config } from './config.ts'
import { openGate, type Gate } from './fetch/gate.ts'
import { openLibrary, type Library } from './fetch/library.ts'
import type { Log } from './log.ts'
import { openEmbedded, type Embedded } from './packs/embedded.ts'
import { openLocate, type Locate } from './place/locate.ts'
import { openAccountStore } from './store/accounts.ts'
import { answers, lockFolder, openState } from './store/database.ts'

export type Options = {
  config: Config
  contents: Contents
  /** The embedded GeoPackage: a file, or its bytes where no file can be written. */
  embedded: string | Uint8Array
  log: Log
  version: string
  now?: () => Date
  randomBytes?: (size: number) => Uint8Array
}

/** What the doors (HTTP, the command line) are handed. */
export type App = {
  config: Config
  version: string
  started: Date
  log: Log
  now: () => Date
  embedded: Embedded
  catalog: Catalog
  library: Library
  locate: Locate
  gate: Gate
  accounts: Accounts
  /** Whether our own database answers. */
  storeAnswers(): boolean
  close(): void
}

/**
 * The engine lets garbage grow to almost three times what lives, and the embedded layers count as living: 300 to 400 MB for a service
 * that needs half of it. Collecting the young garbage this often costs nothing that can be measured and holds it below 200 MB.
 */
const answersBetweenCollections = 500

/** Puts the house together, from the ground up. */
export function openApp({ config, contents, embedded: file, log, version, now = () => new Date(), randomBytes = cryptoBytes }: Options): App {
  const unlock = lockFolder(config.data)
  const db = openState(config.data)
  const embedded = openEmbedded(file)
  const catalog = openCatalog(contents)
  const library = openLibrary(catalog, { embedded }, { offline: config.offline, keys: config.keys })
  const locate = openLocate(() => embedded.layer('counties'))
  const gate = openGate(config.concurrency, config.queue, everyNth(answersBetweenCollections, edenGC))
  const accounts = openAccounts(openAccountStore(db), { auth: config.auth, now, randomBytes })
  const storeAnswers = () => answers(db)
  const close = () => {
    embedded.close()
    db.close()
    unlock()
  }
  return { config, version, started: now(), log, now, embedded, catalog, library, locate, gate, accounts, storeAnswers, close }
}

function everyNth(n: number, work: () => void): () => void {
  let count = 0
  return () => {
    if (++count % n === 0) work()
  }
}
