import { openApp } from '../app.ts'
import { allScopes, type Account } from '../auth/accounts.ts'
import { runSummaryOf } from '../runs/run-document.ts'
import type { RunState } from '../runs/worker-messages.ts'
import { isFinalStatus } from '../runs/runs.ts'
import { readUpload } from '../runs/upload.ts'
import type { StoredRun } from '../store/run-reader.ts'
import { artifactResponse } from '../http/run-artifacts.ts'
import type { RunCommandDeps, RunBackend } from './run-backend.ts'
import { unwritableFolderError } from './writable-state.ts'

/** For so long what is in work may end when the run is interrupted. */
const grace_ms = 2000

/** The owner of the data folder: whoever can read it. */
const owner: Account = { id: 'owner', name: 'owner', scopes: new Set(allScopes) }

/** Runs in this process, on the data folder: it must not be in use by a server. */
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
        artifactResponse(runs.find(owner, run_id), 'csv', new Request('http://localhost'), runs.artifacts),
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
