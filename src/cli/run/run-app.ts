import type { App, AppOptions } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { allScopes } from '../../auth/scope.ts'
import type { BulkJob } from '../../bulk/bulk-job.ts'
import type { BlockAnswers } from '../../bulk/answer-blocks.ts'
import { createLocationAnswers } from '../../bulk/location-answers.ts'
import { withOpenRows } from '../../bulk/open-rows.ts'
import { answerableFieldsOf } from '../../fetch/sources/providers.ts'
import { sourceStatusesOf } from '../../fetch/sources/source-statuses.ts'
import type { GeocodedAddress } from '../../place/geocode-audit.ts'
import { createLocationAnswerer } from '../../runs/location-answerer.ts'
import { openCommandApp, waitForPacks } from '../command-app.ts'
import {
  openLocalBlocks,
  openRowsPerBlock,
  openThreads,
  rowsPerBlock,
  threadsFor,
  type LocalAnswers,
  type ThreadOptions,
} from './run-local.ts'
import { unwritableFolderError } from '../server/writable-state.ts'

/** A local run acts as the owner: whoever can write the data folder could also create an owner token. */
const owner: Account = { id: 'owner', name: 'owner', scopes: new Set(allScopes) }

/** Rows with addresses take longer, so fewer blocks wait. */
const addressBlocksPerWorker = 3
/** Rows that are read ahead while earlier ones wait for a source. */
const waitingRows = 64
/** The time that locations in progress have to finish when the run is interrupted. */
const grace_ms = 2000

/**
 * Opens the app for rows that need its sources, geocoders, cache, accounts or audit.
 * @throws {StoreError} if the data folder is in use or read-only.
 */
export async function openAppAnswers(options: AppOptions, threadOptions: ThreadOptions | null): Promise<LocalAnswers> {
  const app = openCommandApp(options)
  if (app.isReadOnly) {
    await app.close()
    throw unwritableFolderError(options.config.data)
  }
  await waitForPacks(app)
  const { catalog, registry, log, now, admission } = app
  const answerLocation = createLocationAnswerer({
    fetchContext: (account) => app.fetchContext(account, '/v1/runs'),
    geocode: app.geocodeFor('/v1/runs'),
    admission,
    now,
    log,
    onAnswered: () => {},
  })
  return {
    snapshot: app.snapshot,
    answerable: () => ({
      fields: answerableFieldsOf({ catalog, registry }),
      hasGeocoder: app.geocoders().length > 0,
    }),
    sources: () => sourceStatusesOf(app),
    // oxlint-disable-next-line typescript/require-await -- Worker threads are opened asynchronously.
    async open(job, stopping) {
      const forced = new AbortController()
      const force = () => setTimeout(() => forced.abort(stopping.reason), grace_ms).unref()
      stopping.addEventListener('abort', force, { once: true })
      const close = () => stopping.removeEventListener('abort', force)
      const answerRows = createLocationAnswers({
        job,
        account: owner,
        answerLocation,
        stopping,
        signal: forced.signal,
      })
      const local = threadOptions && openBlocks(job, app, options, threadOptions)
      // One row each, so that each is stored as soon as it and those before it are answered.
      if (!local) return { answer: answerRows, rowsPerBlock: 1, blocksAtATime: waitingRows, close }
      const onGeocodes = (geocodes: readonly GeocodedAddress[]) => app.recordGeocodes(geocodes, owner.id)
      return {
        ...local,
        answer: withOpenRows(local.answer, { answerRows, onGeocodes }),
        close() {
          local.close()
          close()
        },
      }
    },
    close: app.close,
  }
}

/** Opens what answers the rows that need no other data; null for addresses without packs, or few of them. */
function openBlocks(job: BulkJob, app: App, options: AppOptions, threadOptions: ThreadOptions): BlockAnswers | null {
  if (job.table.columns.address.length === 0)
    return openLocalBlocks(job, app, options, { ...threadOptions, rowsPerBlock: openRowsPerBlock })
  const { rows, workers } = threadOptions
  const count = workers ?? (rows <= rowsPerBlock ? 0 : threadsFor(rows))
  if (count === 0 || app.addressPacks.edition() === '') return null
  const geocoding = app.geocoders().length === 1 ? 'packs' : 'packs_first'
  const threads = openThreads(job, options, { environment: threadOptions.environment, count, geocoding })
  return { ...threads, rowsPerBlock, blocksAtATime: count * addressBlocksPerWorker }
}
