import { openApp } from '../app.ts'
import { allScopes, type Account } from '../auth/accounts.ts'
import { summaryOf } from '../runs/document.ts'
import type { RunState } from '../runs/messages.ts'
import { isFinal } from '../runs/runs.ts'
import { readUpload } from '../runs/upload.ts'
import type { StoredRun } from '../store/runs.ts'
import { artifactResponse } from '../http/run-artifacts.ts'
import type { RunTools, RunWay } from './run-way.ts'
import { notWritten } from './written-state.ts'

/** For so long what is in work may end when the run is interrupted. */
const grace_ms = 2000

/** The owner of the data folder: whoever can read it. */
const owner: Account = { id: 'owner', name: 'owner', scopes: new Set(allScopes) }

/** Runs in this process, on the data folder: it must not be in use by a server. */
export function runHere({ config, house }: RunTools): RunWay {
  const app = openApp({ ...house(config), config })
  if (app.isReadOnly) {
    app.close()
    throw notWritten(config.data)
  }
  const { runs } = app
  return {
    async finished({ path, kind, fields, preset, key }, told, signal) {
      await app.packs.poll()
      runs.resume()
      const { columns, locations } = await readUpload(Bun.file(path).stream(), kind, app.now())
      const selection = kind === 'fetch_batch' ? { ...(fields && { fields }), ...(preset !== undefined && { preset }) } : {}
      const { run_id } = await runs.submit(owner, { kind, selection, columns, locations, key: { key, body_hash: key } })
      const stopTelling = runs.watch(run_id, (state) => isFinal(state.status) || told(state))
      told(stateOf(runs.find(owner, run_id)))
      const run = await runs.untilFinished(owner, run_id, signal)
      stopTelling()
      return stateOf(run)
    },
    csv: (run_id) => Promise.resolve(artifactResponse(runs.find(owner, run_id), 'csv', new Request('http://localhost'), runs.artifacts)),
    error: (run_id) => Promise.resolve(summaryOf(runs.find(owner, run_id)).error),
    async close() {
      await runs.stop(grace_ms)
      app.close()
    },
  }
}

function stateOf({ id, status, total, done, ok, seq }: StoredRun): RunState {
  return { run_id: id, status, total, done, ok, seq }
}
