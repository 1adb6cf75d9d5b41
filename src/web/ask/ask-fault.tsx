import type { ApiFault } from '../api-fault.ts'
import { Fault } from '../parts/fault.tsx'

/** Why a question was not answered, and what to do. */
export function AskFault({ fault, again }: { fault: ApiFault; again: () => void }) {
  const advice = adviceFor(fault)
  return (
    <div class="stack">
      <Fault fault={fault} again={again} />
      {advice !== null && <p class="soft">{advice}</p>}
    </div>
  )
}

function adviceFor({ code, context }: ApiFault): string | null {
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
