import { ApiError, ValidationError, type ApiCode, type Violation, apiCodes } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { fetchBounded } from '../net/bounded-fetch.ts'
import type { RunState } from '../runs/worker-messages.ts'
import type { RunSummary } from '../runs/run-summary.ts'
import { isFinalStatus } from '../runs/runs.ts'
import type { RunStatus } from '../store/run-status.ts'
import { describeConnectionFailure } from './connection-failure.ts'
import { RunCommandError, type RunBackend } from './run-backend.ts'

const retryPause_ms = 2000
const maxReconnects = 30
/** The results of a run are streamed to a file, so this limit may exceed the memory. */
const answerMax_bytes = 4 * 2 ** 30

/** Executes runs on a server. It reconnects after a connection breaks; the run continues on the server. */
export function openRemoteRunBackend(server: string, token: string | null): RunBackend {
  const base = withoutSlashes(server)
  const request = async (path: string, init: RequestInit = {}) => {
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(init.headers as Record<string, string>),
    }
    const response = await fetchBounded(`${base}${path}`, { ...init, headers }, answerMax_bytes).catch(
      (cause: Error) => {
        throw new RunCommandError(
          `No response from ${base}: ${describeConnectionFailure(cause)}. If the server accepted the run, it continues. Run the same command again to follow it.`,
          { cause },
        )
      },
    )
    if (!response.ok) throw errorOfResponse(response.status, await response.json().catch(() => null))
    return response
  }
  return {
    async runToEnd({ path, kind, fields, preset, key }, onChange, signal) {
      const query = new URLSearchParams({
        kind,
        ...(fields && { fields: fields.join() }),
        ...(preset !== undefined && { preset }),
      })
      const submission = await request(`/v1/runs?${query.toString()}`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv', 'idempotency-key': key },
        body: Bun.file(path),
      })
      const { run_id } = (await submission.json()) as { run_id: string }
      let state: RunState = { run_id, status: 'queued', total: 0, done: 0, ok: 0, seq: 0 }
      const follow = async () => {
        const events = await request(`/v1/runs/${run_id}/events`, {
          signal,
          headers: { 'last-event-id': String(state.seq) },
        })
        for await (const next of readRunStates(events)) {
          reconnects = 0
          state = next
          onChange(state)
          if (isFinalStatus(state.status)) return
        }
      }
      let reconnects = 0
      for (; reconnects < maxReconnects && !signal.aborted && !isFinalStatus(state.status); reconnects++) {
        try {
          await follow()
        } catch (error) {
          if (signal.aborted) break
          if (error instanceof ApiError && !error.retryable) throw error
          await Bun.sleep(retryPause_ms)
        }
      }
      return state
    },
    csv: (run_id) => request(`/v1/runs/${run_id}/artifacts/csv`),
    error: async (run_id) => ((await (await request(`/v1/runs/${run_id}`)).json()) as RunSummary).error,
    close: () => Promise.resolve(),
  }
}

function withoutSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}

/** Yields the run states in an event stream. The final event contains the whole document; only its state is read. */
async function* readRunStates(events: Response): AsyncGenerator<RunState> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of events.body!) {
    rest += decoder.decode(chunk, { stream: true })
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const data = /^data: (\{"run_id".*)$/m.exec(rest.slice(0, end))?.[1]
      rest = rest.slice(end + 2)
      if (data !== undefined) yield parseRunState(JSON.parse(data))
    }
  }
}

/** Parses the state in a status event or in a run document, which have the same progress member. */
function parseRunState(value: unknown): RunState {
  const progress = isRecord(value) && isRecord(value.progress) ? value.progress : {}
  if (!isRecord(value))
    throw new ApiError(
      'internal_error',
      'The server sent an event in an unknown format. Use the same version of Fieldstone as the server.',
    )
  return {
    run_id: String(value.run_id),
    status: value.status as RunStatus,
    total: Number(progress.total),
    done: Number(progress.done),
    ok: Number(progress.ok),
    seq: Number(value.seq ?? 0),
  }
}

function errorOfResponse(status: number, body: unknown): Error {
  const detail = isRecord(body) ? body.detail : null
  if (Array.isArray(detail)) return new ValidationError(detail as Violation[])
  const { error, message, ...context } = isRecord(detail) ? detail : {}
  const code = typeof error === 'string' && Object.hasOwn(apiCodes, error) ? (error as ApiCode) : 'internal_error'
  const text = typeof message === 'string' ? message : `The server answered with status ${status} and no explanation.`
  return new ApiError(code, text, context)
}
