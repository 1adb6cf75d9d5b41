import type { RequestError } from '../request-error.ts'
import { ErrorNotice } from '../components/error-notice.tsx'

/** Why a question was not answered, and what to do. */
export function AskError({ error, retry }: { error: RequestError; retry: () => void }) {
  const advice = adviceFor(error)
  return (
    <div class="stack">
      <ErrorNotice error={error} retry={retry} />
      {advice !== null && <p class="soft">{advice}</p>}
    </div>
  )
}

function adviceFor({ code, context }: RequestError): string | null {
  if (code === 'ask_unavailable')
    return 'Whoever runs this server can give it the key of a model (ANTHROPIC_API_KEY), or let it answer without one (FIELDSTONE_ASK_BUILTIN=1). The fields themselves are there under Explore.'
  if (code === 'ask_timeout')
    return context.stage === 'fetching'
      ? 'The sources were slow. Ask again: what they have answered is kept, and the next time is faster. Or ask about less at once.'
      : 'Ask again, or put it in fewer words.'
  if (code === 'insufficient_scope')
    return 'Your account may not ask questions: the owner of this server can allow it. The fields themselves are there under Explore.'
  return null
}
