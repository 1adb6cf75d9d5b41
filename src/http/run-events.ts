import type { App } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import { documentOf, progressOf } from '../runs/document.ts'
import type { RunState } from '../runs/messages.ts'
import { isFinal } from '../runs/runs.ts'
import type { StoredRun } from '../store/runs.ts'
import { eventStream, type Events } from './sse.ts'

const framesPerSecond = 4

/** The events of a run: its state at once, then every change, merged where only the progress changes; its document at the end, once. */
export function runEvents(app: App, account: Account, id: string, request: Request): Response {
  const { runs } = app
  const run = runs.find(account, id)
  const seen = /^\d{1,15}$/.test(request.headers.get('last-event-id') ?? '') ? Number(request.headers.get('last-event-id')) : 0
  if (isFinal(run.status) && seen >= finalSeq(run)) return new Response(null, { status: 204 })
  return eventStream(request, (events) => {
    const teller = tellerTo(events, () => documentOf(runs.find(account, id), runs.reads))
    const stopWatching = runs.watch(id, teller.changed)
    runs.stopping.addEventListener('abort', events.end, { once: true })
    // What was seen under a number that is still to come was never told by us.
    const now = runs.find(account, id)
    teller.begin(stateOf(now), Math.min(seen, now.seq))
    return () => {
      stopWatching()
      teller.stop()
      runs.stopping.removeEventListener('abort', events.end)
    }
  })
}

/** The id of the last event: one more than that of the change that finished the run. */
function finalSeq({ seq }: { seq: number }): number {
  return seq + 1
}

function stateOf({ id, status, total, done, ok, seq }: StoredRun): RunState {
  return { run_id: id, status, total, done, ok, seq }
}

function tellerTo(events: Events, document: () => Iterator<string>) {
  let told = 0
  let status: RunState['status'] | null = null
  let waiting: RunState | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let isOver = false

  const tell = (state: RunState) => {
    waiting = null
    told = state.seq
    status = state.status
    events.event('status', state.seq, JSON.stringify({ run_id: state.run_id, status: state.status, progress: progressOf(state), seq: state.seq }))
  }
  const finish = (state: RunState) => {
    isOver = true
    events.last('final', finalSeq(state), document())
  }
  const changed = (state: RunState) => {
    if (isOver || state.seq <= told) return
    if (state.status === status) {
      waiting = state
      timer ??= setTimeout(beat, 1000 / framesPerSecond)
      return
    }
    if (waiting) tell(waiting)
    tell(state)
    if (isFinal(state.status)) finish(state)
  }
  const beat = () => {
    timer = null
    if (!waiting || isOver) return
    tell(waiting)
    timer = setTimeout(beat, 1000 / framesPerSecond)
  }
  return {
    changed,
    begin(state: RunState, seen: number) {
      told = seen
      if (isFinal(state.status)) finish(state)
      else if (state.seq > seen) tell(state)
      else status = state.status
    },
    stop() {
      isOver = true
      if (timer) clearTimeout(timer)
    },
  }
}
