import type { App } from '../app.ts'
import type { AskInput } from '../ask/ask.ts'
import type { Account } from '../auth/accounts.ts'
import { errorResponseOf } from './errors.ts'
import { eventStreamResponse } from './sse.ts'

/** Streams the events of an answer, then one `final` or one `error`. The work ends when the client disconnects. */
export function askStream(app: App, account: Account, input: AskInput, request: Request, request_id: string): Response {
  return eventStreamResponse(request, (events) => {
    const abortController = new AbortController()
    let seq = 0
    const emit = (event: string, payload: object) => {
      seq++
      events.send(event, seq, JSON.stringify({ ...payload, seq }))
    }
    const answerQuestion = async () => {
      try {
        emit(
          'final',
          await app.ask.answer(
            input,
            { signal: abortController.signal },
            app.fetchContext(account, '/v1/ask/stream'),
            ({ event, ...payload }) => {
              if (!abortController.signal.aborted) emit(event, payload)
            },
          ),
        )
      } catch (error) {
        if (abortController.signal.aborted) return
        emit('error', errorResponseOf(error, request_id, app.log).body.detail as object)
      }
      events.end()
    }
    void answerQuestion()
    return () => abortController.abort(new DOMException('The client disconnected.', 'AbortError'))
  })
}
