import { openApp } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import { allScopes } from '../auth/scope.ts'
import { runSummaryOf } from '../runs/run-document.ts'
import type { RunState } from '../runs/worker-messages.ts'
import { isFinalStatus } from '../runs/runs.ts'
import { readUpload } from '../runs/upload.ts'
import type { StoredRun } from '../store/run-reader.ts'
import { artifactResponse } from '../http/run-artifacts.ts'
import type { RunCommandDeps, RunBackend } from './run-backend.ts'
import { unwritableFolderError } from './writable-state.ts'

/** The time that locations in progress have to finish when the run is interrupted. */
const grace_ms = 2000

/** A local run acts as the owner: whoever can write the data folder could also create an owner token. */
const owner: Account = { id: 'owner', name: 'owner', scopes: new Set(allScopes) }

/** Executes runs in this process. @throws {StoreError} if the data folder is in use or read-only. */
export function openLocalRunBackend({ config, appOptions }: RunCommandDeps): RunBackend {
  const app = openApp({ ...appOptions(config), config })
  if (app.isReadOnly) {
    app.close()
    throw unwritableFolderError(config.data)
  }
  const { runs } = app
  return {
    async runToEnd({ path, kind, fields, preset, key }, onChange, signal) {
      await app.packs.poll()
      runs.resume()
      const { columns, locations } = await readUpload(Bun.file(path).stream(), kind, app.now())
      const selection =
        kind === 'fetch_batch' ? { ...(fields && { fields }), ...(preset !== undefined && { preset }) } : {}
      const { run_id } = await runs.submit(owner, { kind, selection, columns, locations, key: { key, body_hash: key } })
      const unsubscribe = runs.subscribe(run_id, (state) => isFinalStatus(state.status) || onChange(state))
      onChange(runStateOf(runs.find(owner, run_id)))
      const run = await runs.waitUntilFinished(owner, run_id, signal)
      unsubscribe()
      return runStateOf(run)
    },
    csv: (run_id) =>
      Promise.resolve(
        artifactResponse(runs.find(owner, run_id), 'csv', new Request('http://localhost'), runs),
      ),
    error: (run_id) => Promise.resolve(runSummaryOf(runs.find(owner, run_id)).error),
    async close() {
      await runs.stop(grace_ms)
      app.close()
    },
  }
}

function runStateOf({ id, status, total, done, ok, seq }: StoredRun): RunState {
  return { run_id: id, status, total, done, ok, seq }
}
