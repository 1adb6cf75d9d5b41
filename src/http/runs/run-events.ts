import type { App } from '../../app.ts'
import type { Account } from '../../auth/accounts.ts'
import { runDocumentOf, runProgressOf } from '../../runs/report/run-document.ts'
import { runStateOf } from '../../runs/run-listeners.ts'
import type { RunState } from '../../runs/worker-messages.ts'
import { isFinalStatus } from '../../store/runs/runs.ts'
import { readerOf } from '../request/guard.ts'
import { pacedPieces, jsonBytes } from './paced-stream.ts'
import { eventStreamResponse, type EventStream } from '../request/sse.ts'

const framesPerSecond = 4

/**
 * Streams the events of a run: its state, then every change of status. Changes of progress alone are merged. The final
 * event has the document.
 */
export async function runEvents(app: App, account: Account, id: string, request: Request): Promise<Response> {
  const { runs } = app
  const run = await runs.find(account, id)
  const lastEventId = /^\d{1,15}$/.test(request.headers.get('last-event-id') ?? '')
    ? Number(request.headers.get('last-event-id'))
    : 0
  if (isFinalStatus(run.status) && lastEventId >= finalSeq(run)) return new Response(null, { status: 204 })
  return eventStreamResponse(request, readerOf(request), (events) => {
    const emitter = createStatusEmitter(events, () => pacedPieces(jsonBytes(currentDocument()), runs.readerTurns))
    const stopWatching = runs.subscribe(account, id, emitter.changed)
    runs.stopping.addEventListener('abort', events.end, { once: true })
    emitCurrent(emitter).catch(events.end)
    return () => {
      stopWatching()
      emitter.stop()
      runs.stopping.removeEventListener('abort', events.end)
    }
  })

  /** The run may have changed between the check of the request and the subscription, so it is read again. */
  async function emitCurrent(emitter: ReturnType<typeof createStatusEmitter>): Promise<void> {
    const current = await runs.find(account, id)
    // A Last-Event-ID above the current seq did not come from this server.
    emitter.start(runStateOf(current), Math.min(lastEventId, current.seq))
  }

  async function* currentDocument() {
    yield* runDocumentOf(await runs.find(account, id), runs.reader)
  }
}

/** Returns the id of the final event: one more than the change that finished the run. */
function finalSeq({ seq }: { seq: number }): number {
  return seq + 1
}

function createStatusEmitter(events: EventStream, document: () => AsyncGenerator<Uint8Array, void>) {
  let isStarted = false
  let emittedSeq = 0
  let status: RunState['status'] | null = null
  let pendingState: RunState | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let isClosed = false

  const emit = (state: RunState) => {
    pendingState = null
    emittedSeq = state.seq
    status = state.status
    events.send(
      'status',
      state.seq,
      JSON.stringify({ run_id: state.run_id, status: state.status, progress: runProgressOf(state), seq: state.seq }),
    )
  }
  const finish = (state: RunState) => {
    isClosed = true
    events.sendFinal('final', finalSeq(state), document())
  }
  const onChange = (state: RunState) => {
    if (!isStarted) pendingState = state
    if (!isStarted || isClosed || state.seq <= emittedSeq) return
    if (state.status === status) {
      pendingState = state
      timer ??= setTimeout(emitPending, 1000 / framesPerSecond)
      return
    }
    if (pendingState) emit(pendingState)
    emit(state)
    if (isFinalStatus(state.status)) finish(state)
  }
  const emitPending = () => {
    timer = null
    if (!pendingState || isClosed) return
    emit(pendingState)
    timer = setTimeout(emitPending, 1000 / framesPerSecond)
  }
  return {
    changed: onChange,
    /** Emits the state that was read if the client does not know it, and then what has changed since. */
    start(state: RunState, lastEventId: number) {
      if (isClosed) return
      const changed = pendingState
      pendingState = null
      isStarted = true
      emittedSeq = lastEventId
      if (isFinalStatus(state.status)) finish(state)
      else if (state.seq > lastEventId) emit(state)
      else status = state.status
      if (changed) onChange(changed)
    },
    stop() {
      isClosed = true
      if (timer) clearTimeout(timer)
    },
  }
}
