import type { App } from '../app.ts'
import type { AskInput } from '../ask/ask.ts'
import type { Account } from '../auth/accounts.ts'
import { refusalOf } from './errors.ts'
import { eventStream } from './sse.ts'

/** A question as it is answered: its events, then one `final` or one `error`. A client that goes away ends the work. */
export function askStream(app: App, account: Account, input: AskInput, request: Request, request_id: string): Response {
  return eventStream(request, (events) => {
    const gone = new AbortController()
    let seq = 0
    const tell = (event: string, payload: object) => {
      seq++
      events.event(event, seq, JSON.stringify({ ...payload, seq }))
    }
    const answered = async () => {
      try {
        tell('final', await app.ask.answer(input, { signal: gone.signal }, app.fetchContext(account, '/v1/ask/stream'), ({ event, ...payload }) => { if (!gone.signal.aborted) tell(event, payload) }))
      } catch (error) {
        if (gone.signal.aborted) return
        tell('error', refusalOf(error, request_id, app.log).body.detail as object)
      }
      events.end()
    }
    void answered()
    return () => gone.abort(new DOMException('The client has gone.', 'AbortError'))
  })
}
