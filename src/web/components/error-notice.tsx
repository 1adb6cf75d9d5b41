import type { RequestError } from '../request-error.ts'
import { signInUrl } from '../session.ts'
import { Icon } from './icons.tsx'

/** An error message with what the user can do about it: sign in or try again. */
export function ErrorNotice({ error, retry }: { error: RequestError; retry?: () => void }) {
  if (error.needsSignIn) {
    return (
      <div class="notice" role="status">
        <p>
          {error.code === 'auth_missing' ? 'Sign in to continue.' : 'Your session has expired.'} You will return to this
          page.
        </p>
        <p>
          <a class="button button--main" href={signInUrl(window.location)}>
            Sign in
          </a>
        </p>
      </div>
    )
  }
  return (
    <div class="notice notice--bad" role="alert">
      <p>
        <Icon name="warning" /> {error.message} <code class="notice__code">{error.code}</code>
      </p>
      {error.retryable && retry && (
        <p>
          <button type="button" class="button" onClick={retry}>
            <Icon name="refresh" />
            Try again
          </button>
        </p>
      )}
    </div>
  )
}
