import type { Account } from '../auth/accounts.ts'
import { allScopes } from '../auth/scope.ts'
import { sourcesDocument } from '../http/meta.ts'
import { artifactResponse } from '../http/run-artifacts.ts'
import { ApiError } from '../model/error.ts'
import { runSummaryOf } from '../runs/run-document.ts'
import { isFinalStatus } from '../runs/runs.ts'
import { readUpload } from '../runs/upload.ts'
import type { RunState } from '../runs/worker-messages.ts'
import type { StoredRun } from '../store/sqlite/run-reader.ts'
import { openCommandApp } from './open-command-app.ts'
import { includeQuery, type RunCommandDeps, type RunBackend } from './run-backend.ts'
import { waitForPacks } from './wait-for-packs.ts'
import { unwritableFolderError } from './writable-state.ts'

/** The time that locations in progress have to finish when the run is interrupted. */
const grace_ms = 2000

/** A local run acts as the owner: whoever can write the data folder could also create an owner token. */
const owner: Account = { id: 'owner', name: 'owner', scopes: new Set(allScopes) }

/** Executes runs in this process. @throws {StoreError} if the data folder is in use or read-only. */
export async function openLocalRunBackend({ config, appOptions }: RunCommandDeps): Promise<RunBackend> {
  const app = openCommandApp({ ...appOptions(config), config })
  if (app.isReadOnly) {
    app.close()
    throw unwritableFolderError(config.data)
  }
  const { runs } = app
  await waitForPacks(app)
  void app.runRetention()
  return {
    findByKey: (key) => {
      const run = runs.findByKey(owner, key)
      return Promise.resolve(run && runStateOf(run))
    },
    async submit({ input, name, kind, fields, preset, format, key, isFresh }) {
      const options = { kind, now: app.now(), rowsMax: Infinity, format }
      const { columns, locations } = await readUpload(input.stream(), options)
      const selection =
        kind === 'fetch_batch' ? { ...(fields && { fields }), ...(preset !== undefined && { preset }) } : {}
      const submission = { kind, name, selection, columns, locations, key: { key, body_hash: key, isFresh } }
      const { run_id } = await runs.submit(owner, submission)
      return runStateOf(runs.find(owner, run_id))
    },
    async retryMissing(run_id) {
      try {
        const missing = await runs.findMissing(owner, run_id)
        if ('inProgress' in missing) return runStateOf(missing.inProgress)
        const retried = await runs.retryLocations(owner, missing.original, missing.indexes)
        return runStateOf(runs.find(owner, retried.run_id))
      } catch (error) {
        if (error instanceof ApiError && error.code === 'run_not_retryable') return null
        throw error
      }
    },
    async follow({ run_id }, onChange, signal) {
      runs.resume()
      const unsubscribe = runs.subscribe(run_id, (state) => isFinalStatus(state.status) || onChange(state))
      onChange(runStateOf(runs.find(owner, run_id)))
      const run = await runs.waitUntilFinished(owner, run_id, signal)
      unsubscribe()
      return runStateOf(run)
    },
    resultFile: (run_id, format, options) =>
      artifactResponse(runs.find(owner, run_id), format, new Request(`http://localhost?${includeQuery(options)}`), {
        runs,
        reader: { turns: runs.readerTurns, takeSlot: () => () => {} },
      }),
    sources: () => Promise.resolve(sourcesDocument(app)),
    error: (run_id) => Promise.resolve(runSummaryOf(runs.find(owner, run_id)).error),
    async close() {
      const retention = app.runRetention()
      await runs.stop(grace_ms)
      await retention
      app.close()
    },
  }
}

function runStateOf({ id, status, total, done, ok, seq }: StoredRun): RunState {
  return { run_id: id, status, total, done, ok, seq }
}
