import type { ApiFault } from '../api-fault.ts'
import { signInAt } from '../session.ts'
import { Icon } from './icons.tsx'

/** A refusal: what the service says, and what can be done about it here. */
export function Fault({ fault, again }: { fault: ApiFault; again?: () => void }) {
  if (fault.needsSignIn) {
    return (
      <div class="notice" role="status">
        <p>
          {fault.code === 'token_missing' ? 'This takes signing in.' : 'Your session is over.'} You come back to this
          very place.
        </p>
        <p>
          <a class="button button--main" href={signInAt(window.location)}>
            Sign in
          </a>
        </p>
      </div>
    )
  }
  return (
    <div class="notice notice--bad" role="alert">
      <p>
        <Icon name="warning" /> {fault.message} <code class="notice__code">{fault.code}</code>
      </p>
      {fault.retryable && again && (
        <p>
          <button type="button" class="button" onClick={again}>
            <Icon name="refresh" />
            Try again
          </button>
        </p>
      )}
    </div>
  )
}
