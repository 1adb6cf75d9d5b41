import type { RequestError } from '../request-error.ts'
import { ErrorNotice } from '../components/error-notice.tsx'

/** Shows why a question failed and what to do. */
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
    return 'The operator of this server can set a model key (ANTHROPIC_API_KEY) or allow answers without a model (FIELDSTONE_ASK_BUILTIN=1). The fields themselves are available on the Explore page.'
  if (code === 'ask_timeout')
    return context.stage === 'fetching'
      ? 'The data sources were slow. Try again: values that already arrived are cached, so the next try is faster. Or ask about fewer things at once.'
      : 'Try again, or shorten the question.'
  if (code === 'insufficient_scope')
    return 'Your account has no permission to ask questions. The owner of this server can grant it. The fields themselves are available on the Explore page.'
  return null
}
